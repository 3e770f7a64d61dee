/** Walks a document beside its shape and tells everything that does not fit. */

import { FLAGS } from "./closed.js";
import { type Draft, isOpenClaim, type RuleCode } from "./finding.js";
import { Findings } from "./findings.js";
import { type FormName, formOf, hasForm, ruleOf } from "./forms/form.js";
import { SHAPES, type Shape, type Shapes } from "./generated/shapes.js";
import { join } from "./pointer.js";
import type { Rules } from "./rules/rule-set.js";
import { closest } from "./suggest.js";
import { Counter, finish, type Steps } from "./steps.js";
import { type Node, typeName } from "./strict-json/tree.js";

/** Constants that carry a rule of their own, which also rules everything inside them. */
const RULED: { readonly [title: string]: RuleCode } = {
  kind: "SVC-B001",
  "schema-urn": "SVC-B002",
  status: "SVC-B006",
  "gate-statuses": "SVC-B007",
  "no-signatures": "SVC-B006",
};

/**
 * What a member is that no shape has. Where it passes, as a later version or a host may have added it, it is not taken for a
 * misspelt one either: what must be there is missed.
 */
export type UnknownMembers = "refused" | "passed" | "passed-at-the-root";

/** The rules that speak of shape, which differ between manifests and artifacts. */
interface Profile {
  readonly missing: RuleCode;
  /** Rules of their own for the members that hold these forms. */
  readonly missingForm: { readonly [form: string]: RuleCode };
  readonly unknown: RuleCode;
  readonly wrongType: RuleCode;
  readonly overLimit: RuleCode;
}

const ARTIFACT: Profile = {
  missing: "SVC-B014",
  missingForm: {},
  unknown: "SVC-B012",
  wrongType: "SVC-B015",
  overLimit: "SVC-B016",
};

const MANIFEST: Profile = {
  missing: "SVC-M001",
  missingForm: { "data-collection": "SVC-P010", isolation: "SVC-P009", purpose: "SVC-P002" },
  unknown: "SVC-M002",
  wrongType: "SVC-M003",
  overLimit: "SVC-F005",
};

/** Whether a document has a shape. How long its lists are is not asked: what they hold decides that later. */
export function hasShape(rules: Rules, root: Node, name: string): boolean {
  return finish(checkingShape(rules, root, name));
}

/** `hasShape`, in steps. */
export function* checkingShape(rules: Rules, root: Node, name: string): Steps<boolean> {
  const walk = new Walk(rules, SHAPES, false, "refused", ARTIFACT);
  yield* walk.visit(root, walk.shapeOf(name), undefined);
  return walk.findings.total === 0;
}

/** Everything about a document that its shape refuses, the length of lists included. */
export function explain(rules: Rules, root: Node, name: string, shapes: Shapes = SHAPES, unknown: UnknownMembers = "refused"): Findings {
  return walk(root, name, new Walk(rules, shapes, true, unknown, ARTIFACT));
}

/** Everything about a manifest by itself that its shape refuses. */
export function explainManifest(rules: Rules, root: Node): Findings {
  const found = walk(root, "app-manifest", new Walk(rules, SHAPES, true, "refused", MANIFEST));
  if (found.hasError) found.append(openFlags(rules, root));
  return found;
}

/** The open claims alone among what its shape refuses about a document. */
export function openClaims(rules: Rules, root: Node, name: string): Findings {
  return walk(root, name, new Walk(rules, SHAPES, true, "refused", ARTIFACT, (rule) => isOpenClaim(rules, { rule })));
}

/**
 * The open claims of a document by the names of its flags alone, wherever they stand: for a document that is not of the
 * kind it should be, and for flags where its kind has none. Those of the document come first.
 */
export function openFlags(rules: Rules, root: Node): Findings {
  const [ofRoot, beneath] = [new Findings(rules), new Findings(rules)];
  const visit = (node: Node, place: Place | undefined): void => {
    if (node.type === "array") node.elements.forEach((element, index) => visit(element, { of: place, name: index }));
    if (node.type !== "object") return;
    for (const { name, value } of node.members) {
      if (name === AUTHORS_NAMES) continue;
      const inner = { of: place, name };
      visit(value, inner);
      if (!FLAGS.includes(name) || hasForm("closed-flag", value)) continue;
      const found = place === undefined ? ofRoot : beneath;
      const message = `${rules.rows["SVC-B006"].title}: expected ${formOf("closed-flag").expected}`;
      const pointer = found.wouldList("SVC-B006") ? pointerOf(inner) : "";
      found.push({ rule: "SVC-B006", pointer, message, start: value.start });
    }
  };
  visit(root, undefined);
  ofRoot.append(beneath);
  return ofRoot;
}

/** The one member whose names are the author's own. */
const AUTHORS_NAMES = "_meta";

/** The way to a value, from its end. */
interface Place {
  readonly of: Place | undefined;
  readonly name: string | number;
}

function pointerOf(place: Place | undefined): string {
  return place === undefined ? "" : join(pointerOf(place.of), place.name);
}

function walk(root: Node, name: string, walker: Walk): Findings {
  finish(walker.visit(root, walker.shapeOf(name), undefined));
  return walker.findings;
}

class Walk {
  readonly findings: Findings;
  readonly #rules: Rules;
  readonly #shapes: Shapes;
  readonly #bounds: boolean;
  readonly #unknown: UnknownMembers;
  readonly #profile: Profile;
  readonly #isAsked: (rule: RuleCode) => boolean;
  readonly #counter = new Counter();
  /** The way to the value at hand. */
  readonly #path: (string | number)[] = [];

  constructor(
    rules: Rules,
    shapes: Shapes,
    bounds: boolean,
    unknown: UnknownMembers,
    profile: Profile,
    isAsked: (rule: RuleCode) => boolean = () => true,
  ) {
    this.findings = new Findings(rules);
    this.#rules = rules;
    this.#shapes = shapes;
    this.#bounds = bounds;
    this.#unknown = unknown;
    this.#profile = profile;
    this.#isAsked = isAsked;
  }

  shapeOf(name: string): Shape {
    const shape = this.#shapes[name];
    if (shape === undefined) throw new Error(`no shape is called ${name}`);
    return shape;
  }

  /** `ruled` is the rule that a group such as the gate statuses puts on everything inside it. */
  *visit(node: Node, given: Shape, ruled: RuleCode | undefined): Steps<void> {
    const shape = this.#resolved(given);
    if (this.#isVisitedWhole(node, shape, ruled)) return;
    yield* this.#visitInside(node, shape, ruled);
  }

  #resolved(given: Shape): Exclude<Shape, { ref: string }> {
    const shape = "ref" in given ? (this.#shapes[given.ref] ?? given) : given;
    if ("ref" in shape) throw new Error(`a reference to a reference: ${shape.ref}`);
    return shape;
  }

  /** Looks at a value that is not looked into; says whether it was one. */
  #isVisitedWhole(node: Node, shape: Exclude<Shape, { ref: string }>, ruled: RuleCode | undefined): boolean {
    if ("leaf" in shape) {
      this.#visitLeaf(node, shape.leaf as FormName);
      return true;
    }
    const rule = ruleOfGroup(shape, ruled) ?? this.#profile.wrongType;
    if ("constant" in shape) {
      if (!equals(node, shape.constant)) this.#report(rule, `expected \`${plain(shape.constant)}\``);
      return true;
    }
    if ("words" in shape) {
      const known = node.type === "string" && shape.words.includes(node.value);
      if (!known) this.#report(rule, `expected one of ${shape.words.length} words`);
      return true;
    }
    if (shape.type === node.type && (shape.type === "object" || shape.type === "array")) return false;
    if (shape.type === "integer" && node.type === "integer") {
      if (shape.minimum !== undefined && node.value < shape.minimum) this.#report(this.#profile.wrongType, "the number is too small");
      return true;
    }
    if (shape.type !== node.type) this.#report(rule, `expected ${withArticle(shape.type)}, found ${typeName(node)}`);
    return true;
  }

  *#visitInside(node: Node, shape: Exclude<Shape, { ref: string }>, ruled: RuleCode | undefined): Steps<void> {
    const rule = ruleOfGroup(shape, ruled);
    if (node.type === "object" && "members" in shape) yield* this.#visitObject(node, shape, rule);
    else if (node.type === "array" && "type" in shape && shape.type === "array") yield* this.#visitArray(node.elements, shape, rule);
  }

  #visitLeaf(node: Node, name: FormName): void {
    if (hasForm(name, node)) return;
    const own = ruleOf(name, node);
    // Artifact rules say what a value claims, whatever its type; the others speak of the form of a text.
    const typed = node.type === "string" || this.#rules.rows[own].needs === "artifact" || name === "manifest-version";
    const rule = typed ? own : this.#profile.wrongType;
    this.#report(rule, `${this.#rules.rows[rule].title}: expected ${formOf(name).expected}`);
  }

  *#visitObject(
    node: Extract<Node, { type: "object" }>,
    shape: Extract<Shape, { type: "object" }>,
    ruled: RuleCode | undefined,
  ): Steps<void> {
    const names = new Set(node.members.map((member) => member.name));
    const unused = Object.keys(shape.members).filter((name) => !names.has(name)).sort();
    const unknown = ruled ?? this.#profile.unknown;
    for (const { name, start, value } of node.members) {
      const inner = Object.hasOwn(shape.members, name) ? shape.members[name] : undefined;
      if (inner !== undefined) {
        const shape = this.#resolved(inner);
        this.#path.push(name);
        if (!this.#isVisitedWhole(value, shape, ruled)) yield* this.#visitInside(value, shape, ruled);
        this.#path.pop();
      } else if (ruled === undefined && this.#passes()) continue;
      else if (!this.findings.wouldList(unknown)) this.#push({ rule: unknown, pointer: "", message: "" });
      else if (this.#isAsked(unknown)) {
        // What stands there under a misspelt name is told once, at that name.
        names.add(closest(name, unused) ?? name);
        const shown = [...name.slice(0, 128)].slice(0, 64).join("");
        this.#push({ rule: unknown, pointer: join(this.#pointer(), name), message: `unknown member \`${shown}\``, start });
      }
      if (this.#counter.isDue()) yield;
    }
    for (const name of requiredOf(shape).filter((name) => !names.has(name))) {
      const own = this.#profile.missingForm[leafOf(shape.members[name])];
      this.#report(ruled ?? own ?? this.#profile.missing, `the member \`${name}\` is missing`, name);
    }
  }

  #passes(): boolean {
    return this.#unknown === "passed" || (this.#unknown === "passed-at-the-root" && this.#path.length === 0);
  }

  *#visitArray(elements: readonly Node[], shape: Extract<Shape, { type: "array" }>, ruled: RuleCode | undefined): Steps<void> {
    if (this.#bounds && shape.most !== undefined && elements.length > shape.most) {
      return this.#report(ruled ?? this.#profile.overLimit, "the list is too long");
    }
    if (this.#bounds && shape.least !== undefined && elements.length < shape.least) {
      this.#report(ruled ?? this.#profile.wrongType, "the list is too short");
    }
    if (shape.items === undefined) return;
    let at = 0;
    const items = this.#resolved(shape.items);
    for (const element of elements) {
      this.#path.push(at);
      if (!this.#isVisitedWhole(element, items, ruled)) yield* this.#visitInside(element, items, ruled);
      this.#path.pop();
      at += 1;
      if (this.#counter.isDue()) yield;
    }
  }

  /** Reports what is at hand, or a member of it. */
  #report(rule: RuleCode, message: string, member?: string): void {
    // What is only counted needs no place.
    const pointer = this.findings.wouldList(rule) ? this.#pointer() : "";
    this.#push({ rule, pointer: member === undefined ? pointer : join(pointer, member), message });
  }

  #pointer(): string {
    return this.#path.reduce<string>(join, "");
  }

  #push(finding: Draft): void {
    if (this.#isAsked(finding.rule)) this.findings.push(finding);
  }
}

/** The form that a value of this shape has, or its elements. */
function leafOf(shape: Shape | undefined): string {
  if (shape === undefined) return "";
  if ("leaf" in shape) return shape.leaf;
  return "items" in shape ? leafOf(shape.items) : "";
}

/** The rule of a group such as the gate statuses, which also rules everything inside it. */
function ruleOfGroup(shape: Exclude<Shape, { ref: string }>, ruled: RuleCode | undefined): RuleCode | undefined {
  const title = "title" in shape ? shape.title : undefined;
  return (title === undefined ? undefined : RULED[title]) ?? ruled;
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
