// The files of the package, the largest first.

import { code, element, grouped, paragraph, section, table, type Child } from "../dom.ts";
import type { FileRow, ReportModel } from "./model.ts";

const STATES: Readonly<Record<FileRow["onDisk"], readonly [string, string]>> = {
  "not-looked-at": ["", "not looked at"],
  same: ["good", "the same"],
  differs: ["bad", "differs"],
  missing: ["bad", "missing"],
};

export function files({ files }: ReportModel): HTMLElement {
  const most = Math.max(1, ...files.rows.map((row) => row.bytes), ...files.rest.map((row) => row.bytes));
  const rows = files.rows.map((row): Child[] => {
    const [className, words] = STATES[row.onDisk];
    return [code(row.path), grouped(row.bytes), bar(row.bytes, most), element("span", className, words), code(`${row.digest}…`)];
  });
  const rest = files.rest.map((row): Child[] => [code(row.folder), grouped(row.files), grouped(row.bytes), bar(row.bytes, most)]);
  const made = section(
    "files",
    `Files: ${grouped(files.count)}, ${grouped(files.bytes)} bytes`,
    paragraph("", files.onDisk),
    table("Files by size", ["File", "Bytes", "", "In the folder", "Digest"], rows, "sizes"),
  );
  if (rest.length > 0) {
    made.append(element("h3", "", `The other ${grouped(files.count - files.rows.length)} files, by folder`), table("Other files by folder", ["Folder", "Files", "Bytes", ""], rest, "sizes"));
  }
  return made;
}

/** How large, beside the largest. The number stands next to it, so that nobody needs to see it. */
function bar(bytes: number, most: number): HTMLElement {
  const made = element("span", "bar");
  made.setAttribute("aria-hidden", "true");
  made.style.width = `${Math.max(0.4, (bytes / most) * 100)}%`;
  return made;
}
