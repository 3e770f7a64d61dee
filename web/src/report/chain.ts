// The hash chain as a picture, once for wide pages and once for narrow ones, and as a list for those who do not see it.

import { code, element, paragraph, section, shape, table, type Child } from "../dom.ts";
import type { ChainLink, ReportModel } from "./model.ts";

const WIDTH = 210;
const HEIGHT = 62;

/** Between two columns: a trunk that edges share, then room for a cross, then the tip. */
const GAP = 54;

interface Place {
  readonly x: number;
  readonly y: number;
}

/** How an artifact and the edge to it stand. Without any, all hold. */
export interface LinkState {
  /** `alone` holds by itself and was not reached; `apart` does too, and is not what its parent gives. */
  readonly box: "holds" | "alone" | "apart" | "refused" | "missing";
  readonly edge: "holds" | "broken" | "not-walked";
}

const HOLDS: LinkState = { box: "holds", edge: "holds" };

const BOXES: Readonly<Record<LinkState["box"], string>> = { holds: "", alone: "holds by itself, not reached", apart: "not what its parent gives", refused: "does not hold", missing: "missing" };
const EDGES: Readonly<Record<LinkState["edge"], string>> = { holds: "", broken: ", the edge is broken", "not-walked": ", the edge was not walked" };

/** Edges share their beginning: what holds is drawn last, so that no broken one lies over it. */
const DRAWN: readonly LinkState["edge"][] = ["not-walked", "broken", "holds"];

export function chain({ chain }: ReportModel): HTMLElement {
  return section(
    "chain",
    "Hash chain",
    paragraph("", "Each file names the digest of the one that it was derived from. Every digest was computed again, and every edge holds."),
    ...chainPicture(chain, chain.map(() => HOLDS)),
  );
}

/** The chain as a picture in two widths, and as a table. */
export function chainPicture(chain: readonly ChainLink[], states: readonly LinkState[]): Child[] {
  const rows = chain.map((link, at) => [code(link.name), nameOf(chain, link.parent), statusOf(link, states[at]), code(link.digest)]);
  return [
    element("div", "wide", drawing(chain, states, byDepth(chain), "wide")),
    element("div", "narrow", drawing(chain, states, byStep(chain), "narrow")),
    element("details", "", element("summary", "", "All seven digests in full"), table("Digests", ["Artifact", "Derived from", "Status", "Digest"], rows)),
  ];
}

const statusOf = ({ status }: ChainLink, { box } = HOLDS): string => (box === "holds" ? status : BOXES[box]);

const nameOf = (chain: readonly ChainLink[], at: number | undefined): string => (at === undefined ? "the package" : (chain[at]?.name ?? ""));

function depthOf(chain: readonly ChainLink[], at: number): number {
  const parent = chain[at]?.parent;
  return parent === undefined || parent >= at ? 0 : 1 + depthOf(chain, parent);
}

/** From left to right, children below each other. */
function byDepth(chain: readonly ChainLink[]): Place[] {
  const rows: number[] = [];
  let free = 0;
  return chain.map((link, at) => {
    const firstChild = link.parent !== undefined && chain.findIndex((other) => other.parent === link.parent) === at;
    const row = link.parent === undefined ? 0 : firstChild ? (rows[link.parent] ?? 0) : ++free;
    rows.push(row);
    return { x: depthOf(chain, at) * (WIDTH + GAP), y: row * (HEIGHT + 18) };
  });
}

/** From top to bottom, each child below its parent and further in. */
function byStep(chain: readonly ChainLink[]): Place[] {
  const order: number[] = [];
  const visit = (at: number): void => {
    order.push(at);
    chain.forEach((link, child) => {
      if (link.parent === at && child > at) visit(child);
    });
  };
  visit(0);
  return chain.map((_, at) => ({ x: depthOf(chain, at) * 26, y: order.indexOf(at) * (HEIGHT + 14) }));
}

function drawing(chain: readonly ChainLink[], states: readonly LinkState[], places: readonly Place[], form: "wide" | "narrow"): SVGElement {
  const width = Math.max(...places.map(({ x }) => x)) + WIDTH;
  const height = Math.max(...places.map(({ y }) => y)) + HEIGHT;
  const edges = DRAWN.flatMap((wanted) =>
    chain.flatMap((link, at) => {
      const [from, to, state] = [places[link.parent ?? -1], places[at], (states[at] ?? HOLDS).edge];
      return from === undefined || to === undefined || state !== wanted ? [] : [edge(from, to, form, state)];
    }),
  );
  const boxes = chain.flatMap((link, at) => {
    const place = places[at];
    return place === undefined ? [] : [box(link, place, states[at] ?? HOLDS)];
  });
  const title = chain.map((link, at) => `${link.name} from ${nameOf(chain, link.parent)}${inWords(states[at])}`).join(", ");
  return shape("svg", { viewBox: `-1 -1 ${width + 2} ${height + 2}`, width: width + 2, height: height + 2, role: "img", "aria-label": `The seven artifacts and what each was derived from: ${title}.` }, ...edges, ...boxes);
}

/** What a state adds to the words of a picture: nothing where all holds. */
function inWords({ box, edge } = HOLDS): string {
  return `${box === "holds" ? "" : `, ${BOXES[box]}`}${EDGES[edge]}`;
}

function edge(from: Place, to: Place, form: "wide" | "narrow", state: LinkState["edge"]): SVGElement {
  const middle = to.y + HEIGHT / 2;
  const path =
    form === "wide"
      ? `M${from.x + WIDTH} ${from.y + HEIGHT / 2}h20V${middle}H${to.x - 1}`
      : `M${from.x + 13} ${from.y + HEIGHT}V${middle}H${to.x - 1}`;
  const made = shape("g", { class: `edge ${state}` }, shape("path", { d: path }), shape("path", { class: "tip", d: `M${to.x - 1} ${middle}l-8 -5v10z` }));
  // A cross on the edge: its colour alone would not tell everybody.
  if (state === "broken") made.append(shape("path", { class: "cross", d: `M${to.x - (form === "wide" ? 26 : 20)} ${middle - 7}l12 14m0 -14l-12 14` }));
  return made;
}

function box(link: ChainLink, { x, y }: Place, state: LinkState): SVGElement {
  const text = (dy: number, className: string, words: string): SVGElement => shape("text", { class: className, x: x + 12, y: y + dy }, words);
  return shape(
    "g",
    { class: `box ${state.box}` },
    shape("rect", { x, y, width: WIDTH, height: HEIGHT, rx: 8 }),
    text(20, "name", link.name),
    text(37, "digest", link.digest.length > 20 ? `${link.digest.slice(0, 19)}…` : link.digest),
    text(53, "status", statusOf(link, state)),
  );
}
