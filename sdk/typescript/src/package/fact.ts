/**
 * Facts: what the bytes of a package tell, as the machine that packed it read them.
 *
 * They stand in the report, one row for each kind, word, subject and file. They are the author's word until somebody reads
 * the package.
 */

import type { Fact, FileEntry, Manifest, PackageArtifact, Place } from "../parts.js";
import { canonicalize } from "../canonical.js";
import { LIMITS } from "../generated/limits.js";
import { utf8Length } from "../unicode.js";
import { known, rowNumberOf } from "./fact-table.js";
import { compareLists } from "./order.js";
import { rowOf } from "./file-table.js";

/**
 * Whether a list of facts is one that reading these files can have given, by whatever rules: sorted, each row once, about
 * files of the table, and no longer than a report holds.
 */
export function areSound(facts: readonly Fact[], files: readonly FileEntry[]): boolean {
  const sorted = facts.every((fact, at) => at === 0 || compareLists(keyOf(facts[at - 1] as Fact), keyOf(fact)) < 0);
  return sorted && facts.every((fact) => isSound(fact, files)) && fit(facts);
}

/** Whether the reader of this version can have told these facts of this package. */
export function areOurs(facts: readonly Fact[], { manifest }: PackageArtifact): boolean {
  // An icon is one picture of one size.
  const icons = new Set<string | undefined>(manifest.icons.map(({ src }) => src));
  return facts.every((fact) => {
    if (known(fact) === undefined) return false;
    if (fact.subject === undefined) return true;
    if (fact.kind === "pattern") return isRowOf(manifest, fact.subject);
    return fact.kind !== "image" || icons.delete(fact.file);
  });
}

/** Whether a place can be one: lines and columns are counted from one. */
export function isPlace({ line, column }: Place): boolean {
  return line > 0 && column > 0;
}

function isRowOf({ files }: Manifest, subject: string): boolean {
  const row = rowNumberOf(subject);
  return row !== undefined && row < files.length;
}

/** What rows are sorted by, and told apart by. */
function keyOf({ kind, word, subject, file }: Fact): readonly (string | undefined)[] {
  return [kind, word, subject, file];
}

function isSound({ count, file, place }: Fact, files: readonly FileEntry[]): boolean {
  const isThere = file === undefined || rowOf(files, file) !== undefined;
  return count > 0 && isThere && (place === undefined || (file !== undefined && isPlace(place)));
}

/** Whether these rows are within the bounds of a report. */
function fit(facts: readonly Fact[]): boolean {
  return facts.length <= LIMITS["report-facts"] && utf8Length(canonicalize(facts)) <= LIMITS["report-fact-bytes"];
}
