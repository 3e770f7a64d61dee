// What the package asks for beside what its code was seen to do.

import { code, element, foreign, paragraph, prose, section, table, type Child } from "../dom.ts";
import type { ReportModel, Use } from "./model.ts";

const CLASSES: Readonly<Record<Use["standing"], string>> = {
  declared: "good",
  "used-not-declared": "bad",
  "declared-not-used": "doubt",
  "declared-not-visible": "good",
  computed: "doubt",
};

const RISKS: Readonly<Record<string, string>> = { low: "good", medium: "doubt", high: "bad" };

/** The words of both columns in one, where those of the model tell of one alone. */
const BOTH: Readonly<Partial<Record<Use["standing"], string>>> = { declared: "declared and used", "declared-not-visible": "declared, use not visible" };

const useStatus = (use: Use): Child => element("span", CLASSES[use.standing], BOTH[use.standing] ?? use.words);

export function uses({ uses }: ReportModel): HTMLElement {
  const permissions = uses.permissions.map((use) => [
    code(use.name),
    use.risk === undefined ? element("span", "bad", "not rated") : element("span", RISKS[use.risk] ?? "", use.risk),
    useStatus(use),
    use.purpose === undefined ? "none given" : foreign(use.purpose),
    foreign(use.usedBy),
  ]);
  const origins = uses.origins.map((use) => [code(use.name), useStatus(use), foreign(use.usedBy)]);
  const collects = uses.data.map((word) => element("li", "", code(word)));
  return section(
    "uses",
    "What it asks for, and what its code does",
    element("h3", "", "Permissions"),
    permissions.length === 0
      ? paragraph("", "It asks for none, and none was seen in use.")
      : table("Permissions", ["Permission", "Risk", "Declared and used", "Purpose, as declared", "Used by"], permissions),
    element("h3", "", "Hosts"),
    origins.length === 0 ? paragraph("", "It names none, and none was seen in its code.") : table("Hosts", ["Host", "Declared and used", "Used by"], origins),
    ...(uses.networkPurpose === undefined ? [] : [paragraph("", "Purpose, as declared: ", foreign(uses.networkPurpose))]),
    ...(uses.leftOut === undefined ? [] : [paragraph("", prose(uses.leftOut))]),
    element("h3", "", "Data that it says it collects"),
    element("ul", "words", ...collects),
    element("h3", "", "Policy of its page"),
    paragraph("", uses.policy.includes("`") ? prose(uses.policy) : code(uses.policy)),
    ...(uses.incomplete ? [paragraph("bad", "Some code was not read, so more may be used than stands here.")] : []),
  );
}
