// The listing as it would look. No file of the package is at hand, so no picture is.

import type { Submission } from "../../../sdk/typescript/src/generated/artifacts.ts";
import type { Listing, Picture } from "../report/model.ts";
import type { Shown } from "./text.ts";

/** The most screenshots and categories; the rules warn of more, or block them. */
const MOST_SCREENSHOTS = 6;
const MOST_CATEGORIES = 10;

export function listing({ owner, packageArtifact: { manifest }, visibility }: Submission, shown: Shown): Listing {
  const { categories = [], icons, publisher, screenshots = [] } = manifest;
  const slot = (path: string, alt: string): Picture => ({ alt: shown(alt), path: shown(path), whyNot: "files were not looked at" });
  const named = (id: string, name: string): string => (name === "" ? shown(id) : `${shown(name)} (${shown(id)})`);
  const addresses: readonly (readonly [string, string | undefined])[] = [
    ["publisher's page", publisher.url],
    ["source", manifest.repository?.url],
    ["support", manifest.support?.url],
    ["privacy policy", manifest.privacyPolicy],
  ];
  return {
    addresses: addresses.flatMap(([what, url]) => (url === undefined ? [] : [{ url: shown(url), what }])),
    categories: categories.slice(0, MOST_CATEGORIES).map(shown),
    icon: slot(icons[0]?.src ?? "", ""),
    id: shown(manifest.id),
    license: shown(manifest.license),
    moreScreenshots: Math.max(0, screenshots.length - MOST_SCREENSHOTS),
    name: shown(manifest.name),
    owner: named(owner.id, owner.name),
    publisher: named(publisher.id, publisher.name ?? ""),
    screenshots: screenshots.slice(0, MOST_SCREENSHOTS).map(({ src, alt = "" }) => slot(src, alt)),
    summary: shown(manifest.summary),
    version: shown(manifest.version),
    visibility,
  };
}
