/** F: the files of a package. */

import { PARAMETERS } from "../generated/parameters.js";
import { ARTIFACTS } from "../generated/table.js";
import { collidingRows } from "../package/collisions.js";
import { rowNumberOf } from "../package/fact-table.js";
import { hasExtension, isIn } from "../package/file-name.js";
import { asciiLowercase } from "../unicode.js";
import { type Check, factsOf, type Found, foundFacts, foundFile, foundIf, foundNames, hasFile, isOneOf, type Package } from "./package.js";

/** Extensions, beginnings, ends and folders that the rule set does not list. */
const JUNK_EXTENSIONS = ["orig", "rej", "swp", "bak", "tmp"];
const ARCHIVE_FOLDERS = ["__macosx"];
const SECRET_EXTENSIONS = ["pem", "key", "p12", "pfx", "jks"];
const DEV_EXTENSIONS = ["map"];
const SIGNATURE_EXTENSIONS = ["sig", "asc", "p7s", "minisig", "sigstore"];
const SIGNATURE_FOLDERS = ["meta-inf"];
const OWN_FILES = ARTIFACTS.map(({ file }) => file);

/** The checks by the code of their rule, in order of code. */
export const FILE_CHECKS = {
  "SVC-F001": declaredFiles,
  "SVC-F003": collidingPaths,
  "SVC-F004": tooLarge,
  "SVC-F005": ({ files = [] }) => foundIf(files.length > PARAMETERS["SVC-F005"].files, "/files"),
  "SVC-F006": (given) => foundFacts(given, PARAMETERS["SVC-F006"].facts),
  "SVC-F007": junk,
  "SVC-F008": secrets,
  "SVC-F009": devLeftovers,
  "SVC-F010": (given) => foundNames(given, ({ file }) => isOneOf(file, OWN_FILES)),
  "SVC-F011": noReadme,
  "SVC-F012": idlePattern,
  "SVC-F013": signatureMaterial,
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

function collidingPaths({ files = [] }: Package): Found[] {
  return collidingRows(files).map((row) => {
    const file = files[row];
    return file === undefined ? { pointer: "/files" } : foundFile(file.path, row);
  });
}

function tooLarge({ files = [] }: Package): Found[] {
  const { "file-bytes": mostOfOne, "package-bytes": mostOfAll } = PARAMETERS["SVC-F004"];
  const large = files.flatMap(({ path, size }, row) => (size > mostOfOne ? [foundFile(path, row)] : []));
  const whole = files.reduce((bytes, { size }) => bytes + size, 0);
  return [...large, ...foundIf(whole > mostOfAll, "/files")];
}

function junk(given: Package): Found[] {
  return foundNames(given, (name) => {
    const { file } = name;
    const isNamed = isOneOf(file, PARAMETERS["SVC-F007"].names) || file.startsWith("._") || file.endsWith("~");
    return isNamed || hasExtension(name, JUNK_EXTENSIONS) || isIn(name, ARCHIVE_FOLDERS);
  });
}

function secrets(given: Package): Found[] {
  const { facts, names } = PARAMETERS["SVC-F008"];
  const named = foundNames(given, (name) => {
    const { file } = name;
    return isOneOf(file, names) || file.startsWith(".env.") || hasExtension(name, SECRET_EXTENSIONS);
  });
  return [...named, ...foundFacts(given, facts)];
}

function devLeftovers(given: Package): Found[] {
  const { folders, names } = PARAMETERS["SVC-F009"];
  return foundNames(
    given,
    (name) => hasExtension(name, DEV_EXTENSIONS) || isOneOf(name.file, names) || isIn(name, folders),
  );
}

function noReadme({ files = [] }: Package): Found[] {
  const isReadme = ({ path }: { readonly path: string }) => asciiLowercase(path.split(".")[0] ?? "") === "readme";
  return foundIf(!files.some(isReadme), "/files");
}

function idlePattern(given: Package): Found[] {
  return factsOf(given, PARAMETERS["SVC-F012"].facts).map(({ subject }) => {
    const row = rowNumberOf(subject);
    return { pointer: row === undefined ? "/files" : `/files/${row}` };
  });
}

function signatureMaterial(given: Package): Found[] {
  return foundNames(given, (name) => {
    const isSignature = hasExtension(name, SIGNATURE_EXTENSIONS) || name.file.endsWith(".intoto.jsonl");
    return isSignature || isIn(name, SIGNATURE_FOLDERS);
  });
}
