// Writes src/generated/ from ../../contracts. With --check it writes nothing and fails when a file is stale.
//
// One contract, one place: every name, word, code and limit of this package comes from the files that the Rust core
// generates. Nothing in src/generated is edited by hand.

import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { typesOf } from "./schema-types.mjs";
import { shapesOf } from "./schema-shapes.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const contracts = join(here, "../../../contracts");
const target = join(here, "../src/generated");

const read = (path) => JSON.parse(readFileSync(join(contracts, path), "utf8"));
const schema = (name) => read(`schemas/${name}.schema.json`);
const schemas = (names) => Object.fromEntries(names.map((name) => [name, schema(name)]));
const json = (value) => JSON.stringify(value, null, 2);
const keyed = (rows, key, pick) => Object.fromEntries(rows.map((row) => [row[key], pick(row)]));

const forms = read("forms.json");
const ruleset = read("ruleset.json");
const characterRules = ruleset.rules.find((rule) => rule.code === "SVC-J007").parameters;
const ledger = read("hosted-registry-readiness-contract.json");
const api = read("hosted-registry-api-contract.json");
const problems = read("problems.json");
const catalog = read("lifecycle-catalog.json");
const kinds = forms.artifacts.map((row) => row.name);
const answers = ["decision", "problem", "journal-entry"];

/** The rules whose checks take their words and numbers from the rule set. */
const PARAMETERIZED = [
  ...["F004", "F005", "F006", "F007", "F008", "F009", "F012", "F013", "F017", "F018", "F019", "F020", "F021", "F022", "F023"],
  ...["L001", "L003", "L009", "L010", "L011", "M013", "M017", "M022"],
  ...["P003", "P006", "P008", "P012", "P013", "P014", "P015", "P016", "P017"],
].map((code) => `SVC-${code}`);

/** The forms that their pattern and a length tell completely. The others are told by code, and their patterns are for editors. */
const BY_PATTERN = new Set([
  ...["csp-source", "digest", "dns-name", "fact-word", "hex", "icon-sizes", "identifier", "json-pointer", "language-tag"],
  ...["media-type", "owner-id", "package-id", "problem-code", "publisher-id", "repository-name", "rule-code", "subject", "version"],
]);

/**
 * Words that say done, as the whole value of an outcome, a status, a stage or a gate: the flags, the words of the gates
 * without their no, and two that other registries may have.
 */
const DONE_WORDS = [
  ...Object.keys(api.outcome),
  ...ledger.gates.filter(({ gate }) => gate !== "artifact-hash").map(({ status }) => status.replace(/^(un|not-)/, "")),
  ...["approved", "published"],
];

const files = {
  "catalog.ts": constant("SDK_DISTRIBUTION_LIFECYCLE_CATALOG", "The stages and the evidence each adds.", catalog),
  "gates.ts":
    constant("GATES", "The six gates, in their order everywhere.", ledger.gates) +
    constant("GATE_ROWS", "The same without words for people.", ledger.gates.map(({ clearedBy, gate, status }) => ({ clearedBy, gate, status }))) +
    constant("DONE_WORDS", "Words that no registry says of a gate, a stage or an outcome while it is closed.", [...new Set(DONE_WORDS)].sort()),
  "rules.ts":
    constant("RULESET", "The rules that this package was generated from.", {
      digest: ruleset.digest,
      version: ruleset.version,
    }) +
    constant(
      "RULES",
      "Every rule by its code. The reasons and examples are in the registry's rule set.",
      keyed(ruleset.rules, "code", ({ code, exit, fix, needs, problem, severity, title }) => ({
        code,
        exit,
        fix,
        needs,
        problem,
        severity,
        title,
      })),
    ),
  "parameters.ts": constant(
    "PARAMETERS",
    "The words and numbers of the rules that look at packages.",
    keyed(ruleset.rules.filter(({ code }) => PARAMETERIZED.includes(code)), "code", (rule) => rule.parameters),
  ),
  "facts.ts": constant(
    "FACTS",
    "The facts that reading files by these rules can tell: the words of each kind by what they are about.",
    factsByKind(ruleset.facts),
  ),
  "problems.ts":
    constant("PROBLEMS", "Every problem code of the hosted registry.", keyed(problems, "code", (row) => row)) +
    constant("PROBLEM_STATUSES", "The status of each, for whoever needs no more.", keyed(problems, "code", (row) => row.status)),
  "events.ts": constant("EVENT_TYPES", "Every type of event of the log.", keyed(read("events.json"), "type", (row) => row)),
  "limits.ts": constant("LIMITS", "Every limit by its name.", keyed(read("limits.json"), "limit", (row) => row.value)),
  "refused-characters.ts":
    constant("REFUSED_CHARACTERS", "Ranges of code points that no string may hold.", characterRules.characters) +
    constant("JOINED_CHARACTERS", "What a joiner may follow, beside pictures.", characterRules.joined) +
    constant("VARIED_CHARACTERS", "What a variation selector may follow.", characterRules.varied),
  "forms.ts":
    constant(
      "FORMS",
      "The forms of leaves: the rule that a wrong one breaks, and what is expected.",
      keyed(forms.forms, "name", ({ name, pattern, ...row }) => (BY_PATTERN.has(name) ? { ...row, pattern } : row)),
    ) +
    constant("MEDIA_TYPES", "Media types by extension.", forms.mediaTypes) +
    constant("OTHER_MEDIA_TYPE", "The media type of everything else.", forms.otherMediaType) +
    constant("DESCRIPTOR_MEDIA_TYPES", "Media types of the described parts.", forms.descriptorMediaTypes) +
    constant("PERMISSION_RISKS", "How much each permission opens.", forms.permissionRisks),
  "licenses.ts": constant(
    "LICENSES",
    `Identifiers of the SPDX list ${forms.licenses.version} that are not deprecated, separated by blanks.`,
    keyed(Object.entries(forms.licenses), 0, ([, ids]) => (Array.isArray(ids) ? ids.join(" ") : ids)),
  ),
  "table.ts":
    constant("ARTIFACTS", "Every artifact, in the order in which the commands make them.", forms.artifacts) +
    constant("BASE_PATH", "The path below which all endpoints lie.", api.basePath) +
    constant(
      "OPERATIONS",
      "The six endpoints by the kind that each takes.",
      keyed(api.operations, "kind", ({ operation, path, mostBytes }) => ({ mostBytes, operation, path })),
    ),
  "shapes.ts": shapesOf(schemas(kinds), schemas(answers), forms.forms.map((row) => row.name)),
  "artifacts.ts": typesOf(schemas([...kinds, ...answers])),
};

function factsByKind(facts) {
  const kinds = [...new Set(facts.map(({ kind }) => kind))];
  const words = (kind, about) => facts.filter((row) => row.kind === kind && row.about === about).map(({ word }) => word);
  const abouts = (kind) => [...new Set(facts.filter((row) => row.kind === kind).map(({ about }) => about))];
  const wordsOf = (kind) => Object.fromEntries(abouts(kind).map((about) => [about, words(kind, about).join(" ")]));
  return Object.fromEntries(kinds.map((kind) => [kind, wordsOf(kind)]));
}

/** A table is frozen, and a bundler may still leave it out. */
function constant(name, about, value) {
  const literal = `${json(value)} as const`;
  const written = typeof value === "object" ? `/* @__PURE__ */ frozen(${literal})` : literal;
  return `\n/** ${about} */\nexport const ${name} = ${written};\n`;
}

/** The text of a file, with what it needs. */
function fileOf(body) {
  const header = "// Generated by scripts/generate.mjs from contracts/. Do not edit.\n";
  return header + (body.includes(" frozen(") ? '\nimport { frozen } from "../frozen.js";\n' : "") + body;
}

const check = process.argv.includes("--check");
const stale = [];
mkdirSync(target, { recursive: true });
for (const name of readdirSync(target).filter((name) => !(name in files))) {
  stale.push(`${name} is not generated any more`);
  if (!check) rmSync(join(target, name));
}
for (const [name, body] of Object.entries(files)) {
  const text = fileOf(body);
  let found = "";
  try {
    found = readFileSync(join(target, name), "utf8");
  } catch {
    // Missing is stale.
  }
  if (found === text) continue;
  stale.push(`${name} is not what the contracts give`);
  if (!check) writeFileSync(join(target, name), text);
}
if (check && stale.length > 0) {
  console.error(`stale generated files; run \`npm run generate\`:\n${stale.join("\n")}`);
  process.exit(1);
}
console.log(`${Object.keys(files).length} generated files ${check ? "are current" : "written"}`);
