/** SHA-256 digests: `sha256:` and 64 lowercase hexadecimal digits, nothing else. */

import { canonicalizing } from "./canonical.js";
import type { Digest, PackageArtifact } from "./generated/artifacts.js";
import { hashing, sha256 } from "./sha256.js";
import { finish, type Steps } from "./steps.js";

const FORM = /^sha256:[0-9a-f]{64}$/;

/** The digest of some bytes. */
export function digestBytes(bytes: Uint8Array): Digest {
  return digestOf(sha256(bytes));
}

/** A hash as a digest. */
export function digestOf(hash: Uint8Array): Digest {
  return `sha256:${hex(hash)}`;
}

/** The digest of a JSON value's RFC 8785 form. */
export function digestJson(value: unknown): Digest {
  return finish(measuringJson(value)).digest;
}

/** The digest and the length of a JSON value's RFC 8785 form, in steps. */
export function* measuringJson(value: unknown): Steps<{ readonly digest: Digest; readonly size: number }> {
  const bytes = new TextEncoder().encode(yield* canonicalizing(value));
  return { digest: digestOf(yield* hashing(bytes)), size: bytes.length };
}

/** The digest of a package artifact: the manifest and the file table, and with them every byte of the package. */
export function digestPackageArtifact(packageArtifact: PackageArtifact): Digest {
  return digestJson(packageArtifact);
}

/** Whether a value is a digest. */
export function isDigest(value: unknown): value is Digest {
  return typeof value === "string" && FORM.test(value);
}

/** Whether two digests are one. It takes the same time wherever they differ. */
export function sameDigest(left: Digest, right: Digest): boolean {
  let difference = left.length ^ right.length;
  for (let at = 0; at < left.length; at += 1) difference |= left.charCodeAt(at) ^ right.charCodeAt(at % right.length);
  return difference === 0;
}

/** Bytes as lowercase hexadecimal digits. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
