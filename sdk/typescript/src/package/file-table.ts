/** The file table: which files a package has. */

import type { FileEntry } from "../parts.js";
import { compareBytes } from "../unicode.js";

/** The row of a file. The table is sorted unless it is at fault; then the first row of the path is told. */
export function rowOf(files: readonly FileEntry[], path: string): number | undefined {
  const row = sortedRowOf(files, path);
  return files[row]?.path === path ? row : firstRows(files).get(path);
}

/** The last row of a sorted table that does not come behind the path: where it stands, when it is there. */
function sortedRowOf(files: readonly FileEntry[], path: string): number {
  let base = 0;
  for (let size = files.length; size > 1; ) {
    const half = size >> 1;
    if (compareBytes(files[base + half]?.path ?? "", path) <= 0) base += half;
    size -= half;
  }
  return base;
}

/** Made once for a table: whoever asks for many files that are not there must not go over it every time. */
const FIRST_ROWS = new WeakMap<readonly FileEntry[], ReadonlyMap<string, number>>();

function firstRows(files: readonly FileEntry[]): ReadonlyMap<string, number> {
  const made = FIRST_ROWS.get(files);
  if (made !== undefined) return made;
  const rows = new Map<string, number>();
  files.forEach(({ path }, row) => rows.has(path) || rows.set(path, row));
  FIRST_ROWS.set(files, rows);
  return rows;
}
