/** L: how a package shows itself. */

import { PARAMETERS } from "../generated/parameters.js";
import { pixelsOf } from "../package/fact-table.js";
import { asciiLowercase } from "../unicode.js";
import { type Check, factsOf, type Found, foundFacts, foundIf, hasFile, isOneOf, type Package } from "./package.js";
import { wordsOf } from "./words.js";

/** The checks by the code of their rule, in order of code. */
export const LISTING_CHECKS = {
  "SVC-L001": iconPicture,
  "SVC-L003": smallIcon,
  "SVC-L004": svgIcon,
  "SVC-L006": screenshots,
  "SVC-L008": defaultLocale,
  "SVC-L009": claimsStanding,
  "SVC-L010": (given) => foundFacts(given, PARAMETERS["SVC-L010"].facts),
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
  for (const { file, subject } of factsOf(given, PARAMETERS["SVC-L001"].facts)) {
    if (!subjects.has(file)) subjects.set(file, subject);
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
  const isSmall = ({ pixels }: Icon) => pixels !== undefined && pixels.width < PARAMETERS["SVC-L003"].pixels;
  return iconsOf(given).filter(isSmall).map(({ place }) => ({ pointer: `${place}/src` }));
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

function claimsStanding({ manifest }: Package): Found[] {
  const { name, shortName, summary, description, publisher } = manifest;
  const texts = {
    "/name": name,
    "/shortName": shortName,
    "/summary": summary,
    "/description": description,
    "/publisher/name": publisher.name,
  };
  return Object.entries(texts).flatMap(([pointer, text = ""]) =>
    foundIf(wordsOf(text).some((word) => isOneOf(word, PARAMETERS["SVC-L009"].words)), pointer),
  );
}
