/** F: the files of a package. */

import { ARTIFACTS } from "../generated/table.js";
import { collidingRows } from "../package/collisions.js";
import { rowNumberOf } from "../package/fact-table.js";
import { type FileName, isNamed } from "../package/file-name.js";
import { asciiLowercase } from "../unicode.js";
import { type Check, factsOf, type Found, foundFact, foundFacts, foundFile, foundIf, foundNames, hasFile, isOneOf, type Package } from "./package.js";

const OWN_FILES = ARTIFACTS.map(({ file }) => file);

/** The checks by the code of their rule, in order of code. */
export const FILE_CHECKS = {
  "SVC-F001": declaredFiles,
  "SVC-F003": collidingPaths,
  "SVC-F004": tooLarge,
  "SVC-F005": ({ rules, files = [] }) => foundIf(files.length > rules.parameters["SVC-F005"].files, "/files"),
  "SVC-F006": nativeProgram,
  "SVC-F007": (given) => foundNames(given, (name) => isNamed(name, given.rules.parameters["SVC-F007"])),
  "SVC-F008": secrets,
  "SVC-F009": (given) => foundNames(given, (name) => isNamed(name, given.rules.parameters["SVC-F009"])),
  "SVC-F010": ownOutput,
  "SVC-F011": noReadme,
  "SVC-F012": idlePattern,
  "SVC-F013": (given) => foundFacts(given, given.rules.parameters["SVC-F013"]),
  "SVC-F017": (given) => foundFacts(given, given.rules.parameters["SVC-F017"]),
  "SVC-F018": rendererIsPage,
  "SVC-F019": (given) => foundFacts(given, given.rules.parameters["SVC-F019"]),
  "SVC-F020": (given) => foundFacts(given, given.rules.parameters["SVC-F020"]),
  "SVC-F021": (given) => foundFacts(given, given.rules.parameters["SVC-F021"]),
  "SVC-F022": (given) => foundFacts(given, given.rules.parameters["SVC-F022"]),
  "SVC-F023": (given) => foundFacts(given, given.rules.parameters["SVC-F023"]),
} as const satisfies { readonly [code: string]: Check };

function declaredFiles(given: Package): Found[] {
  const { entry, icons, screenshots = [] } = given.manifest;
  const declared = [
    { pointer: "/entry/renderer", path: entry.renderer },
    ...icons.map(({ src }, at) => ({ pointer: `/icons/${at}/src`, path: src })),
    ...screenshots.map(({ src }, at) => ({ pointer: `/screenshots/${at}/src`, path: src })),
  ];
  return declared.filter(({ path }) => !hasFile(given, path)).map(({ pointer }) => ({ pointer }));
}

/** A text for an interpreter runs only where somebody lets it. */
function nativeProgram(given: Package): Found[] {
  const { facts, warned } = given.rules.parameters["SVC-F006"];
  return factsOf(given, facts).map((fact) => {
    const found = foundFact(given, fact);
    return isOneOf(fact.word, warned) ? { ...found, severity: "warning" } : found;
  });
}

function collidingPaths({ files = [] }: Package): Found[] {
  return collidingRows(files).map((row) => {
    const file = files[row];
    return file === undefined ? { pointer: "/files" } : { ...foundFile(file.path, row), cause: file.path };
  });
}

function tooLarge({ rules, files = [] }: Package): Found[] {
  const { "file-bytes": mostOfOne, "package-bytes": mostOfAll } = rules.parameters["SVC-F004"];
  const large = files.flatMap(({ path, size }, row) => (size > mostOfOne ? [{ ...foundFile(path, row), cause: `${size}` }] : []));
  const whole = files.reduce((bytes, { size }) => bytes + size, 0);
  return [...large, ...foundIf(whole > mostOfAll, "/files")];
}

function secrets(given: Package): Found[] {
  const known = given.rules.parameters["SVC-F008"];
  const isExample = ({ file }: FileName) => known["but-ends"].some((end) => file.endsWith(end));
  const named = foundNames(given, (name) => isNamed(name, known) && !isExample(name));
  return [...named, ...foundFacts(given, { facts: known.facts })];
}

function ownOutput(given: Package): Found[] {
  return foundNames(given, ({ file }) => isOneOf(file, OWN_FILES)).map((found) => ({ ...found, cause: `${found.file}` }));
}

function noReadme({ files = [] }: Package): Found[] {
  const isReadme = ({ path }: { readonly path: string }) => asciiLowercase(path.split(".")[0] ?? "") === "readme";
  return foundIf(!files.some(isReadme), "/files");
}

function idlePattern(given: Package): Found[] {
  // A row that the manifest does not have says nothing of this package.
  return factsOf(given, given.rules.parameters["SVC-F012"].facts).flatMap(({ subject }) => {
    const row = rowNumberOf(subject);
    if (row === undefined) return [{ pointer: "/files" }];
    return foundIf(row < given.manifest.files.length, `/files/${row}`);
  });
}

function rendererIsPage(given: Package): Found[] {
  const { renderer } = given.manifest.entry;
  const isPage = factsOf(given, given.rules.parameters["SVC-F018"].facts).some(({ file }) => file === renderer);
  return foundIf(hasFile(given, renderer) && !isPage, "/entry/renderer");
}
