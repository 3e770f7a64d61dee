/** Names that meet on some file system. */

import type { FileEntry } from "../parts.js";
import { MANIFEST_FILE } from "./manifest-file.js";

/** The rows of a table whose path meets an earlier one; the number of all rows stands for the manifest. */
export function collidingRows(files: readonly FileEntry[]): number[] {
  const paths = [...files.map((file) => file.path), MANIFEST_FILE];
  const seen = new Map<string, Seen>();
  return [...paths.keys()].filter((row) => meets(paths[row] ?? "", paths[row - 1] ?? "", seen));
}

/** The key under which two names meet on some file system: composed, case-folded. */
export function collisionKey(text: string): string {
  // Lower-casing the upper-cased text folds what plain lower-casing keeps apart (ß, final sigma).
  const upper = Array.from(text.normalize("NFD"), (character) => character.toUpperCase()).join("");
  return Array.from(upper, (character) => character.toLowerCase()).join("").normalize("NFC");
}

interface Seen {
  readonly part: string;
  readonly isFolder: boolean;
}

/**
 * Folders meet too: `Assets/a` and `assets/b` become one folder, and `a` cannot be a file beside `a/b`. Folding keeps
 * slashes, so both spellings have the same parts. The folders that the path before it has brought are known already.
 */
function meets(path: string, previous: string, seen: Map<string, Seen>): boolean {
  const keys = partsOf(collisionKey(path));
  const known = sharedFolders(previous, path);
  for (const [at, part] of partsOf(path).entries()) {
    if (part.length < known) continue;
    const key = keys[at] ?? "";
    const isFolder = part.length < path.length;
    const taken = seen.get(key);
    if (taken === undefined) seen.set(key, { part, isFolder });
    else if (taken.part !== part || !taken.isFolder || !isFolder) return true;
  }
  return false;
}

/** Every folder above a path, and the path itself. */
function partsOf(path: string): string[] {
  const parts: string[] = [];
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) parts.push(path.slice(0, at));
  return [...parts, path];
}

/** How much of a path are folders that the path before it has too. */
function sharedFolders(previous: string, path: string): number {
  let same = 0;
  while (same < path.length && previous[same] === path[same]) same += 1;
  return path.slice(0, same).lastIndexOf("/") + 1;
}
