// The top of the page: whose package it is, and that nothing is open.

import { element, foreign, paragraph, picture, prose } from "../dom.ts";
import type { ReportModel } from "./model.ts";

/** The one line that stands on top of every page. */
export function banner({ files, standing }: ReportModel): HTMLElement {
  const missing = standing.gates.filter((gate) => !gate.evidenced).map((gate) => gate.gate);
  const made = element(
    "aside",
    "banner",
    paragraph("", element("strong", "", "Closed: "), "accepted no, signed no, installable no."),
    paragraph("", `Missing gates: ${missing.join(", ")}. This page is evidence and no decision.`),
    paragraph("", prose(files.onDisk)),
  );
  made.setAttribute("aria-label", "Outcome");
  return made;
}

export function header({ listing, standing }: ReportModel, level: "h1" | "h2"): HTMLElement {
  const icon = picture(listing.icon.data, "");
  return element(
    "header",
    "head",
    ...(icon === undefined ? [] : [icon]),
    element(
      "div",
      "",
      element(level, "", foreign(listing.name), " ", element("span", "version", foreign(listing.version))),
      paragraph("summary", foreign(listing.summary)),
      paragraph("by", element("code", "", foreign(listing.id)), " by ", foreign(listing.publisher), " ", element("strong", "bad", "declared, unverified")),
      paragraph("by", "Stage: ", element("strong", "", standing.stage), `. Next would be: ${standing.next}. Review: ${standing.review}.`),
      paragraph("by", `Reviewed ${standing.reviewed}.`),
    ),
  );
}

/** The sections, for those who come for one of them. */
export function contents(sections: readonly HTMLElement[]): HTMLElement {
  const links = sections.map((section) => {
    const link = element("a", "", section.querySelector("h2")?.textContent ?? section.id);
    link.href = `#${section.id}`;
    return element("li", "", link);
  });
  const made = element("nav", "contents", element("ul", "", ...links));
  made.setAttribute("aria-label", "Sections");
  return made;
}
