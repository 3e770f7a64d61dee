// What the rules found, with source lines.

import { code, element, paragraph, prose, scrolling, section, type Child } from "../dom.ts";
import type { Finding, ReportModel } from "./model.ts";

const CLASSES: Readonly<Record<Finding["severity"], string>> = { error: "bad", blocker: "bad", warning: "doubt", note: "" };

export function findings({ findings }: ReportModel, explain: (finding: Finding) => readonly Child[]): HTMLElement {
  const notes = [findings.leftOut, findings.lines].filter((text) => text !== undefined);
  return section(
    "findings",
    `Findings: ${findings.counts}`,
    ...(findings.total === 0 ? [paragraph("", "The rules found nothing. That is no decision about the package.")] : [element("ul", "list", ...findings.rows.map((finding) => item(finding, explain(finding))))]),
    ...notes.map((text) => paragraph("fine", text)),
  );
}

function item(finding: Finding, explained: readonly Child[]): HTMLElement {
  const made = element(
    "li",
    "",
    paragraph("", element("strong", CLASSES[finding.severity], finding.severity), " ", code(finding.code), " ", prose(finding.message)),
    paragraph("fine", "at ", code(finding.place)),
  );
  if (finding.excerpt !== undefined) {
    const { line, before, marked, after } = finding.excerpt;
    const number = element("span", "line", `${line} | `);
    made.append(scrolling(`Source at ${finding.place}`, element("pre", "", number, before, element("mark", "", marked), after)));
  }
  // An explanation says the way out itself.
  made.append(...(explained.length === 0 ? [paragraph("fine", prose(finding.help))] : explained));
  return made;
}
