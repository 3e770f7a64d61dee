// The Inspector: one bundle or two, checked in the page. Nothing of them leaves it unless the registry is asked.

import { verifyBundle } from "../../../sdk/typescript/src/bundle.ts";
import { element, paragraph, section, type Child } from "../dom.ts";
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
    const render = (): void => {
      result.replaceChildren(...shown(visit));
      said.replaceChildren(summary());
    };
    const take = async (slot: keyof Given, reading: Promise<readonly GivenBundle[]>): Promise<void> => {
      try {
        const [first, second] = await reading;
        if (first === undefined) {
          said.replaceChildren("No file of a bundle is among them. They are called svc-registry-….json.");
          return;
        }
        given[slot] = first;
        if (slot === "bundle" && second !== undefined) given.older = second;
        render();
      } catch (error) {
        said.replaceChildren(failed(error));
      }
    };
    const swap = button("Swap the two", () => {
      [given.bundle, given.older] = [given.older, given.bundle];
      render();
    });
    const clear = button("Take both away", () => {
      [given.bundle, given.older] = [undefined, undefined];
      render();
    });
    visit.main.append(
      paragraph("", "Choose or drop the folder of a bundle, or its seven files. They are checked in this page: no byte of them is sent."),
      element("div", "slots", slot("bundle", "The bundle", take), slot("older", "An older one, to see what changed", take)),
      element("p", "buttons", swap, clear),
      said,
      result,
    );
    if (given.bundle !== undefined || given.older !== undefined) render();
  },
};

type Take = (slot: keyof Given, reading: Promise<readonly GivenBundle[]>) => void;

function slot(name: keyof Given, words: string, take: Take): HTMLElement {
  const field = (isFolder: boolean): HTMLInputElement => {
    const made = element("input", "");
    made.type = "file";
    made.multiple = true;
    if (isFolder) made.webkitdirectory = true;
    else made.accept = ".json,application/json";
    made.addEventListener("change", () => {
      if (made.files !== null && made.files.length > 0) take(name, chosen(made.files));
    });
    return made;
  };
  const made = element("fieldset", "slot", element("legend", "", words), labelled(`${name}-folder`, "Folder", field(true)), labelled(`${name}-files`, "Files", field(false)), paragraph("fine drop", "or drop it here"));
  const mark = (isOver: boolean): void => void made.classList.toggle("over", isOver);
  made.addEventListener("dragover", () => mark(true));
  made.addEventListener("dragleave", () => mark(false));
  made.addEventListener("drop", (event) => {
    mark(false);
    if (event.dataTransfer !== null) take(name, dropped(event.dataTransfer));
  });
  return made;
}

function summary(): string {
  if (given.bundle === undefined) return given.older === undefined ? "Nothing is looked at." : "Choose the newer bundle too.";
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
