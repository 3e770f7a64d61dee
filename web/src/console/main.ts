// The console: five pages of one script, each by its path. Going from one to another keeps what was typed in, in memory.

import { element, paragraph } from "../dom.ts";
import { CONSOLE } from "./address.ts";
import { decisions } from "./decisions.ts";
import { gates } from "./gates.ts";
import { inspector } from "./inspector.ts";
import { log } from "./log.ts";
import type { Page } from "./page.ts";
import { service } from "./service.ts";
import { Session } from "./session.ts";
import { sessionFields } from "./session-fields.ts";

/** The pages by their place in the folder of the console. */
const PAGES: readonly (readonly [place: string, page: Page])[] = [
  ["", inspector],
  ["decisions", decisions],
  ["log", log],
  ["gates", gates],
  ["service", service],
];

/** Pages that need no script, and are not of this one. */
const PLAIN = [["rules", "Rules"], ["problems", "Problems"], ["api", "API"]] as const;

/** The page of the admin address, where there is no other. */
const OF_ADMIN = "service";

const session = new Session();
const main = document.getElementById("content") as HTMLElement;
const links = new Map<string, HTMLAnchorElement>();
let leaving = new AbortController();

function start(): void {
  const isAdmin = placeNow() === OF_ADMIN;
  const items = PAGES.filter(([place]) => (place === OF_ADMIN) === isAdmin).map(([place, { name }]) => {
    const link = linkTo(place, name);
    link.addEventListener("click", (event) => {
      // A reader who asks for a tab of its own gets one: it knows no token.
      if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      history.pushState(null, "", link.href);
      show("moved");
    });
    links.set(place, link);
    return element("li", "", link);
  });
  const plain = isAdmin ? [] : PLAIN.map(([place, name]) => element("li", "", linkTo(place, name)));
  const nav = element("nav", "pages", element("ul", "", ...items, ...plain));
  nav.setAttribute("aria-label", "Pages");
  const name = element("p", "name", element("strong", "", "svc"), " console");
  document.getElementById("top")?.append(element("header", "top", name, nav, sessionFields(session, () => show("asked-again"))));
  addEventListener("popstate", () => show("moved"));
  // A file that is dropped beside its place must not replace the page.
  for (const kind of ["dragover", "drop"]) addEventListener(kind, (event) => event.preventDefault());
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((details) => (details.open = true)));
  show("opened");
}

function linkTo(place: string, name: string): HTMLAnchorElement {
  const made = element("a", "", name);
  made.href = CONSOLE + place;
  return made;
}

/** The place of the address in the folder of the console. */
function placeNow(): string {
  return (location.origin + location.pathname).slice(CONSOLE.length);
}

/** Shows the page of the address. Whoever moved to it is put at its heading; whoever opened it is where a browser puts them. */
function show(why: "opened" | "moved" | "asked-again"): void {
  leaving.abort();
  leaving = new AbortController();
  const place = placeNow();
  const page = PAGES.find(([own]) => own === place)?.[1];
  for (const [own, link] of links) {
    if (own === place) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const heading = element("h1", "", page?.title ?? "No such page");
  heading.tabIndex = -1;
  document.title = `${page?.name ?? "No such page"}: console of svc`;
  main.replaceChildren(heading);
  if (page === undefined) main.append(paragraph("", "The pages of the console are named above."));
  else page.show({ main, session, signal: leaving.signal });
  if (why === "moved") {
    scrollTo(0, 0);
    heading.focus({ preventScroll: true });
  }
}

start();
