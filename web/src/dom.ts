// Elements, made one by one. Text becomes text nodes; nothing here reads markup, so no text can become more than text.

export type Child = Node | string;

const SVG = "http://www.w3.org/2000/svg";

/** An element of this name and class, with children. The class is always ours. */
export function element<N extends keyof HTMLElementTagNameMap>(name: N, className: string, ...children: readonly Child[]): HTMLElementTagNameMap[N] {
  const made = document.createElement(name);
  if (className !== "") made.className = className;
  made.append(...children);
  return made;
}

/** A text that somebody else wrote, kept apart from the direction of the text around it. */
export const foreign = (text: string): HTMLElement => element("bdi", breaking(text.split(" ")), text);

/** A name from somebody else's code or paths: it breaks where its parts end. */
export function code(text: string): HTMLElement {
  const parts = text.match(PARTS) ?? [];
  const places = parts.length > MOST_PARTS ? [text] : parts.flatMap((part, at) => (at === 0 ? [part] : [element("wbr", ""), part]));
  return element("code", "", element("bdi", breaking(parts), ...places));
}

const PARTS = /[^./-]+[./-]*|[./-]+/g;

/** The longest part that a narrow page has room for, and the most parts that are told apart. */
const WHOLE = 18;
const MOST_PARTS = 40;

/** Words that a narrow page has room for are kept whole; others break anywhere. */
const breaking = (parts: readonly string[]): string => (parts.every((part) => part.length <= WHOLE) ? "whole" : "");

export const paragraph = (className: string, ...children: readonly Child[]): HTMLElement => element("p", className, ...children);

/** A section with a heading that it is named by. */
export function section(id: string, title: string, ...children: readonly Child[]): HTMLElement {
  const heading = element("h2", "", title);
  heading.id = `${id}-title`;
  const made = element("section", id, heading, ...children);
  made.id = id;
  made.setAttribute("aria-labelledby", heading.id);
  return made;
}

/**
 * A table. A narrow page shows each row as a block with the heading of each cell before it, so what everything is to a screen
 * reader is said in words and not left to the layout.
 */
export function table(caption: string, head: readonly string[], rows: readonly (readonly Child[])[], className = ""): HTMLElement {
  const headings = head.map((text) => {
    const cell = role("columnheader", element("th", "", text));
    cell.scope = "col";
    return cell;
  });
  const body = rows.map((row) => role("row", element("tr", "", ...row.map((child, at) => (at === 0 ? rowHead(child) : cell(head[at] ?? "", child))))));
  return role(
    "table",
    element(
      "table",
      className,
      element("caption", "unseen", caption),
      role("rowgroup", element("thead", "", role("row", element("tr", "", ...headings)))),
      role("rowgroup", element("tbody", "", ...body)),
    ),
  );
}

function rowHead(child: Child): HTMLElement {
  const made = role("rowheader", element("th", "", child));
  made.scope = "row";
  return made;
}

function cell(label: string, child: Child): HTMLElement {
  const made = role("cell", element("td", "", element("div", "", child)));
  made.dataset["label"] = label;
  return made;
}

function role<E extends HTMLElement>(name: string, made: E): E {
  made.setAttribute("role", name);
  return made;
}

/** A sentence of the rules, in which names stand between backticks. */
export function prose(text: string): HTMLElement {
  const parts = text.split("`");
  // An odd number of backticks is no markup of ours.
  if (parts.length % 2 === 0) return foreign(text);
  return element("bdi", "", ...parts.map((part, at) => (at % 2 === 1 ? element("code", "", part) : part)));
}

/** What may be wider than the page. */
export function scrolling(label: string, child: Child): HTMLElement {
  const made = element("div", "scrolling", child);
  made.tabIndex = 0;
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", label);
  return made;
}

/** A shape of a drawing. */
export function shape(name: string, attributes: Readonly<Record<string, string | number>>, ...children: readonly Child[]): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

const PICTURE = /^data:image\/(?:png|jpeg|webp);base64,[A-Za-z0-9+/]+=*$/;

/** A picture that came with the page. Anything else than one of three forms is none. */
export function picture(data: string | undefined, alt: string): HTMLImageElement | undefined {
  if (data === undefined || !PICTURE.test(data)) return undefined;
  const made = element("img", "");
  made.alt = alt;
  made.src = data;
  return made;
}

/** A number with its thousands apart, the same on every machine. */
export const grouped = (number: number): string => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
