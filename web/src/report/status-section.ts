// Where it stands: stages, gates, and what stands in the way.

import { code, element, paragraph, prose, section, table } from "../dom.ts";
import type { ReportModel, Stage } from "./model.ts";

const STATES: Readonly<Record<Stage["state"], string>> = {
  reached: "reached",
  "not-reached": "not reached",
  "out-of-reach": "out of reach",
};

export function statusSection({ standing }: ReportModel): HTMLElement {
  const gates = standing.gates.map((gate) => [
    code(gate.gate),
    element("span", gate.evidenced ? "good" : "bad", gate.word),
    gate.missing,
    gate.clearedBy,
  ]);
  return section(
    "standing",
    "Where it stands",
    paragraph("", `Reviewed ${standing.reviewed}.`),
    stageList(standing.stages),
    table("Gates", ["Gate", "Word", "What is missing", "Cleared by"], gates),
    paragraph("fine", "Package artifact ", code(standing.digest)),
  );
}

/** The stages in their order, the last one hatched. */
export function stageList(stages: readonly Stage[], words: Readonly<Record<Stage["state"], string>> = STATES): HTMLElement {
  const items = stages.map((stage) =>
    element("li", stage.state, element("strong", "", stage.label), element("span", "", stage.meaning), element("em", "", words[stage.state])),
  );
  return element("ol", "stages", ...items);
}

export function blockers({ standing }: ReportModel): HTMLElement {
  const rows = standing.blockers.map((blocker) => [
    code(blocker.code),
    element("span", blocker.owner === "author" ? "bad" : "", blocker.owner),
    prose(blocker.what),
    prose(blocker.remedy),
    blocker.blocks,
  ]);
  return section("blockers", "What stands in the way", table("Blockers", ["Blocker", "Cleared by", "What", "The way out", "Blocks"], rows));
}
