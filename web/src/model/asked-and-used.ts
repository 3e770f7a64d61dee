// What a package asks for beside what its code was seen to use, by the same matching as the rules on it (P013, P014, P016).

import { known } from "../../../sdk/typescript/src/package/fact-table.ts";
import type { Fact } from "../../../sdk/typescript/src/parts.ts";
import { covers, isComputed, originOf } from "../../../sdk/typescript/src/rules/declared.ts";
import { factsOf, isBlind, type Package } from "../../../sdk/typescript/src/rules/package.ts";
import { compareBytes } from "../../../sdk/typescript/src/unicode.ts";

/** An origin, a permission, or a power that no permission covers. */
export interface UseRow {
  readonly asked: boolean;
  /** The first file that uses it, and how many do. */
  readonly file: string | undefined;
  readonly files: number;
  readonly name: string;
  readonly seen: "used" | "not-seen" | "not-visible" | "computed";
}

export interface AskedAndUsed {
  /** Whether code was not read, so that more may be used than stands here. */
  readonly incomplete: boolean;
  readonly origins: readonly UseRow[];
  readonly permissions: readonly UseRow[];
}

const NETWORK = "network.fetch";
const CONTACTS = ["contact", "remote-code"];

/** The table of a package. */
export function askedAndUsed(given: Package): AskedAndUsed {
  return { incomplete: isBlind("SVC-P013", given) || isBlind("SVC-P014", given), origins: origins(given), permissions: permissionRows(given) };
}

function rowOf(name: string, asked: boolean, facts: readonly Fact[]): UseRow {
  const files = [...new Set(facts.flatMap(({ file }) => (file === undefined ? [] : [file])))].sort(compareBytes);
  return { asked, file: files[0], files: files.length, name, seen: files.length === 0 ? "not-seen" : "used" };
}

/** The facts of these kinds that a report has room for. */
const knownFacts = (given: Package, kinds: readonly string[]): readonly Fact[] => factsOf(given, kinds).filter((fact) => known(fact) === "one");

/** The origins that are allowed, in their order, then those that are contacted all the same. */
function origins(given: Package): UseRow[] {
  const contacts = knownFacts(given, CONTACTS);
  const { allow } = given.manifest.network;
  const rows = allow.map((allowed) => rowOf(allowed, true, contacts.filter((fact) => covers(allowed, originOf(fact) ?? ""))));
  const others = new Set(contacts.flatMap((fact) => originOf(fact) ?? []).filter((origin) => !allow.some((allowed) => covers(allowed, origin))));
  for (const origin of [...others].sort(compareBytes)) rows.push(rowOf(origin, false, contacts.filter((fact) => originOf(fact) === origin)));
  const computed = rowOf("computed", false, contacts.filter(isComputed));
  if (computed.files > 0) rows.push({ ...computed, seen: "computed" });
  return rows;
}

/** The permissions that cover a power. */
function covering({ rules }: Package, power: string): string[] {
  return rules.parameters["SVC-P014"].covered.flatMap((row) => (row.startsWith(`${power}=`) ? [row.slice(power.length + 1)] : []));
}

/** The permissions that are asked for, in their order, then what is used without. */
function permissionRows(given: Package): UseRow[] {
  const powers = knownFacts(given, ["power"]);
  const contacts = knownFacts(given, CONTACTS);
  const asked = given.manifest.permissions.map(({ permission }): string => permission);
  const visible = given.rules.parameters["SVC-P014"].covered.map((row) => row.slice(row.indexOf("=") + 1));
  const rows = asked.map((permission): UseRow => {
    if (permission === NETWORK) return rowOf(NETWORK, true, contacts);
    const row = rowOf(permission, true, powers.filter(({ word }) => covering(given, word).includes(permission)));
    return visible.includes(permission) ? row : { ...row, seen: "not-visible" };
  });
  if (!asked.includes(NETWORK) && contacts.length > 0) rows.push(rowOf(NETWORK, false, contacts));
  for (const word of [...new Set(powers.map(({ word }): string => word))].sort(compareBytes)) {
    const names = covering(given, word);
    if (names.some((name) => asked.includes(name))) continue;
    const name = names.length === 0 ? `${word} (no permission covers it)` : `${names.join(" or ")} (${word})`;
    rows.push(rowOf(name, false, powers.filter((fact) => fact.word === word)));
  }
  return rows;
}
