// From a bundle that holds to the model of a report: what `crates/svc/src/page/build.rs` makes of the same bundle without the
// folder of its package. A test holds the two together; only the message of a finding is in fewer words here.

import type { VerifiedBundle } from "../../../sdk/typescript/src/bundle.ts";
import { packageOf } from "../../../sdk/typescript/src/rules/package.ts";
import { SVC_DEFAULT } from "../../../sdk/typescript/src/rules/rule-set.ts";
import type { ReportModel } from "../report/model.ts";
import { askedAndUsed } from "./asked-and-used.ts";
import { linksOf } from "./chain.ts";
import { differenceOf, type Looked } from "./changes.ts";
import { fileList } from "./file-list.ts";
import { findingList } from "./findings.ts";
import { listing } from "./listing.ts";
import { packageStatus } from "./package-status.ts";
import { shownOf } from "./text.ts";
import { usesOf } from "./uses.ts";

/** The report on a bundle, and what changed since another one. */
export function reportOf(bundle: VerifiedBundle, older?: VerifiedBundle): ReportModel {
  const looked = lookedAt(bundle);
  const { submission, reviewed } = looked;
  const { manifest, files } = submission.packageArtifact;
  const { facts } = submission.reviewReport;
  const shown = shownOf(manifest, facts);
  const uses = usesOf(manifest, askedAndUsed(packageOf(SVC_DEFAULT, manifest, undefined, facts)), shown);
  return {
    accepted: false,
    chain: linksOf((kind) => bundle.artifacts[kind].documentDigest),
    ...(older === undefined ? {} : { difference: differenceOf(lookedAt(older), looked, shown) }),
    files: fileList(files, shown),
    findings: findingList(reviewed, shown),
    installable: false,
    listing: listing(submission, shown),
    madeBy: `svc ${SVC_VERSION}, rules ${SVC_DEFAULT.ruleset.version} ${SVC_DEFAULT.ruleset.digest}`,
    notLookedAt: notLookedAt(older !== undefined, uses.incomplete),
    signed: false,
    standing: packageStatus(submission, reviewed),
    uses,
  };
}

function lookedAt({ artifacts, packages }: VerifiedBundle): Looked {
  const submission = artifacts["svc-registry-submission"];
  const { id, version } = submission.package;
  const reviewed = packages.find((one) => one.package.id === id && one.package.version === version);
  // A bundle holds only when its index holds its submission.
  if (reviewed === undefined) throw new TypeError("the index of the bundle does not speak of its package");
  return { submission, reviewed };
}

function notLookedAt(isCompared: boolean, incomplete: boolean): string[] {
  return [
    "The files of the package. They were not looked at: pictures, source lines and what the code does are the word of whoever made the bundle.",
    ...(incomplete ? ["Some code: it could not be read to its end, so more may be used than stands here."] : []),
    "Who the publisher is. The name is declared, and nobody checked it.",
    "Who made the package and the bundle. No digest shows that: compare with one from the maker.",
    "Answers of registries. `svc app verify` checks those that are kept next to a bundle.",
    "What code does with an address or a name that it computes while it runs.",
    ...(isCompared ? [] : ["An older version. `svc app report --against` shows what changed."]),
  ];
}
