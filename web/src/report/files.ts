// The files of the package, the largest first.

import { code, element, grouped, paragraph, prose, section, table, type Child } from "../dom.ts";
import type { FileRow, ReportModel } from "./model.ts";

const STATES: Readonly<Record<FileRow["onDisk"], readonly [string, string]>> = {
  "not-looked-at": ["", "not looked at"],
  same: ["good", "the same"],
  differs: ["bad", "differs"],
  missing: ["bad", "missing"],
};

const HEAD = ["File", "Bytes", "Share", "In the folder", "Digest"];

/** Files that are shown without being asked for. */
const AT_ONCE = 25;

export function files({ files }: ReportModel): HTMLElement {
  const most = largest(files.rows);
  const mostOfRest = largest(files.rest);
  const rows = files.rows.map((row): Child[] => {
    const [className, words] = STATES[row.onDisk];
    return [code(row.path), grouped(row.bytes), bar(row.bytes, most), element("span", className, words), code(`${row.digest}…`)];
  });
  const rest = files.rest.map((row): Child[] => [code(row.folder), grouped(row.files), grouped(row.bytes), bar(row.bytes, mostOfRest)]);
  const made = section(
    "files",
    `Files: ${grouped(files.count)} with ${grouped(files.bytes)} bytes`,
    paragraph("", prose(files.onDisk)),
    table("Files by size", HEAD, rows.slice(0, AT_ONCE), "sizes"),
  );
  if (rows.length > AT_ONCE) {
    const more = `The next ${rows.length - AT_ONCE} files by size`;
    made.append(element("details", "", element("summary", "", more), table(more, HEAD, rows.slice(AT_ONCE), "sizes")));
  }
  if (rest.length > 0) {
    made.append(element("h3", "", `The other ${grouped(files.count - files.rows.length)} files, by folder`), table("Other files by folder", ["Folder", "Files", "Bytes", "Share"], rest, "sizes folders"));
  }
  return made;
}

const largest = (rows: readonly { readonly bytes: number }[]): number => Math.max(1, ...rows.map((row) => row.bytes));

/** How large, beside the largest. The number stands next to it, so that nobody needs to see it. */
function bar(bytes: number, most: number): HTMLElement {
  const made = element("span", "bar");
  made.setAttribute("aria-hidden", "true");
  made.style.width = `${Math.max(0.4, (bytes / most) * 100)}%`;
  return made;
}
