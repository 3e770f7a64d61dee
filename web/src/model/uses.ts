// What the package asks for beside what its code was seen to do, row by row.

import { FORMS, PERMISSION_RISKS } from "../../../sdk/typescript/src/generated/forms.ts";
import type { Manifest } from "../../../sdk/typescript/src/parts.ts";
import { compareUnits } from "../../../sdk/typescript/src/unicode.ts";
import type { Use, Uses } from "../report/model.ts";
import type { AskedAndUsed, UseRow } from "./asked-and-used.ts";
import { counted, escaped, type Shown } from "./text.ts";

/** The most rows of each table. */
const MOST_ROWS = 100;

/** The highest first. */
const RISKS: readonly string[] = ["high", "medium", "low"];

export function usesOf(manifest: Manifest, { incomplete, origins, permissions }: AskedAndUsed, shown: Shown): Uses {
  const { network, dataCollection, entry } = manifest;
  const left = leftOut(permissions.length, origins.length);
  return {
    data: FORMS["data-collection"].words.filter((word) => dataCollection.includes(word)),
    incomplete,
    ...(left === undefined ? {} : { leftOut: left }),
    ...(network.purpose === undefined ? {} : { networkPurpose: shown(network.purpose) }),
    origins: shownRows(origins).map((row) => line(row, shown)),
    permissions: shownRows(permissions).map((row) => permissionLine(row, manifest, shown)),
    policy: shown(policyOf({ ...entry.csp })),
  };
}

const FIRST: Readonly<Record<Use["standing"], number>> = { "used-not-declared": 0, computed: 1, declared: 2, "declared-not-used": 2, "declared-not-visible": 2 };

/** As many rows as there is room for: what is used and not declared first, then what nobody knows, then the rest in its order. */
function shownRows(rows: readonly UseRow[]): UseRow[] {
  return [...rows].sort((left, right) => FIRST[useStatus(left)[0]] - FIRST[useStatus(right)[0]]).slice(0, MOST_ROWS);
}

function leftOut(permissions: number, origins: number): string | undefined {
  const more = (count: number): number => Math.max(0, count - MOST_ROWS);
  if (more(permissions) + more(origins) === 0) return undefined;
  return `${counted(more(permissions), "more permission", "more permissions")} and ${counted(more(origins), "more host", "more hosts")}: \`svc app inspect\` lists all`;
}

function permissionLine(row: UseRow, { permissions }: Manifest, shown: Shown): Use {
  const request = permissions.find(({ permission }) => permission === row.name);
  // A power without its permission is named by those that would cover it.
  const risks = row.name.split(/[ (]/).flatMap((name) => (Object.hasOwn(PERMISSION_RISKS, name) ? [PERMISSION_RISKS[name as keyof typeof PERMISSION_RISKS]] : []));
  const risk = RISKS.find((word) => risks.some((one) => one === word));
  return { ...line(row, shown), ...(request === undefined ? {} : { purpose: shown(request.purpose) }), ...(risk === undefined ? {} : { risk }) };
}

function line(row: UseRow, shown: Shown): Use {
  const [standing, words] = useStatus(row);
  return { name: shown(row.name), standing, usedBy: usedBy(row), words };
}

function usedBy({ file, files, seen }: UseRow): string {
  const first = escaped(file ?? "");
  const all = files > 1 ? `${first} and ${files - 1} more` : first;
  switch (seen) {
    case "used":
      return all;
    case "computed":
      return `${all}; the address is computed`;
    case "not-seen":
      return "not seen";
    case "not-visible":
      return "the host grants it; code does not show its use";
  }
}

function useStatus({ asked, seen }: UseRow): readonly [Use["standing"], string] {
  if (seen === "computed") return ["computed", "computed, so not known"];
  if (!asked) return ["used-not-declared", "used, not declared"];
  switch (seen) {
    case "used":
      return ["declared", "declared"];
    case "not-seen":
      return ["declared-not-used", "declared, not used"];
    case "not-visible":
      return ["declared-not-visible", "declared"];
  }
}

/** The content security policy as browsers read it, or what holds without one. */
function policyOf(csp: { readonly [directive: string]: readonly string[] | undefined }): string {
  const directives = Object.keys(csp).sort(compareUnits);
  if (directives.length === 0) return "none in the manifest: `default-src 'self'` holds, with `connect-src` as in `network.allow`";
  return escaped(directives.map((name) => [name, ...(csp[name] ?? [])].join(" ")).join("; "));
}
