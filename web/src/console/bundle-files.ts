// Bundles as somebody chooses or drops them: the seven files by name, a folder each. Nothing else is read, and nothing that
// could be meant is left out in silence.

import { ARTIFACTS } from "../../../sdk/typescript/src/generated/table.ts";
import type { BundleFile, BundleFiles } from "../../../sdk/typescript/src/bundle.ts";
import { grouped } from "../dom.ts";
import { plain } from "../model/text.ts";
import { Failure } from "./failure.ts";

/** The files of one folder that belong to a bundle. */
export interface GivenBundle {
  /** The name of the folder, as it is shown. */
  readonly name: string;
  readonly files: BundleFiles;
}

/** A file and the folder that it is in. */
interface Found {
  /** Which of the things that were dropped it came with: two folders may have one name. */
  readonly root: number;
  readonly folder: string;
  readonly file: File;
}

/** How deep and how many: a bundle lies flat in its folder. */
const MOST_DEPTH = 4;
const MOST_ENTRIES = 2_000;

/** The bundles among files of a field. */
export function chosen(files: FileList): Promise<GivenBundle[]> {
  return bundlesIn(Array.from(files, (file) => ({ root: 0, folder: file.webkitRelativePath.split("/").slice(0, -1).join("/"), file })));
}

/** The bundles among what was dropped. */
export async function dropped(transfer: DataTransfer): Promise<GivenBundle[]> {
  // The list is empty as soon as anything is waited for.
  const entries = Array.from(transfer.items, (item) => (item.kind === "file" ? item.webkitGetAsEntry() : null)).filter((entry) => entry !== null);
  // Where a browser tells no folders, files lie flat.
  if (entries.length === 0) return chosen(transfer.files);
  const found: Found[] = [];
  for (const [at, entry] of entries.entries()) await walk(entry, { root: entry.isFile ? 0 : at + 1, folder: "" }, 0, found);
  return bundlesIn(found);
}

async function walk(entry: FileSystemEntry, at: Omit<Found, "file">, depth: number, found: Found[]): Promise<void> {
  if (depth > MOST_DEPTH) return;
  if (entry.isFile) {
    if (isBundleFile(entry.name)) found.push({ ...at, file: await readable(entry.name, new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed))) });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const folder = at.folder === "" ? entry.name : `${at.folder}/${entry.name}`;
  for (let read = 0; ; ) {
    const batch = await readable(folder, new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed)));
    if (batch.length === 0) return;
    read += batch.length;
    if (read > MOST_ENTRIES || found.length > MOST_ENTRIES) throw new Failure(`\`${plain(folder)}\` holds more than ${grouped(MOST_ENTRIES)} files. Give the folder of the bundle itself.`);
    for (const child of batch) await walk(child, { ...at, folder }, depth + 1, found);
  }
}

const isBundleFile = (name: string): name is BundleFile => ARTIFACTS.some(({ file }) => file === name);

async function bundlesIn(found: readonly Found[]): Promise<GivenBundle[]> {
  const folders = new Map<string, Map<BundleFile, File>>();
  for (const { root, folder, file } of found) {
    const { name } = file;
    if (!isBundleFile(name)) continue;
    const place = `${root} ${folder}`;
    const files = folders.get(place) ?? new Map<BundleFile, File>();
    const other = files.get(name);
    if (other !== undefined) throw new Failure(`Two of the files are called \`${name}\`: ${described(other)}, and ${described(file)}. A bundle has one of each; give it as a folder.`);
    files.set(name, file);
    folders.set(place, files);
  }
  const bundles: GivenBundle[] = [];
  for (const [place, files] of folders) {
    const folder = place.slice(place.indexOf(" ") + 1);
    const read: { [file in BundleFile]?: Uint8Array } = {};
    for (const [name, file] of files) read[name] = await bytesOf(file, name);
    bundles.push({ name: folder === "" ? "the files that you chose" : plain(folder), files: read });
  }
  return bundles;
}

/** What tells a file from another of its name, where a browser keeps the folder to itself. */
const described = ({ lastModified, size }: File): string => `one of ${grouped(size)} bytes, changed ${new Date(lastModified).toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** The bytes of a file, and no more than it takes to see that it is too large. */
async function bytesOf(file: File, name: BundleFile): Promise<Uint8Array> {
  const most = ARTIFACTS.find((row) => row.file === name)?.mostBytes ?? 0;
  // A file that may not be read can look like an empty one, and a part of nothing is never refused: so all of it is asked for.
  const part = file.size === 0 ? file : file.slice(0, most + 1);
  return new Uint8Array(await readable(name, part.arrayBuffer()));
}

/** What came of reading, or that it could not be read: that says nothing of what it holds. */
async function readable<T>(name: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch {
    throw new Failure(`\`${plain(name)}\` could not be read: it was moved or changed meanwhile, or this browser may not read it.`);
  }
}
