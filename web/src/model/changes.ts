// What changed between two submissions, as far as a report has room for it.

import type { ReviewedPackage } from "../../../sdk/typescript/src/artifact/reviewed.ts";
import { canonicalize } from "../../../sdk/typescript/src/canonical.ts";
import type { Submission } from "../../../sdk/typescript/src/generated/artifacts.ts";
import { PERMISSION_RISKS } from "../../../sdk/typescript/src/generated/forms.ts";
import { blockerInWords } from "../../../sdk/typescript/src/review/blockers.ts";
import { compareBytes } from "../../../sdk/typescript/src/unicode.ts";
import { packageOf } from "../../../sdk/typescript/src/rules/package.ts";
import { SVC_DEFAULT } from "../../../sdk/typescript/src/rules/rule-set.ts";
import type { Change, Difference } from "../report/model.ts";
import { askedAndUsed } from "./asked-and-used.ts";
import { counted, type Shown } from "./text.ts";

/** The submission of a bundle, and what our own rules say of its package as the entry that it is. */
export interface Looked {
  readonly submission: Submission;
  readonly reviewed: ReviewedPackage;
}

/** The most changes of each kind that a report lists: a flood of one kind hides no other. */
const MOST_OF_A_KIND = 50;

type Named = ReadonlyMap<string, string>;

interface Row {
  readonly part: string;
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The parts of a package that may change, in the order in which changes are told. */
const PARTS: readonly (readonly [string, (bundle: Looked) => Named])[] = [
  ["owner", owners],
  ["permission", ({ submission }) => new Map(submission.packageArtifact.manifest.permissions.map(({ permission, purpose }) => [permission, purpose]))],
  ["origin", ({ submission }) => bare(submission.packageArtifact.manifest.network.allow)],
  ["data", ({ submission }) => bare(submission.packageArtifact.manifest.dataCollection)],
  ["use", ({ submission }) => bare(used(submission))],
  ["blocker", ({ reviewed }) => new Map(reviewed.blockers.map((blocker) => [blocker.code, blockerInWords(blocker).message]))],
  ["manifest", ({ submission }) => members(submission)],
  ["file", ({ submission }) => new Map(submission.packageArtifact.files.map(({ digest, path, size }) => [path, `${digest} ${size} bytes`]))],
];

export function differenceOf(before: Looked, after: Looked, shown: Shown): Difference {
  const rows: Row[] = PARTS.flatMap(([part, named]) => changes(part, named(before), named(after)));
  const unknown = unknownUse(after.submission);
  const isOtherCode = canonicalize(before.submission.packageArtifact.files) !== canonicalize(after.submission.packageArtifact.files);
  if (unknown !== undefined && (isOtherCode || unknownUse(before.submission) === undefined)) {
    rows.push({ part: "use", name: unknown, before: undefined, after: "" });
    rows.sort((left, right) => placeOf(left) - placeOf(right));
  }
  const taken = new Map<string, number>();
  const listed = rows.filter(({ part }) => {
    taken.set(part, (taken.get(part) ?? 0) + 1);
    return (taken.get(part) ?? 0) <= MOST_OF_A_KIND;
  });
  const more = rows.length - listed.length;
  const { id, version } = before.submission.package;
  return {
    changes: listed.map((row) => change(row, shown)),
    ...(more > 0 ? { leftOut: `${counted(more, "more change", "more changes")}: \`svc app diff\` lists all` } : {}),
    otherPackage: id !== after.submission.package.id,
    since: `${id} ${version}`,
  };
}

const placeOf = ({ part }: Row): number => PARTS.findIndex(([name]) => name === part);

const bare = (names: readonly string[]): Named => new Map(names.map((name) => [name, ""]));

function changes(part: string, before: Named, after: Named): Row[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort(compareBytes);
  return names.map((name) => ({ part, name, before: before.get(name), after: after.get(name) })).filter((row) => row.before !== row.after);
}

function change({ part, name, before, after }: Row, shown: Shown): Change {
  const isNewOrGone = before === undefined || after === undefined;
  const isRated = part === "permission" && isNewOrGone && Object.hasOwn(PERMISSION_RISKS, name);
  const risk = isRated ? ` (${PERMISSION_RISKS[name as keyof typeof PERMISSION_RISKS]} risk)` : "";
  return {
    how: before === undefined ? "added" : after === undefined ? "removed" : "changed",
    name: shown(name) + risk,
    ...(after === undefined || after === "" ? {} : { now: shown(after) }),
    ...(before === undefined || before === "" ? {} : { was: shown(before) }),
    what: part,
  };
}

function owners({ submission: { owner, packageArtifact } }: Looked): Named {
  const { id, publisher } = packageArtifact.manifest;
  return new Map([
    ["owner", owner.id],
    ["owner's name", owner.name],
    ["package", id],
    ["publisher", publisher.id],
    ["publisher's name", publisher.name ?? ""],
    ["publisher's address", publisher.url ?? ""],
  ]);
}

/** The members that other parts tell of. */
const TOLD_ELSEWHERE = ["dataCollection", "id", "permissions", "publisher", "version"];

function members({ packageArtifact: { manifest } }: Submission): Named {
  const others = Object.entries(manifest).filter(([name]) => !TOLD_ELSEWHERE.includes(name));
  return new Map(others.map(([name, value]) => [name, canonicalize(value)]));
}

/** The origins, powers and ways to run text that code was seen to use. */
function used({ packageArtifact: { manifest }, reviewReport: { facts } }: Submission): string[] {
  const { origins } = askedAndUsed(packageOf(SVC_DEFAULT, manifest, undefined, facts));
  const contacted = origins.flatMap(({ name, seen }) => (seen === "used" ? [name] : seen === "computed" ? ["a computed address"] : []));
  const others = facts.filter(({ kind }) => ["dynamic-code", "power", "remote-code"].includes(kind));
  return [...contacted, ...others.map(({ kind, word }) => `${kind} ${word}`)];
}

/** Why it cannot be told what the code uses, where it cannot. */
function unknownUse({ packageArtifact: { manifest }, reviewReport: { facts }, ruleset }: Submission): string | undefined {
  if (ruleset.digest !== SVC_DEFAULT.ruleset.digest) return "what the rules of another svc saw";
  const { incomplete } = askedAndUsed(packageOf(SVC_DEFAULT, manifest, undefined, facts));
  return incomplete ? "code that was not read to its end, or has no room in the report" : undefined;
}
