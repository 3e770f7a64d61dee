// The sections of a report in their order.

import { element, prose, section, type Child } from "../dom.ts";
import { chain } from "./chain.ts";
import { difference } from "./difference.ts";
import { files } from "./files.ts";
import { findings } from "./findings.ts";
import { listing } from "./listing.ts";
import type { Finding, ReportModel } from "./model.ts";
import { blockers, statusSection } from "./status-section.ts";
import { uses } from "./uses.ts";

/** The sections; `explain` adds to each finding what a page knows beside the model. */
export function sections(model: ReportModel, explain: (finding: Finding) => readonly Child[] = () => []): HTMLElement[] {
  const notLookedAt = section("not-looked-at", "What was not looked at", element("ul", "", ...model.notLookedAt.map((text) => element("li", "", prose(text)))));
  return [statusSection(model), uses(model), ...difference(model), findings(model, explain), blockers(model), listing(model), files(model), chain(model), notLookedAt];
}
