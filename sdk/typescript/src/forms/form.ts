/** The leaves of documents: whether a value has its form, and the rule that it breaks otherwise. */

import { ALL_GATES } from "../closed.js";
import { FORMS } from "../generated/forms.js";
import { LIMITS } from "../generated/limits.js";
import type { RULES } from "../generated/rules.js";
import { ARTIFACTS } from "../generated/table.js";
import type { Node } from "../strict-json/tree.js";
import { countCodePoints, trim, utf8Length } from "../unicode.js";
import { isBase64 } from "./base64.js";
import { isHostRange } from "./host-range.js";
import { isLicense } from "./license.js";
import { isPackagePath } from "./package-path.js";
import { isHttpsUrl, isOrigin } from "./web-address.js";

/** The name of a form. */
export type FormName = keyof typeof FORMS;

/** The code of a rule. */
export type RuleCode = keyof typeof RULES;

interface FormRow {
  readonly expected: string;
  readonly pattern?: string;
  readonly rule: RuleCode;
  readonly words?: readonly string[];
}

/** The row of a form. */
export function formOf(name: FormName): FormRow {
  return FORMS[name];
}

/** Whether a value has this form. */
export function hasForm(name: FormName, node: Node): boolean {
  if (Object.hasOwn(VALUE_FORMS, name)) return VALUE_FORMS[name as keyof typeof VALUE_FORMS](node);
  return node.type === "string" && isText(name, node.value);
}

/** The rule that a value breaks which does not have this form. */
export function ruleOf(name: FormName, node: Node): RuleCode {
  return name === "version" ? versionRule(node.type === "string" ? node.value : "") : formOf(name).rule;
}

/** Whether a text has this form. */
export function isText(name: FormName, text: string): boolean {
  const { words, pattern } = formOf(name);
  if (words !== undefined) return words.includes(text);
  if (Object.hasOwn(TEXT_FORMS, name)) return TEXT_FORMS[name as keyof typeof TEXT_FORMS](text);
  return pattern !== undefined && new RegExp(pattern).test(text) && text.length <= (MOST_LENGTH[name] ?? 0);
}

/** Forms that their pattern and a length tell completely; all of them are ASCII. */
const MOST_LENGTH: { readonly [name in FormName]?: number } = {
  "csp-source": 200,
  digest: 71,
  "dns-name": 253,
  "fact-word": 40,
  hex: 64,
  "icon-sizes": 11,
  identifier: 64,
  "json-pointer": 300,
  "language-tag": 35,
  "media-type": 100,
  "owner-id": 128,
  "package-id": 128,
  "problem-code": 64,
  "publisher-id": 64,
  "repository-name": 256,
  "rule-code": 8,
  subject: 253,
  version: 64,
};

const KINDS: readonly string[] = ARTIFACTS.map((row) => row.kind);
const IDENTIFIER = new RegExp(FORMS.identifier.pattern);

/** One line of 1 to `most` characters without blanks around it. */
const line = (most: number) => (text: string) => {
  const count = countCodePoints(text, most);
  return count >= 1 && count <= most && trim(text) === text && !/[\n\r\t]/.test(text);
};

/** A line with something to read in it. */
const name = (most: number) => {
  const isLine = line(most);
  return (text: string) => isLine(text) && /[\p{Alphabetic}\p{N}]/u.test(text);
};

const TEXT_FORMS = {
  "artifact-kind": (text: string) => KINDS.includes(text),
  base64: isBase64,
  "blocker-code": (text: string) => /^SVC-[A-Z][0-9]{3}$/.test(text) || isText("gate", text) || text === "public-listing",
  "display-name": name(45),
  glob: isGlob,
  "host-range": isHostRange,
  "https-url": isHttpsUrl,
  label: line(200),
  license: isLicense,
  origin: isOrigin,
  "owner-name": name(100),
  "package-path": isPackagePath,
  "publisher-name": name(100),
  purpose: line(300),
  "storage-key": isStorageKey,
  summary: line(132),
  text: (text: string) => text !== "" && countCodePoints(text, 4000) <= 4000,
};

const VALUE_FORMS = {
  "all-gates": (node: Node) =>
    node.type === "array" &&
    node.elements.length === ALL_GATES.length &&
    node.elements.every((gate, index) => gate.type === "string" && gate.value === ALL_GATES[index]),
  "closed-flag": (node: Node) => node.type === "boolean" && node.value === false,
  "manifest-version": (node: Node) => node.type === "integer" && node.value === 1,
  meta: isMeta,
  size: (node: Node) => node.type === "integer" && node.value >= 0,
};

function isGlob(text: string): boolean {
  const parts = text.split("/");
  return (
    text !== "" &&
    utf8Length(text) <= LIMITS.path &&
    !text.startsWith("/") &&
    !text.includes("\\") &&
    !parts.includes(".") &&
    !parts.includes("..")
  );
}

function isStorageKey(text: string): boolean {
  const [, shard, hex] = /^reviews\/sha256\/([0-9a-f]{2})\/([0-9a-f]{64})$/.exec(text) ?? [];
  return shard !== undefined && hex !== undefined && hex.startsWith(shard);
}

/** Free strings for other tools, under names that no object has from birth. */
function isMeta(node: Node): boolean {
  if (node.type !== "object") return false;
  let bytes = 0;
  for (const { name, value } of node.members) {
    if (value.type !== "string") return false;
    bytes += utf8Length(name) + utf8Length(value.value);
    if (!IDENTIFIER.test(name) || name.length > 64 || name === "constructor" || name === "prototype") return false;
  }
  return bytes <= LIMITS["manifest-meta"];
}

/** A range or a tag in place of a version is its own mistake. */
function versionRule(text: string): RuleCode {
  const ranged = /[\^~*<>=| ,]/.test(text) || text.split(".").includes("x");
  const tagged = /^[A-Za-z]+$/.test(text);
  return ranged || tagged ? "SVC-M012" : "SVC-M011";
}
