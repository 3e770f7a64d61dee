/** What a rule may look at, and what it finds there. */

import type { RuleCode } from "../forms/form.js";
import { RULES } from "../generated/rules.js";
import { known } from "../package/fact-table.js";
import { type FileName, fileNameOf } from "../package/file-name.js";
import { rowOf } from "../package/file-table.js";
import type { Fact, FileEntry, Manifest, Place } from "../parts.js";
import { join } from "../pointer.js";

/** The manifest, the file table and the facts. Whatever is absent leaves the rules that need it unrun. */
export interface Package {
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
}

/** A check over a package. */
export type Check = (given: Package) => readonly Found[];

/** What the rules may look at. */
export function packageOf(manifest: Manifest, files?: readonly FileEntry[], facts?: readonly Fact[]): Package {
  return { manifest, files, facts, names: (files ?? []).map((file) => fileNameOf(file.path)) };
}

/** Whether what the rule needs is here. */
export function canRun(rule: RuleCode, { files, facts }: Package): boolean {
  switch (RULES[rule].needs) {
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

/** Whether a file is in the package. */
export function hasFile({ files = [] }: Package, path: string): boolean {
  return rowOf(files, path) !== undefined;
}

/** The facts of these kinds that this package knows. */
export function factsOf({ facts = [] }: Package, kinds: readonly string[]): readonly Fact[] {
  return facts.filter((fact) => kinds.includes(fact.kind) && known(fact) !== undefined);
}

/** The places of all facts of these kinds. */
export function foundFacts(given: Package, kinds: readonly string[]): Found[] {
  return factsOf(given, kinds).map(({ file, place, word: subject }) => {
    const row = file === undefined ? undefined : rowOf(given.files ?? [], file);
    if (file === undefined || row === undefined) return { pointer: "/files", subject };
    const found = { pointer: join("/files", row), file, subject };
    return place === undefined ? found : { ...found, place };
  });
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
