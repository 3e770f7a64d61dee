// The listing as it would look, if there were one.

import { code, element, foreign, paragraph, picture, section, type Child } from "../dom.ts";
import type { Picture, ReportModel } from "./model.ts";

export function listing({ listing }: ReportModel): HTMLElement {
  const icon = picture(listing.icon.data, "");
  const facts: Child[] = [];
  const fact = (name: string, ...value: readonly Child[]): void => {
    facts.push(element("dt", "", name), element("dd", "", ...value));
  };
  fact("Package", code(listing.id));
  fact("Publisher", foreign(listing.publisher), ", declared and unverified");
  fact("Owner", foreign(listing.owner));
  fact("Visibility", listing.visibility);
  fact("Licence", code(listing.license));
  if (listing.categories.length > 0) fact("Categories", foreign(listing.categories.join(", ")));
  for (const address of listing.addresses) fact(address.what, code(address.url));
  const card = element(
    "div",
    "card",
    icon ?? placeholder(listing.icon),
    element("div", "", element("h3", "", foreign(listing.name)), paragraph("", foreign(listing.summary)), paragraph("fine", "by ", foreign(listing.publisher))),
  );
  const shots = listing.screenshots.map((shot) => {
    const image = picture(shot.data, shot.alt);
    return element("figure", "", image ?? placeholder(shot), element("figcaption", "", shot.alt === "" ? "No text for those who do not see it." : foreign(shot.alt)));
  });
  return section(
    "listing",
    "As it would be listed",
    card,
    ...(shots.length === 0 ? [paragraph("fine", "It has no screenshots.")] : [element("div", "shots", ...shots)]),
    ...(listing.moreScreenshots === 0 ? [] : [paragraph("fine", `${listing.moreScreenshots} more are named and not shown.`)]),
    element("dl", "facts", ...facts),
    paragraph("fine", "Addresses are text here, and lead nowhere: nobody checked where they go."),
  );
}

function placeholder(slot: Picture): HTMLElement {
  return element("div", "placeholder", code(slot.path), ` is not shown: ${slot.whyNot ?? "it is no picture"}.`);
}
