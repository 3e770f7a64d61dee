// What JSON.parse lets pass and svc refuses: the same member twice, fractions and numbers beyond what JSON carries
// exactly, nesting without end, characters that hide or move text. One pass over the bytes, before they are parsed.

const DEPTH = 32;
const MEMBERS = 64;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What is wrong with a document; nothing, when all is well. It is JSON, or JSON.parse will say so. */
export function laxity(bytes) {
  const names = [];
  let expectsName = false;
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = endOfString(bytes, at + 1);
      if (end < 0) return "a character that is refused, or no end of a string";
      if (expectsName) {
        const seen = names[names.length - 1];
        const name = nameOf(bytes, at, end);
        // Objects are small, and a short list is looked through sooner than a set is made.
        if (seen.includes(name)) return "the same member appears twice";
        if (seen.push(name) > MEMBERS) return "more members than any kind has";
        expectsName = false;
      }
      at = end + 1;
      continue;
    }
    if (byte === 0x7b || byte === 0x5b) {
      if (names.length === DEPTH) return "nested too deep";
      names.push(byte === 0x7b ? [] : undefined);
      expectsName = byte === 0x7b;
    } else if (byte === 0x7d || byte === 0x5d) {
      names.pop();
      expectsName = false;
    } else if (byte === 0x2c) {
      expectsName = names[names.length - 1] !== undefined;
    } else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      const end = endOfNumber(bytes, at);
      if (end < 0) return "a number that is not an exact integer";
      at = end;
      continue;
    }
    at += 1;
  }
  return undefined;
}

/** The names of our members have no escapes; one that has is decoded, so that no second spelling passes. */
function nameOf(bytes, start, end) {
  for (let at = start + 1; at < end; at += 1) {
    if (bytes[at] === BACKSLASH || bytes[at] >= 0x80) return JSON.parse(bytes.utf8Slice(start, end + 1));
  }
  return bytes.latin1Slice(start + 1, end);
}

function endOfString(bytes, from) {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
    else if (byte < 0x20 || byte === 0x7f) return -1;
    else if (byte >= 0x80) return endOfWideString(bytes, from);
  }
  return -1;
}

/** A string with characters beyond ASCII is looked at character by character. */
function endOfWideString(bytes, from) {
  let end = from;
  while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
  const refused = /[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ufffd]/u;
  return end < bytes.length && !refused.test(bytes.utf8Slice(from, end)) ? end : -1;
}

function endOfNumber(bytes, from) {
  let at = bytes[from] === 0x2d ? from + 1 : from;
  let value = 0;
  while (bytes[at] >= 0x30 && bytes[at] <= 0x39) {
    value = value * 10 + bytes[at] - 0x30;
    at += 1;
  }
  const goesOn = bytes[at] === 0x2e || bytes[at] === 0x65 || bytes[at] === 0x45;
  return goesOn || value > Number.MAX_SAFE_INTEGER ? -1 : at;
}
