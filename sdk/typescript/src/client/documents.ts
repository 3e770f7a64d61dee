/**
 * The read-only documents of a registry: what each looks like. The shape is what is checked, and the type comes from the
 * shape, so that nothing is promised that was not looked at. Members that a later version adds pass.
 */

import type { AnyProblemCode, Digest, Gate, GateStatusesEvidenced, JournalEntry, Severity, Stage } from "../generated/artifacts.js";
import type { Shapes } from "../generated/shapes.js";
import { frozen } from "../frozen.js";
import type { JsonValue } from "../strict-json/tree.js";

const TEXT = { type: "string" } as const;
const NUMBER = { type: "integer", minimum: 0 } as const;
const TEXTS = { type: "array", items: TEXT } as const;
const GATES = { type: "array", items: { leaf: "gate" } } as const;
const CLOSED = { leaf: "closed-flag" } as const;
const VERSION = { leaf: "schema-version" } as const;

/** The shapes of documents by what they are called here. */
export const DOCUMENT_SHAPES = /* @__PURE__ */ frozen({
  links: { type: "object", members: { links: { type: "array", items: { ref: "link" } } } },
  link: { type: "object", members: { about: TEXT, href: TEXT, method: { words: ["GET", "POST"] }, operation: TEXT } },
  contract: {
    type: "object",
    members: {
      basePath: TEXT,
      missingGates: GATES,
      name: { constant: "hosted-registry-api-contract" },
      operations: { type: "array", items: { ref: "contract-operation" } },
      outcome: { type: "object", members: { accepted: CLOSED, "installable": CLOSED, signed: CLOSED } },
      problemSchema: TEXT,
      schemaVersion: VERSION,
    },
  },
  "contract-operation": {
    type: "object",
    members: {
      answerSchema: TEXT,
      kind: TEXT,
      method: { constant: "POST" },
      mostBytes: NUMBER,
      operation: TEXT,
      path: TEXT,
      payload: TEXT,
      payloadSchema: TEXT,
      problems: TEXTS,
    },
  },
  readiness: {
    type: "object",
    members: {
      gateStatuses: { ref: "gate-statuses-evidenced" },
      gates: { type: "array", items: { ref: "ledger-gate" } },
      missingGates: GATES,
      name: { constant: "hosted-registry-readiness-contract" },
      packagesAre: { type: "array", items: { words: ["validated artifact", "showcase preview"] } },
      schemaVersion: VERSION,
    },
  },
  "ledger-gate": {
    type: "object",
    members: {
      clearedBy: TEXT,
      evidence: TEXT,
      gate: { leaf: "gate" },
      localStatus: { words: ["evidenced", "declared", "prepared", "planned"] },
      missing: TEXT,
      shownBy: TEXTS,
      status: { words: ["evidenced", "unverified", "unstored", "unsigned", "not-applied", "not-isolated"] },
      words: TEXTS,
    },
  },
  lifecycle: {
    type: "object",
    members: {
      name: { constant: "SDK_DISTRIBUTION_LIFECYCLE_CATALOG" },
      schemaVersion: VERSION,
      stages: { type: "array", items: { ref: "catalog-stage" } },
    },
  },
  "catalog-stage": {
    type: "object",
    members: { evidence: { type: "array", items: { ref: "catalog-evidence" } }, id: { leaf: "stage" }, label: TEXT, meaning: TEXT, missingGates: GATES },
    optional: ["missingGates"],
  },
  "catalog-evidence": { type: "object", members: { holds: TEXT, pointer: TEXT } },
  "rule-set": { type: "object", members: { digest: { leaf: "digest" }, rules: { type: "array", items: { ref: "rule" } }, version: TEXT } },
  rule: {
    type: "object",
    members: {
      code: TEXT,
      exit: NUMBER,
      fix: TEXT,
      needs: TEXT,
      problem: { leaf: "problem-code" },
      severity: { leaf: "severity" },
      title: TEXT,
      why: TEXT,
    },
  },
  limits: { type: "array", items: { ref: "limit" } },
  limit: { type: "object", members: { limit: TEXT, unit: TEXT, value: NUMBER, what: TEXT } },
  "problem-page": { type: "object", members: { code: { leaf: "problem-code" }, help: TEXT, status: NUMBER, title: TEXT } },
  version: {
    type: "object",
    members: {
      commit: TEXT,
      ruleset: { type: "object", members: { digest: { leaf: "digest" }, version: TEXT } },
      schemaVersion: VERSION,
      version: TEXT,
    },
  },
  "journal-page": {
    type: "object",
    members: { entries: { type: "array", items: { ref: "journal-entry" } }, next: NUMBER, size: NUMBER },
    optional: ["next"],
  },
} as const satisfies Shapes);

/** The routes. */
export interface Links extends DocumentOf<"links"> {}
/** The API contract. */
export interface ApiContract extends DocumentOf<"contract"> {}
/** The readiness ledger. */
export interface ReadinessLedger extends DocumentOf<"readiness"> {}
/** The lifecycle catalog. */
export interface LifecycleCatalog extends DocumentOf<"lifecycle"> {}
/** Every rule, with its reason. */
export interface RulesetDocument extends DocumentOf<"rule-set"> {}
/** One limit. */
export interface Limit extends DocumentOf<"limit"> {}
/** The page of a problem code. */
export interface ProblemPage extends DocumentOf<"problem-page"> {}
/** What is running. */
export interface RegistryVersion extends DocumentOf<"version"> {}
/** A JSON Schema or the OpenAPI description. It says what members look like, and has no flags itself. */
export type Description = { readonly [member: string]: JsonValue } & { readonly [flag in "accepted" | "installable" | "signed"]?: false };

/** The name of a shape. */
export type DocumentName = keyof typeof DOCUMENT_SHAPES;

/** What a document of a shape is. */
export type DocumentOf<N extends DocumentName> = ValueOf<(typeof DOCUMENT_SHAPES)[N]>;

/** Leaves and references with a type of their own. */
interface Named {
  readonly "closed-flag": false;
  readonly digest: Digest;
  readonly gate: Gate;
  readonly "gate-statuses-evidenced": GateStatusesEvidenced;
  readonly "journal-entry": JournalEntry;
  readonly "problem-code": AnyProblemCode;
  readonly "schema-version": "1.0";
  readonly severity: Severity;
  readonly stage: Stage;
}

type ValueOf<S> = S extends { readonly constant: infer C }
  ? C
  : S extends { readonly words: readonly (infer W)[] }
    ? W
    : S extends { readonly leaf: infer L extends keyof Named }
      ? Named[L]
      : S extends { readonly ref: infer R }
        ? R extends keyof Named
          ? Named[R]
          : R extends DocumentName
            ? DocumentOf<R>
            : never
        : S extends { readonly type: "array"; readonly items: infer I }
          ? readonly ValueOf<I>[]
          : S extends { readonly members: infer M; readonly optional: readonly (infer O)[] }
            ? { readonly [K in Exclude<keyof M, O>]: ValueOf<M[K]> } & { readonly [K in keyof M & O]?: ValueOf<M[K]> }
            : S extends { readonly members: infer M }
              ? { readonly [K in keyof M]: ValueOf<M[K]> }
              : S extends { readonly type: "integer" }
                ? number
                : S extends { readonly type: "string" }
                  ? string
                  : never;
