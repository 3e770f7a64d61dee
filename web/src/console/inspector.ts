// The Inspector: one bundle or two, checked in the page. Nothing of them leaves it unless the registry is asked.
//
// What was said of one bundle is taken away before another is read, and whatever goes wrong on the way is a no: no verdict
// stands beside files that it is not about.

import { type BrokenBundle, type VerifiedBundle, verifyBundleAsync } from "../../../sdk/typescript/src/bundle.ts";
import { element, foreign, paragraph, section, type Child } from "../dom.ts";
import { reportOf } from "../model/build.ts";
import { contents, header } from "../report/head.ts";
import type { ReportModel } from "../report/model.ts";
import { sections } from "../report/sections.ts";
import { asking } from "./ask.ts";
import type { GivenBundle } from "./bundle-files.ts";
import { type BundleSlot, bundleSlot, type SlotState } from "./bundle-slot.ts";
import { explained } from "./explained.ts";
import { Failure } from "./failure.ts";
import { button, liveRegion, type Page, type Visit } from "./page.ts";
import { brokenChain, noVerdict, verdict } from "./verdict.ts";

/** A bundle that was checked. */
interface Checked {
  readonly bundle: GivenBundle;
  readonly found: VerifiedBundle | BrokenBundle;
}

/** What was given in one place: something that was checked, or the words for why it could not be. */
type Given = Checked | Failure;

type Place = "bundle" | "older";

const PLACES: readonly Place[] = ["bundle", "older"];

/** What was given stays for this visit, also while another page is looked at. */
const given: { [place in Place]: Given | undefined } = { bundle: undefined, older: undefined };

/** Counts what was chosen, and which choice each place has: of two for one place, the later one is shown. */
let choices = 0;
const chosenLast: { [place in Place]: number } = { bundle: 0, older: 0 };
const reading = new Set<Place>();

/** Shows what was given on the page that is looked at: it may be another visit than the one that began a reading. */
let draw = (): void => {};

export const inspector: Page = {
  name: "Inspector",
  title: "Inspector",
  show(visit) {
    const said = liveRegion();
    const result = element("div", "result");
    const slots: { readonly [place in Place]: BundleSlot } = { bundle: bundleSlot("bundle", "The bundle"), older: bundleSlot("older", "An older one, to see what changed") };
    let shownNow = new AbortController();
    /** Takes away everything that was said, and ends the questions that it asks. */
    const clearResult = (words: string): void => {
      shownNow.abort();
      shownNow = new AbortController();
      result.replaceChildren();
      said.replaceChildren(words);
    };
    const render = (): void => {
      clearResult(reading.size > 0 ? "Reading…" : "");
      for (const place of PLACES) slots[place].show(slotState(place));
      clear.disabled = PLACES.every((place) => slotState(place) === undefined);
      swap.disabled = clear.disabled || reading.size > 0;
      if (reading.size > 0) return;
      result.replaceChildren(...shown({ ...visit, signal: shownNow.signal }));
      said.replaceChildren(summary());
    };
    draw = render;
    visit.signal.addEventListener("abort", () => {
      shownNow.abort();
      if (draw === render) draw = () => {};
    });
    const swap = button("Swap the two", () => {
      [given.bundle, given.older] = [given.older, given.bundle];
      render();
    });
    const clear = button("Take both away", () => {
      choices += 1;
      for (const place of PLACES) put(place, choices, undefined);
      render();
      // The button that had the focus has nothing to do any more.
      slots.bundle.first.focus();
    });
    for (const place of PLACES) slots[place].onGiven((choice) => void take(place, choice));
    visit.main.append(
      paragraph("", "Choose or drop the folder of a bundle, or its seven files. They are checked in this page: no byte of them is sent."),
      element("div", "slots", slots.bundle.element, slots.older.element),
      element("p", "buttons", swap, clear),
      said,
      result,
    );
    render();
  },
};

/** Reads what was chosen for a place. What was there before is gone from the moment on that another was chosen. */
async function take(place: Place, choice: Promise<readonly GivenBundle[]>): Promise<void> {
  choices += 1;
  const own = choices;
  put(place, own, undefined);
  reading.add(place);
  draw();
  const found = await foundIn(place, choice);
  if (chosenLast[place] !== own) return;
  for (const [at, one] of found) if (chosenLast[at] <= own) put(at, own, one);
  draw();
}

/** Puts what came of a choice into its place. */
function put(place: Place, choice: number, one: Given | undefined): void {
  [given[place], chosenLast[place]] = [one, choice];
  reading.delete(place);
}

/** What was given, place by place, each checked. */
async function foundIn(place: Place, choice: Promise<readonly GivenBundle[]>): Promise<readonly (readonly [Place, Given])[]> {
  try {
    const bundles = await choice;
    const places: readonly Place[] = place === "bundle" && bundles.length > 1 ? PLACES : [place];
    if (bundles.length === 0) throw new Failure("No file of a bundle is among them. They are called svc-registry-….json.");
    if (bundles.length > places.length) throw new Failure(`These are ${bundles.length} bundles, and there is room for ${places.length === 1 ? "one" : "two"}: ${bundles.slice(0, 10).map(({ name }) => `\`${name}\``).join(", ")}${bundles.length > 10 ? " and more" : ""}.`);
    const found: [Place, Given][] = [];
    for (const [at, bundle] of bundles.entries()) found.push([places[at] as Place, await checked(bundle)]);
    return found;
  } catch (error) {
    return [[place, error instanceof Failure ? error : new Failure("The files could not be read.")]];
  }
}

async function checked(bundle: GivenBundle): Promise<Given> {
  try {
    return { bundle, found: await verifyBundleAsync(bundle.files) };
  } catch {
    return new Failure(`The check of \`${bundle.name}\` in this page did not come to its end. \`svc app verify\` checks it in a terminal.`);
  }
}

function slotState(place: Place): SlotState {
  const one = given[place];
  if (reading.has(place)) return "reading";
  return one instanceof Failure ? "refused" : one?.bundle;
}

function summary(): string {
  const { bundle, older } = given;
  if (bundle === undefined) return older === undefined ? "" : "Choose the newer bundle too.";
  if (bundle instanceof Failure) return "Valid: no. The reason stands below.";
  return bundle.found.ok ? "Valid: yes. What was found stands below." : `Valid: no, ${bundle.found.problem}. What was found stands below.`;
}

function shown(visit: Visit): Child[] {
  const { bundle, older } = given;
  if (bundle === undefined) return older instanceof Failure ? [notCompared(older.message)] : [];
  if (bundle instanceof Failure) return [noVerdict(bundle)];
  try {
    return bundle.found.ok ? report(visit, bundle.bundle, bundle.found, older) : broken(visit, bundle.bundle, bundle.found);
  } catch {
    // A bundle that cannot be shown whole has no verdict either.
    given.bundle = new Failure(`\`${bundle.bundle.name}\` cannot be shown in this page. \`svc app verify\` checks it in a terminal.`);
    return [noVerdict(given.bundle)];
  }
}

function broken(visit: Visit, bundle: GivenBundle, found: BrokenBundle): Child[] {
  const parts = [verdict(found, bundle.name), brokenChain(found, bundle.files), asking(visit, bundle)];
  return [contents(parts), ...parts];
}

function report(visit: Visit, bundle: GivenBundle, found: VerifiedBundle, older: Given | undefined): Child[] {
  const before = older === undefined || older instanceof Failure || !older.found.ok ? undefined : older.found;
  const model = reportOf(found, before);
  const reason = notComparedWhy(older);
  const parts = [
    verdict(found, bundle.name),
    ...(reason === undefined ? [] : [notCompared(reason)]),
    ...sections({ ...model, notLookedAt: notLookedAt(model, reason) }, ({ code }) => explained(code)),
    asking(visit, bundle),
  ];
  return [header(model, "h2"), contents(parts), ...parts];
}

/** Why the older bundle was not compared, where one was given and was not. */
function notComparedWhy(older: Given | undefined): string | undefined {
  if (older instanceof Failure) return older.message;
  return older === undefined || older.found.ok ? undefined : `The older bundle, \`${older.bundle.name}\`, does not hold (${older.found.problem}).`;
}

/** The model names a command for what this page does itself. */
function notLookedAt({ notLookedAt }: ReportModel, reason: string | undefined): readonly string[] {
  const words = reason === undefined ? "An older version: none was given above." : "The older bundle: it could not be compared.";
  return notLookedAt.map((text) => (text.startsWith("An older version.") ? words : text));
}

function notCompared(reason: string): HTMLElement {
  return section("difference", "What changed", paragraph("bad", "Not told. ", foreign(reason.replaceAll("`", ""))));
}
