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

/** Names of a kind, in lowercase. */
export interface Names {
  readonly names?: readonly string[];
  readonly beginnings?: readonly string[];
  readonly ends?: readonly string[];
  readonly extensions?: readonly string[];
  readonly folders?: readonly string[];
}

/** Whether a name is of a kind. */
export function isNamed(name: FileName, { names, beginnings, ends, extensions, folders }: Names): boolean {
  const { file, extension } = name;
  return (
    names?.includes(file) === true ||
    beginnings?.some((beginning) => file.startsWith(beginning)) === true ||
    ends?.some((end) => file.endsWith(end)) === true ||
    (extension !== undefined && extensions?.includes(extension) === true) ||
    name.folders.some((folder) => folders?.includes(folder) === true)
  );
}
