// Bundles as somebody chooses or drops them: the seven files by name, a folder each. Nothing else is read.

import { ARTIFACTS } from "../../../sdk/typescript/src/generated/table.ts";
import type { BundleFile, BundleFiles } from "../../../sdk/typescript/src/bundle.ts";
import { plain } from "../model/text.ts";

/** The files of one folder that belong to a bundle. */
export interface GivenBundle {
  /** The name of the folder, as it is shown. */
  readonly name: string;
  readonly files: BundleFiles;
}

/** A file and the folder that it is in. */
interface Found {
  readonly folder: string;
  readonly file: File;
}

/** How deep and how many: a bundle lies flat in its folder. */
const MOST_DEPTH = 4;
const MOST_ENTRIES = 2_000;

/** The bundles among files of a field. */
export function chosen(files: FileList): Promise<GivenBundle[]> {
  return bundlesIn(Array.from(files, (file) => ({ folder: file.webkitRelativePath.split("/").slice(0, -1).join("/"), file })));
}

/** The bundles among what was dropped. */
export async function dropped(transfer: DataTransfer): Promise<GivenBundle[]> {
  // The list is empty as soon as anything is waited for.
  const entries = Array.from(transfer.items, (item) => (item.kind === "file" ? item.webkitGetAsEntry() : null)).filter((entry) => entry !== null);
  // Where a browser tells no folders, files lie flat.
  if (entries.length === 0) return chosen(transfer.files);
  const found: Found[] = [];
  for (const entry of entries) await walk(entry, "", 0, found);
  return bundlesIn(found);
}

async function walk(entry: FileSystemEntry, folder: string, depth: number, found: Found[]): Promise<void> {
  if (found.length >= MOST_ENTRIES || depth > MOST_DEPTH) return;
  if (entry.isFile) {
    if (isBundleFile(entry.name)) found.push({ folder, file: await new Promise((done, failed) => (entry as FileSystemFileEntry).file(done, failed)) });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const own = folder === "" ? entry.name : `${folder}/${entry.name}`;
  for (let read = 0; read < MOST_ENTRIES; ) {
    const batch = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (batch.length === 0) return;
    for (const child of batch) await walk(child, own, depth + 1, found);
    read += batch.length;
  }
}

const isBundleFile = (name: string): name is BundleFile => ARTIFACTS.some(({ file }) => file === name);

async function bundlesIn(found: readonly Found[]): Promise<GivenBundle[]> {
  const folders = new Map<string, Map<BundleFile, Uint8Array>>();
  for (const { folder, file } of found) {
    const { name } = file;
    if (!isBundleFile(name)) continue;
    const files = folders.get(folder) ?? new Map<BundleFile, Uint8Array>();
    files.set(name, await bytesOf(file, name));
    folders.set(folder, files);
  }
  return [...folders].map(([folder, files]) => ({ name: folder === "" ? "the files that you chose" : plain(folder), files: Object.fromEntries(files) }));
}

/** The bytes of a file, and no more than it takes to see that it is too large. */
async function bytesOf(file: File, name: BundleFile): Promise<Uint8Array> {
  const most = ARTIFACTS.find((row) => row.file === name)?.mostBytes ?? 0;
  return new Uint8Array(await file.slice(0, most + 1).arrayBuffer());
}
