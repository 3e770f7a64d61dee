// The seven artifacts and the edges between them.

import { ARTIFACTS } from "../../../sdk/typescript/src/generated/table.ts";
import type { ChainLink } from "../report/model.ts";

/** The place of each artifact's parent in the chain; the submission alone has none. */
export const PARENTS: readonly (number | undefined)[] = ARTIFACTS.map((row) => {
  const parent = "parent" in row ? row.parent : row.source === "submissions" ? "svc-registry-submission" : undefined;
  return parent === undefined ? undefined : ARTIFACTS.findIndex(({ kind }) => kind === parent);
});

/** The chain, with the digest of each artifact where it is known. */
export function linksOf(digestOf: (kind: (typeof ARTIFACTS)[number]["kind"]) => string): ChainLink[] {
  return ARTIFACTS.map(({ file, kind, name, status }, at) => {
    const parent = PARENTS[at];
    return { digest: digestOf(kind), file, name, ...(parent === undefined ? {} : { parent }), status };
  });
}
