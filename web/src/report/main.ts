// Puts the model of a report into elements. It decides nothing, asks for nothing and leads nowhere.

import { element, paragraph } from "../dom.ts";
import { banner, contents, header } from "./head.ts";
import type { ReportModel } from "./model.ts";
import { sections } from "./sections.ts";

function page(model: ReportModel): void {
  const parts = sections(model);
  const main = element("main", "", ...parts);
  main.id = "content";
  main.tabIndex = -1;
  const skip = element("a", "skip", "To the content");
  skip.href = "#content";
  document.body.append(skip, header(model, "h1"), banner(model), contents(parts), main, element("footer", "", paragraph("fine", `Made by ${model.madeBy}. The same bundle gives the same page.`)));
  // On a narrow page the marked place may lie outside of what is seen of its line.
  for (const mark of document.querySelectorAll("mark")) {
    const line = mark.closest(".scrolling");
    if (line !== null) line.scrollLeft = mark.offsetLeft - line.clientWidth / 3;
  }
  // What is folded away would be missing on paper.
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((details) => (details.open = true)));
}

page(JSON.parse(document.getElementById("report-data")?.textContent ?? "") as ReportModel);
