// The model of a report, as `crates/svc/src/page/model.rs` writes it. Every word in it is decided there.

export interface ReportModel {
  readonly accepted: false;
  readonly chain: readonly ChainLink[];
  readonly difference?: Difference;
  readonly files: FileList;
  readonly findings: FindingList;
  readonly installable: false;
  readonly listing: Listing;
  readonly madeBy: string;
  readonly notLookedAt: readonly string[];
  readonly signed: false;
  readonly standing: PackageStatus;
  readonly uses: Uses;
}

export interface ChainLink {
  readonly digest: string;
  readonly file: string;
  readonly name: string;
  readonly parent?: number;
  readonly status: string;
}

export interface Difference {
  readonly changes: readonly Change[];
  readonly leftOut?: string;
  readonly since: string;
  readonly otherPackage: boolean;
}

export interface Change {
  readonly how: "added" | "removed" | "changed";
  readonly name: string;
  readonly now?: string;
  readonly was?: string;
  readonly what: string;
}

export interface FileList {
  readonly bytes: number;
  readonly count: number;
  readonly onDisk: string;
  readonly rest: readonly { readonly bytes: number; readonly files: number; readonly folder: string }[];
  readonly rows: readonly FileRow[];
}

export interface FileRow {
  readonly bytes: number;
  readonly digest: string;
  readonly onDisk: "not-looked-at" | "same" | "differs" | "missing";
  readonly path: string;
}

export interface FindingList {
  readonly counts: string;
  readonly leftOut?: string;
  readonly lines?: string;
  readonly rows: readonly Finding[];
  readonly total: number;
}

export interface Finding {
  readonly code: string;
  readonly excerpt?: { readonly after: string; readonly before: string; readonly line: number; readonly marked: string };
  readonly help: string;
  readonly message: string;
  readonly place: string;
  readonly severity: "error" | "blocker" | "warning" | "note";
}

export interface Listing {
  readonly addresses: readonly { readonly url: string; readonly what: string }[];
  readonly categories: readonly string[];
  readonly icon: Picture;
  readonly id: string;
  readonly license: string;
  readonly moreScreenshots: number;
  readonly name: string;
  readonly owner: string;
  readonly publisher: string;
  readonly screenshots: readonly Picture[];
  readonly summary: string;
  readonly version: string;
  readonly visibility: string;
}

export interface Picture {
  readonly alt: string;
  readonly data?: string;
  readonly path: string;
  readonly whyNot?: string;
}

export interface PackageStatus {
  readonly blockers: readonly Blocker[];
  readonly digest: string;
  readonly gates: readonly Gate[];
  readonly next: string;
  readonly review: string;
  /** What stage and verdict are based on, in words. */
  readonly reviewed: string;
  readonly stage: string;
  readonly stages: readonly Stage[];
}

export interface Blocker {
  readonly blocks: string;
  readonly code: string;
  readonly owner: string;
  readonly remedy: string;
  readonly what: string;
}

export interface Gate {
  readonly clearedBy: string;
  readonly evidenced: boolean;
  readonly gate: string;
  readonly missing: string;
  readonly word: string;
}

export interface Stage {
  readonly id: string;
  readonly label: string;
  readonly meaning: string;
  readonly state: "reached" | "not-reached" | "out-of-reach";
}

export interface Uses {
  readonly data: readonly string[];
  readonly incomplete: boolean;
  readonly leftOut?: string;
  readonly networkPurpose?: string;
  readonly origins: readonly Use[];
  readonly permissions: readonly Use[];
  readonly policy: string;
}

export interface Use {
  readonly name: string;
  readonly purpose?: string;
  readonly risk?: string;
  readonly standing: "declared" | "used-not-declared" | "declared-not-used" | "declared-not-visible" | "computed";
  readonly usedBy: string;
  readonly words: string;
}
