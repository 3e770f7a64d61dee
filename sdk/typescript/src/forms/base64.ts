/** Standard base64 with padding, one spelling for each sequence of bytes. */

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const FORM = /^[A-Za-z0-9+/]+={0,2}$/;

/** Whether a text is base64: padding at the end alone, and no bits that nobody reads. */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0 || !FORM.test(text)) return false;
  const padding = text.length - text.replace(/=+$/, "").length;
  const last = ALPHABET.indexOf(text[text.length - padding - 1] ?? "");
  const unread = padding === 1 ? 0b11 : padding === 2 ? 0b1111 : 0;
  return (last & unread) === 0;
}

/** The bytes of a base64 text, or nothing when it is not one. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text === "") return new Uint8Array();
  if (!isBase64(text)) return undefined;
  const binary = atob(text);
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** The base64 text of some bytes. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
