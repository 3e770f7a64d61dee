/** L: how a package shows itself. */

import { pixelsOf } from "../package/fact-table.js";
import type { Manifest } from "../parts.js";
import { asciiLowercase } from "../unicode.js";
import { hasClaim, ownNamesOf, type TextUse } from "./claims.js";
import { type Check, factsOf, type Found, foundFacts, foundIf, hasFile, type Package } from "./package.js";

/** The checks by the code of their rule, in order of code. */
export const LISTING_CHECKS = {
  "SVC-L001": iconPicture,
  "SVC-L003": smallIcon,
  "SVC-L004": svgIcon,
  "SVC-L006": screenshots,
  "SVC-L008": defaultLocale,
  "SVC-L009": claimsStanding,
  "SVC-L010": (given) => foundFacts(given, given.rules.parameters["SVC-L010"]),
  "SVC-L011": (given) => foundFacts(given, given.rules.parameters["SVC-L011"]),
} as const satisfies { readonly [code: string]: Check };

/** An icon of the package, with the size that its bytes told, should it be a PNG. */
interface Icon {
  readonly place: string;
  readonly declared: string;
  readonly pixels: ReturnType<typeof pixelsOf>;
}

/** The icons that are in the package and no SVG, which have a rule of their own. */
function iconsOf(given: Package): Icon[] {
  const subjects = new Map<string | undefined, string | undefined>();
  for (const { file, subject, word } of factsOf(given, given.rules.parameters["SVC-L001"].facts)) {
    if (word === "png" && !subjects.has(file)) subjects.set(file, subject);
  }
  return given.manifest.icons.flatMap(({ src, sizes }, at) => {
    if (isSvg(src) || !hasFile(given, src)) return [];
    return [{ place: `/icons/${at}`, declared: sizes, pixels: pixelsOf(subjects.get(src)) }];
  });
}

function iconPicture(given: Package): Found[] {
  const wrong = iconsOf(given).flatMap(({ place, declared, pixels }) => {
    if (pixels === undefined || pixels.width !== pixels.height) return [{ pointer: `${place}/src` }];
    return foundIf(declared !== `${pixels.width}x${pixels.height}`, `${place}/sizes`);
  });
  return [...foundIf(given.manifest.icons.length === 0, "/icons"), ...wrong];
}

function smallIcon(given: Package): Found[] {
  const widths = iconsOf(given).flatMap(({ place, pixels }) => (pixels === undefined ? [] : [{ place, width: pixels.width }]));
  const most = Math.max(...widths.map(({ width }) => width));
  const largest = widths.filter(({ width }) => width === most && width < given.rules.parameters["SVC-L003"].pixels).slice(0, 1);
  return largest.map(({ place }) => ({ pointer: `${place}/src` }));
}

function svgIcon({ manifest }: Package): Found[] {
  return manifest.icons.flatMap(({ src }, at) => foundIf(isSvg(src), `/icons/${at}/src`));
}

function isSvg(path: string): boolean {
  return asciiLowercase(path).endsWith(".svg");
}

function screenshots({ manifest: { screenshots = [] } }: Package): Found[] {
  const undescribed = screenshots.flatMap(({ alt }, at) => foundIf(alt === undefined, `/screenshots/${at}/alt`));
  return [...foundIf(screenshots.length === 0, "/screenshots"), ...undescribed];
}

function defaultLocale(given: Package): Found[] {
  const { locales } = given.manifest;
  const isMissing = locales !== undefined && !hasFile(given, `${locales.dir}/${locales.default}.json`);
  return foundIf(isMissing, "/locales/default");
}

function claimsStanding({ rules, manifest }: Package): Found[] {
  const own = ownNamesOf(manifest);
  const claims = textsOf(manifest).filter(({ text, use }) => text !== undefined && hasClaim(rules.parameters["SVC-L009"], text, use, own));
  return claims.map(({ pointer }) => ({ pointer }));
}

interface ShownText {
  readonly pointer: string;
  readonly text: string | undefined;
  readonly use: TextUse;
}

/** The strings of a manifest that people will see. */
function textsOf(manifest: Manifest): ShownText[] {
  const { configuration = [], contributes: { commands = [], views = [] } = {}, keywords = [], screenshots = [] } = manifest;
  const name = (pointer: string, text: string | undefined): ShownText => ({ pointer, text, use: "name" });
  const prose = (pointer: string, text: string | undefined): ShownText => ({ pointer, text, use: "prose" });
  const title = (pointer: string, text: string | undefined): ShownText => ({ pointer, text, use: "title" });
  return [
    name("/name", manifest.name),
    name("/shortName", manifest.shortName),
    name("/publisher/name", manifest.publisher.name),
    prose("/summary", manifest.summary),
    prose("/description", manifest.description),
    prose("/network/purpose", manifest.network.purpose),
    ...keywords.map((keyword, at) => prose(`/keywords/${at}`, keyword)),
    ...manifest.permissions.map(({ purpose }, at) => prose(`/permissions/${at}/purpose`, purpose)),
    ...configuration.flatMap((setting, at) => [
      title(`/configuration/${at}/title`, setting.title),
      title(`/configuration/${at}/default`, setting.default),
      ...(setting.choices ?? []).map((choice, place) => title(`/configuration/${at}/choices/${place}`, choice)),
    ]),
    ...commands.map((command, at) => title(`/contributes/commands/${at}/title`, command.title)),
    ...views.map((view, at) => title(`/contributes/views/${at}/title`, view.title)),
    ...screenshots.map(({ alt }, at) => title(`/screenshots/${at}/alt`, alt)),
  ];
}
