// Puts the model of a report into elements. It decides nothing, asks for nothing and leads nowhere.

import { element, paragraph, prose, section } from "../dom.ts";
import { chain } from "./chain.ts";
import { difference } from "./difference.ts";
import { files } from "./files.ts";
import { findings } from "./findings.ts";
import { banner, contents, header } from "./head.ts";
import { listing } from "./listing.ts";
import type { ReportModel } from "./model.ts";
import { blockers, standing } from "./standing.ts";
import { uses } from "./uses.ts";

function page(model: ReportModel): void {
  const notLookedAt = section("not-looked-at", "What was not looked at", element("ul", "", ...model.notLookedAt.map((text) => element("li", "", prose(text)))));
  const sections = [
    standing(model),
    uses(model),
    ...difference(model),
    findings(model),
    blockers(model),
    listing(model),
    files(model),
    chain(model),
    notLookedAt,
  ];
  const main = element("main", "", ...sections);
  main.id = "content";
  main.tabIndex = -1;
  const skip = element("a", "skip", "To the content");
  skip.href = "#content";
  document.body.append(skip, header(model), banner(model), contents(sections), main, element("footer", "", paragraph("fine", `Made by ${model.madeBy}. The same bundle gives the same page.`)));
  // On a narrow page the marked place may lie outside of what is seen of its line.
  for (const mark of document.querySelectorAll("mark")) {
    const line = mark.closest(".scrolling");
    if (line !== null) line.scrollLeft = mark.offsetLeft - line.clientWidth / 3;
  }
  // What is folded away would be missing on paper.
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((details) => (details.open = true)));
}

page(JSON.parse(document.getElementById("report-data")?.textContent ?? "") as ReportModel);
