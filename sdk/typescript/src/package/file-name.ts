/** The name of a file in lowercase, as several rules ask for it. */

/** A path's parts. */
export interface FileName {
  /** The name without its folders. */
  readonly file: string;
  /** What follows the last dot of the name. */
  readonly extension: string | undefined;
  readonly folders: readonly string[];
}

/** The name of the file at a path. */
export function fileNameOf(path: string): FileName {
  const parts = path.toLowerCase().split("/");
  const file = parts.pop() ?? "";
  const dot = file.lastIndexOf(".");
  return { file, extension: dot < 0 ? undefined : file.slice(dot + 1), folders: parts };
}

/** Whether a name has one of these extensions. */
export function hasExtension({ extension }: FileName, extensions: readonly string[]): boolean {
  return extension !== undefined && extensions.includes(extension);
}

/** Whether one of the folders of a name is one of these. */
export function isIn(name: FileName, folders: readonly string[]): boolean {
  return name.folders.some((folder) => folders.includes(folder));
}
