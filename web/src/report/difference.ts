// What changed since another bundle.

import { code, element, foreign, paragraph, section, type Child } from "../dom.ts";
import type { Change, ReportModel } from "./model.ts";

const SIGNS: Readonly<Record<Change["how"], string>> = { added: "+", removed: "−", changed: "~" };

export function difference({ difference }: ReportModel): HTMLElement[] {
  if (difference === undefined) return [];
  const made = section("difference", `What changed since ${difference.since}`);
  if (difference.otherPackage) made.append(paragraph("bad", "That is another package."));
  if (difference.changes.length === 0) made.append(paragraph("", "Nothing that a bundle tells."));
  made.append(element("ul", "list", ...difference.changes.map(item)));
  if (difference.leftOut !== undefined) made.append(paragraph("fine", difference.leftOut));
  return [made];
}

function item(change: Change): HTMLElement {
  const sign = element("span", "sign", SIGNS[change.how]);
  sign.setAttribute("aria-hidden", "true");
  const detail: Child[] = [];
  if (change.was !== undefined) detail.push(paragraph("fine", "was ", foreign(change.was)));
  if (change.now !== undefined) detail.push(paragraph("fine", change.was === undefined ? "" : "now ", foreign(change.now)));
  return element("li", "", paragraph("", sign, ` ${change.how} ${change.what} `, code(change.name)), ...detail);
}
