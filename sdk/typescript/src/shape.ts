/** Walks a document beside its shape and tells everything that does not fit. */

import { FLAGS } from "./closed.js";
import { type Draft, isOpenClaim, type RuleCode } from "./finding.js";
import { type FormName, formOf, hasForm, ruleOf } from "./forms/form.js";
import { RULES } from "./generated/rules.js";
import { SHAPES, type Shape, type Shapes } from "./generated/shapes.js";
import { join } from "./pointer.js";
import { closest } from "./suggest.js";
import { get, type Node, typeName } from "./strict-json/tree.js";

/** Constants that carry a rule of their own, which also rules everything inside them. */
const RULED: { readonly [title: string]: RuleCode } = {
  kind: "SVC-B001",
  "schema-urn": "SVC-B002",
  status: "SVC-B006",
  "gate-statuses": "SVC-B007",
  "no-signatures": "SVC-B006",
};

/** More findings than this help nobody. Open claims are counted apart, so that no flood of others can hide one. */
const MOST_FINDINGS = 200;

/**
 * What a member is that no shape has. Where it passes, as a later version may have added it, it is not taken for a misspelt
 * one either: what must be there is missed.
 */
export type UnknownMembers = "refused" | "passed";

/** Whether a document has a shape. How long its lists are is not asked: what they hold decides that later. */
export function hasShape(root: Node, name: string): boolean {
  return walk(root, name, new Walk(SHAPES, false, "refused")).length === 0;
}

/** Everything about a document that its shape refuses, the length of lists included. */
export function explain(root: Node, name: string, shapes: Shapes = SHAPES, unknown: UnknownMembers = "refused"): Draft[] {
  return walk(root, name, new Walk(shapes, true, unknown));
}

/**
 * The open claims of a document by the names of its flags alone, for one that is not of the kind it should be: at the
 * root, and in the submissions of what may be an index.
 */
export function openFlags(root: Node): Draft[] {
  const entries = get(root, "entries");
  const nested = entries?.type === "array" ? entries.elements : [];
  const places: [string, Node | undefined][] = [["", root]];
  nested.forEach((entry, index) => {
    const submission = get(entry, "submission");
    if (submission !== undefined) places.push([join(join("/entries", index), "submission"), submission]);
  });
  const drafts = places.flatMap(([place, node]) => {
    const members = node?.type === "object" ? node.members : [];
    const open = members.filter(({ name, value }) => FLAGS.includes(name) && !hasForm("closed-flag", value));
    return open.slice(0, FLAGS.length).map(({ name, value }) => ({
      rule: "SVC-B006" as const,
      pointer: join(place, name),
      message: `${RULES["SVC-B006"].title}: expected ${formOf("closed-flag").expected}`,
      start: value.start,
    }));
  });
  return drafts.slice(0, MOST_FINDINGS);
}

function walk(root: Node, name: string, walker: Walk): Draft[] {
  walker.visit(root, walker.shapeOf(name), "", undefined);
  return walker.findings;
}

class Walk {
  readonly findings: Draft[] = [];
  readonly #shapes: Shapes;
  readonly #bounds: boolean;
  readonly #unknown: UnknownMembers;
  #openClaims = 0;

  constructor(shapes: Shapes, bounds: boolean, unknown: UnknownMembers) {
    this.#shapes = shapes;
    this.#bounds = bounds;
    this.#unknown = unknown;
  }

  shapeOf(name: string): Shape {
    const shape = this.#shapes[name];
    if (shape === undefined) throw new Error(`no shape is called ${name}`);
    return shape;
  }

  /** `ruled` is the rule that a group such as the gate statuses puts on everything inside it. */
  visit(node: Node, given: Shape, pointer: string, ruled: RuleCode | undefined): void {
    const shape = "ref" in given ? (this.#shapes[given.ref] ?? given) : given;
    if ("leaf" in shape) return this.#visitLeaf(node, shape.leaf as FormName, pointer);
    const title = "title" in shape ? shape.title : undefined;
    const rule = (title === undefined ? undefined : RULED[title]) ?? ruled;
    if ("constant" in shape) {
      if (!equals(node, shape.constant)) this.#report(rule ?? "SVC-B015", pointer, `expected \`${plain(shape.constant)}\``);
      return;
    }
    if ("words" in shape) {
      const known = node.type === "string" && shape.words.includes(node.value);
      if (!known) this.#report(rule ?? "SVC-B015", pointer, `expected one of ${shape.words.length} words`);
      return;
    }
    if ("ref" in shape) throw new Error(`a reference to a reference: ${shape.ref}`);
    this.#visitTyped(node, shape, pointer, rule);
  }

  #visitTyped(node: Node, shape: Extract<Shape, { type: string }>, pointer: string, ruled: RuleCode | undefined): void {
    if (shape.type === "object" && node.type === "object") return this.#visitObject(node, shape, pointer, ruled);
    if (shape.type === "array" && node.type === "array") return this.#visitArray(node.elements, shape, pointer, ruled);
    if (shape.type === "integer" && node.type === "integer") {
      if (shape.minimum !== undefined && node.value < shape.minimum) {
        this.#report("SVC-B015", pointer, "the number is too small");
      }
      return;
    }
    if (shape.type === node.type) return;
    this.#report(ruled ?? "SVC-B015", pointer, `expected ${withArticle(shape.type)}, found ${typeName(node)}`);
  }

  #visitLeaf(node: Node, name: FormName, pointer: string): void {
    if (hasForm(name, node)) return;
    const own = ruleOf(name, node);
    // Artifact rules say what a value claims, whatever its type; the others speak of the form of a text.
    const typed = node.type === "string" || RULES[own].needs === "artifact" || name === "manifest-version";
    const rule = typed ? own : "SVC-B015";
    this.#report(rule, pointer, `${RULES[rule].title}: expected ${formOf(name).expected}`);
  }

  #visitObject(
    node: Extract<Node, { type: "object" }>,
    shape: Extract<Shape, { type: "object" }>,
    pointer: string,
    ruled: RuleCode | undefined,
  ): void {
    const names = new Set(node.members.map((member) => member.name));
    const unused = Object.keys(shape.members).filter((name) => !names.has(name)).sort();
    const unknown = ruled ?? "SVC-B012";
    for (const { name, start, value } of node.members) {
      const inner = Object.hasOwn(shape.members, name) ? shape.members[name] : undefined;
      if (inner !== undefined) this.visit(value, inner, join(pointer, name), ruled);
      else if (ruled === undefined && this.#unknown === "passed") continue;
      else if (this.#hasRoom(unknown)) {
        // What stands there under a misspelt name is told once, at that name.
        names.add(closest(name, unused) ?? name);
        const shown = [...name.slice(0, 128)].slice(0, 64).join("");
        this.#push({ rule: unknown, pointer: join(pointer, name), message: `unknown member \`${shown}\``, start });
      }
    }
    for (const name of requiredOf(shape).filter((name) => !names.has(name))) {
      this.#report(ruled ?? "SVC-B014", join(pointer, name), `the member \`${name}\` is missing`);
    }
  }

  #visitArray(
    elements: readonly Node[],
    shape: Extract<Shape, { type: "array" }>,
    pointer: string,
    ruled: RuleCode | undefined,
  ): void {
    if (this.#bounds && shape.most !== undefined && elements.length > shape.most) {
      return this.#report(ruled ?? "SVC-B016", pointer, "the list is too long");
    }
    if (this.#bounds && shape.least !== undefined && elements.length < shape.least) {
      this.#report(ruled ?? "SVC-B015", pointer, "the list is too short");
    }
    const { items } = shape;
    if (items === undefined) return;
    elements.forEach((element, index) => this.visit(element, items, join(pointer, index), ruled));
  }

  #report(rule: RuleCode, pointer: string, message: string): void {
    this.#push({ rule, pointer, message });
  }

  #hasRoom(rule: RuleCode): boolean {
    const alike = isOpenClaim({ rule }) ? this.#openClaims : this.findings.length - this.#openClaims;
    return alike < MOST_FINDINGS;
  }

  #push(finding: Draft): void {
    if (!this.#hasRoom(finding.rule)) return;
    if (isOpenClaim(finding)) this.#openClaims += 1;
    this.findings.push(finding);
  }
}

/** The members that must be there. */
function requiredOf({ members, optional = [] }: Extract<Shape, { type: "object" }>): string[] {
  return Object.keys(members).filter((name) => !optional.includes(name));
}

function equals(node: Node, expected: unknown): boolean {
  if (Array.isArray(expected)) {
    return (
      node.type === "array" &&
      node.elements.length === expected.length &&
      node.elements.every((element, index) => equals(element, expected[index]))
    );
  }
  return (node.type === "boolean" || node.type === "integer" || node.type === "string") && node.value === expected;
}

function plain(expected: unknown): string {
  return typeof expected === "string" ? expected : JSON.stringify(expected);
}

function withArticle(type: string): string {
  switch (type) {
    case "array":
      return "a list";
    case "object":
      return "an object";
    case "integer":
      return "an integer";
    default:
      return `a ${type}`;
  }
}
