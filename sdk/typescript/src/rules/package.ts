/** What a rule may look at, and what it finds there. */

import { isText, type RuleCode } from "../forms/form.js";
import { CODE_KINDS, known, manifestPointerOf, UNREAD } from "../package/fact-table.js";
import { type FileName, fileNameOf } from "../package/file-name.js";
import { rowOf } from "../package/file-table.js";
import type { Fact, FileEntry, Manifest, Place, Severity } from "../parts.js";
import { join } from "../pointer.js";
import type { RuleParameters, Rules } from "./rule-set.js";

/** The manifest, the file table and the facts. Whatever is absent leaves the rules that need it unrun. */
export interface Package {
  /** The rules that judge it. */
  readonly rules: Rules;
  readonly manifest: Manifest;
  readonly files: readonly FileEntry[] | undefined;
  readonly facts: readonly Fact[] | undefined;
  /** The names of the files, in the order of the table. */
  readonly names: readonly FileName[];
}

/** Where a rule found something, and what it is about when several stand at one place. */
export interface Found {
  readonly pointer: string;
  readonly file?: string;
  readonly subject?: string;
  /** Where in that file. */
  readonly place?: Place;
  /** How much it weighs, where that is less than its rule. */
  readonly severity?: Severity;
  /** What tells its cause from those of other files, where there is no subject and not all are alike. */
  readonly cause?: string;
}

/** What a rule found. */
export interface RuleFinding extends Found {
  readonly rule: RuleCode;
  /** How much it weighs: as its rule, or less. */
  readonly severity: Severity;
  /** How many files have it, where that is more than one. */
  readonly files?: number;
  /** The row of the manifest's `exceptions` that speaks of it. */
  readonly exception?: number;
}

/** A check over a package. */
export type Check = (given: Package) => readonly Found[];

/** What the rules may look at. */
export function packageOf(rules: Rules, manifest: Manifest, files?: readonly FileEntry[], facts?: readonly Fact[]): Package {
  return { rules, manifest, files, facts, names: (files ?? []).map((file) => fileNameOf(file.path)) };
}

/** Whether what the rule needs is here. */
export function canRun(rule: RuleCode, { rules, files, facts }: Package): boolean {
  switch (rules.rows[rule].needs) {
    case "text":
    case "manifest":
      return true;
    case "file-table":
      return files !== undefined;
    case "facts":
    case "folder":
      return facts !== undefined;
    case "artifact":
      return false;
  }
}

/** Whether a rule looked at less than all it goes by: a file of code that was not read, or rows that were cut. */
export function isBlind(rule: RuleCode, { rules, facts = [] }: Package): boolean {
  const kinds = kindsOf(rules, rule);
  const goesByCode = kinds.some((kind) => CODE_KINDS.includes(kind));
  return facts.some((fact) => {
    const isCut = kinds.includes(fact.kind) && known(fact) === "cut";
    return isCut || (goesByCode && fact.kind === UNREAD);
  });
}

/** The kinds of facts that a rule goes by. */
function kindsOf({ parameters }: Rules, rule: RuleCode): readonly string[] {
  const row: object = Object.hasOwn(parameters, rule) ? parameters[rule as keyof RuleParameters] : {};
  return "facts" in row ? (row.facts as readonly string[]) : [];
}

/** Whether a file is in the package. */
export function hasFile({ files = [] }: Package, path: string): boolean {
  return rowOf(files, path) !== undefined;
}

/** The facts of these kinds that this package knows. */
export function factsOf({ facts = [] }: Package, kinds: readonly string[]): readonly Fact[] {
  return facts.filter((fact) => kinds.includes(fact.kind) && known(fact) !== undefined);
}

/** The places of all facts of these kinds, of those with one of these words where words are given. */
export function foundFacts(given: Package, { facts, words }: { readonly facts: readonly string[]; readonly words?: readonly string[] }): Found[] {
  const asked = factsOf(given, facts).filter(({ word }) => words === undefined || words.includes(word));
  return asked.map((fact) => foundFact(given, fact));
}

/** The place of a fact: in the file that it was seen in, about its word and subject. */
export function foundFact({ files = [] }: Package, fact: Fact): Found {
  const { file, place } = fact;
  const subject = subjectOf(fact);
  const row = file === undefined ? undefined : rowOf(files, file);
  if (file === undefined || row === undefined) return { pointer: manifestPointerOf(fact) ?? "/files", subject };
  const found = { ...foundFile(file, row), subject };
  return place === undefined ? found : { ...found, place };
}

/** What tells facts apart that are of one rule and file. */
function subjectOf({ word, subject }: Fact): string {
  const whole = `${word}:${subject}`;
  return subject !== undefined && isText("subject", whole) ? whole : word;
}

/** The rows of the table whose name is of a kind. */
export function foundNames({ files = [], names }: Package, isOfKind: (name: FileName) => boolean): Found[] {
  return files.flatMap(({ path }, row) => {
    const name = names[row];
    return name !== undefined && isOfKind(name) ? [foundFile(path, row)] : [];
  });
}

/** A row of the table. */
export function foundFile(file: string, row: number): Found {
  return { pointer: join("/files", row), file };
}

/** Whether a word is one of a list. */
export function isOneOf(word: string, words: readonly string[]): boolean {
  return words.includes(word);
}

/** A place in the manifest, when something is wrong there. */
export function foundIf(isWrong: boolean, pointer: string): Found[] {
  return isWrong ? [{ pointer }] : [];
}
