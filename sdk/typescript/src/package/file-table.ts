/** The file table: which files a package has. */

import type { FileEntry } from "../parts.js";
import { compareBytes } from "../unicode.js";

/** The first row of a table that does not come behind the one before it. */
export function firstUnsorted(files: readonly FileEntry[]): number | undefined {
  const row = files.findIndex(({ path }, at) => at > 0 && compareBytes(files[at - 1]?.path ?? "", path) >= 0);
  return row < 0 ? undefined : row;
}

/** The row of a file in a sorted table. */
export function rowOf(files: readonly FileEntry[], path: string): number | undefined {
  let base = 0;
  for (let size = files.length; size > 1; ) {
    const half = size >> 1;
    if (compareBytes(files[base + half]?.path ?? "", path) <= 0) base += half;
    size -= half;
  }
  return files[base]?.path === path ? base : undefined;
}
