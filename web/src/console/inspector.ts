// The Inspector: one bundle or two, checked in the page. Nothing of them leaves it unless the registry is asked.

import { verifyBundle } from "../../../sdk/typescript/src/bundle.ts";
import { element, foreign, paragraph, section, type Child } from "../dom.ts";
import { reportOf } from "../model/build.ts";
import { contents, header } from "../report/head.ts";
import { sections } from "../report/sections.ts";
import { asking } from "./ask.ts";
import { chosen, dropped, type GivenBundle } from "./bundle-files.ts";
import { explained } from "./explained.ts";
import { failed } from "./failure.ts";
import { button, labelled, liveRegion, type Page, type Visit } from "./page.ts";
import { brokenChain, verdict } from "./verdict.ts";

/** What was given stays for this visit, also while another page is looked at. */
interface Given {
  bundle: GivenBundle | undefined;
  older: GivenBundle | undefined;
}

const given: Given = { bundle: undefined, older: undefined };

export const inspector: Page = {
  name: "Inspector",
  title: "Inspector",
  show(visit) {
    const said = liveRegion();
    const result = element("div", "result");
    const slots = { bundle: slot("bundle", "The bundle"), older: slot("older", "An older one, to see what changed") };
    const swap = button("Swap the two", () => {
      [given.bundle, given.older] = [given.older, given.bundle];
      render();
    });
    const clear = button("Take both away", () => {
      [given.bundle, given.older] = [undefined, undefined];
      render();
      // The button that had the focus has nothing to do any more.
      slots.bundle.first.focus();
    });
    const render = (): void => {
      result.replaceChildren(...shown(visit));
      said.replaceChildren(summary());
      for (const name of ["bundle", "older"] as const) slots[name].tell(given[name]);
      clear.disabled = given.bundle === undefined && given.older === undefined;
      swap.disabled = clear.disabled;
    };
    const take = async (name: keyof Given, reading: Promise<readonly GivenBundle[]>): Promise<void> => {
      try {
        const [first, second] = await reading;
        if (first === undefined) {
          said.replaceChildren("No file of a bundle is among them. They are called svc-registry-….json.");
          return;
        }
        given[name] = first;
        if (name === "bundle" && second !== undefined) given.older = second;
        render();
      } catch (error) {
        said.replaceChildren(failed(error));
      }
    };
    for (const name of ["bundle", "older"] as const) slots[name].onGiven((reading) => void take(name, reading));
    visit.main.append(
      paragraph("", "Choose or drop the folder of a bundle, or its seven files. They are checked in this page: no byte of them is sent."),
      element("div", "slots", slots.bundle.place, slots.older.place),
      element("p", "buttons", swap, clear),
      said,
      result,
    );
    render();
  },
};

/** A place for one bundle. */
interface Slot {
  readonly place: HTMLElement;
  readonly first: HTMLElement;
  readonly tell: (bundle: GivenBundle | undefined) => void;
  readonly onGiven: (take: (reading: Promise<readonly GivenBundle[]>) => void) => void;
}

function slot(name: keyof Given, words: string): Slot {
  const folder = element("input", "");
  folder.webkitdirectory = true;
  const files = element("input", "");
  files.accept = ".json,application/json";
  const here = paragraph("fine drop");
  const place = element("fieldset", "slot", element("legend", "", words), labelled(`${name}-folder`, "Folder", folder), labelled(`${name}-files`, "Files", files), here);
  const mark = (isOver: boolean): void => void place.classList.toggle("over", isOver);
  place.addEventListener("dragover", () => mark(true));
  place.addEventListener("dragleave", () => mark(false));
  return {
    place,
    first: folder,
    tell: (bundle) => here.replaceChildren(...(bundle === undefined ? ["or drop it here"] : [element("strong", "", "Here: "), foreign(bundle.name), `, ${Object.keys(bundle.files).length} of 7 files`])),
    onGiven: (take) => {
      for (const field of [folder, files]) {
        field.type = "file";
        field.multiple = true;
        field.addEventListener("change", () => {
          if (field.files !== null && field.files.length > 0) take(chosen(field.files));
          // The same folder can be chosen again after it was made again.
          field.value = "";
        });
      }
      place.addEventListener("drop", (event) => {
        mark(false);
        if (event.dataTransfer !== null) take(dropped(event.dataTransfer));
      });
    },
  };
}

function summary(): string {
  if (given.bundle === undefined) return given.older === undefined ? "" : "Choose the newer bundle too.";
  const checked = verifyBundle(given.bundle.files);
  return checked.ok ? "Valid: yes. What was found stands below." : `Valid: no, ${checked.problem}. What was found stands below.`;
}

function shown(visit: Visit): Child[] {
  const { bundle, older } = given;
  if (bundle === undefined) return [];
  const checked = verifyBundle(bundle.files);
  const ask = asking(visit, bundle);
  if (!checked.ok) {
    const parts = [verdict(checked, bundle.name), brokenChain(checked, bundle.files), ask];
    return [contents(parts), ...parts];
  }
  const before = older === undefined ? undefined : verifyBundle(older.files);
  const model = reportOf(checked, before?.ok === true ? before : undefined);
  const parts = [
    verdict(checked, bundle.name),
    ...(before?.ok === false && older !== undefined ? [notCompared(older.name, before.problem)] : []),
    ...sections(model, ({ code }) => explained(code)),
    ask,
  ];
  return [header(model, "h2"), contents(parts), ...parts];
}

function notCompared(name: string, problem: string): HTMLElement {
  return section("difference", "What changed", paragraph("bad", `Not told: the older bundle, ${name}, does not hold (${problem}).`));
}
