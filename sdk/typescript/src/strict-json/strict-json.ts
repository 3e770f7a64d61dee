/** Strict JSON for callers: any document, read as the registry reads it. */

import { type Finding, ofFault, placed } from "../finding.js";
import { frozen } from "../frozen.js";
import { type Rules, SVC_DEFAULT } from "../rules/rule-set.js";
import { type JsonValue, read, valueOf } from "./tree.js";

export type { JsonValue } from "./tree.js";

/** A document that was read, or everything that is wrong with it. */
export type StrictDocument =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/**
 * Reads one JSON object as the registry does: UTF-8 without a byte order mark, no member twice, integers only, no refused
 * characters, nothing after the root. A member called `__proto__` is an own member of the result, and changes nothing.
 */
export function parseStrictJson(document: string | Uint8Array, rules: Rules = SVC_DEFAULT): StrictDocument {
  const found = read(document);
  if (found.root !== undefined && found.faults.length === 0) return frozen({ ok: true, value: valueOf(found.root) });
  return frozen({ ok: false, findings: placed(rules, found.faults.map((fault) => ofFault(rules, fault)), found) });
}
