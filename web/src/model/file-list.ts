// The files of a package, the largest first.

import type { FileEntry } from "../../../sdk/typescript/src/parts.ts";
import { compareBytes } from "../../../sdk/typescript/src/unicode.ts";
import type { FileList } from "../report/model.ts";
import type { Shown } from "./text.ts";

/** The most files that are listed one by one, and the most folders that the others are summed in. */
const MOST_FILES = 100;
const MOST_FOLDERS = 20;

type FolderRow = FileList["rest"][number];

export function fileList(files: readonly FileEntry[], shown: Shown): FileList {
  const ordered = [...files].sort((left, right) => right.size - left.size || compareBytes(left.path, right.path));
  const rows = ordered.slice(0, MOST_FILES).map(({ digest, path, size }) => ({
    bytes: size,
    digest: digest.slice("sha256:".length).slice(0, 12),
    onDisk: "not-looked-at" as const,
    path: shown(path),
  }));
  return {
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    count: files.length,
    onDisk: "Files were not looked at: the table is the bundle's word. `svc app report --package` compares them.",
    rest: folders(ordered.slice(MOST_FILES), shown),
    rows,
  };
}

/** Files summed by their first folder, those with the most bytes first; what has no room is one row more. */
function folders(files: readonly FileEntry[], shown: Shown): FolderRow[] {
  const sums = new Map<string, { files: number; bytes: number }>();
  for (const { path, size } of files) {
    const folder = path.includes("/") ? path.slice(0, path.indexOf("/")) : "";
    const sum = sums.get(folder) ?? { files: 0, bytes: 0 };
    sums.set(folder, { files: sum.files + 1, bytes: sum.bytes + size });
  }
  const rows = [...sums.keys()].sort(compareBytes).map((folder): FolderRow => {
    const { files, bytes } = sums.get(folder) ?? { files: 0, bytes: 0 };
    return { bytes, files, folder: folder === "" ? "(beside the manifest)" : `${shown(folder)}/` };
  });
  rows.sort((left, right) => right.bytes - left.bytes);
  const others = rows.splice(MOST_FOLDERS);
  if (others.length > 0) {
    const sum = (of: "bytes" | "files") => others.reduce((sum, row) => sum + row[of], 0);
    rows.push({ bytes: sum("bytes"), files: sum("files"), folder: "other folders" });
  }
  return rows;
}
