// A place where one bundle is chosen or dropped.

import { element, foreign, paragraph } from "../dom.ts";
import { chosen, dropped, type GivenBundle } from "./bundle-files.ts";
import { labelled } from "./page.ts";

/** What a place shows: its bundle, that it was refused or is being read, or that there is none. */
export type SlotState = GivenBundle | "refused" | "reading" | undefined;

export interface BundleSlot {
  readonly element: HTMLElement;
  /** The field that comes first. */
  readonly first: HTMLElement;
  readonly show: (bundle: SlotState) => void;
  readonly onGiven: (take: (reading: Promise<readonly GivenBundle[]>) => void) => void;
}

export function bundleSlot(name: string, words: string): BundleSlot {
  const folder = element("input", "");
  folder.webkitdirectory = true;
  const files = element("input", "");
  files.accept = ".json,application/json";
  const fields = [folder, files];
  const here = paragraph("fine drop");
  const place = element("fieldset", "slot", element("legend", "", words), labelled(`${name}-folder`, "Folder", folder), labelled(`${name}-files`, "Files", files), here);
  const mark = (isOver: boolean): void => void place.classList.toggle("over", isOver);
  place.addEventListener("dragover", () => mark(true));
  place.addEventListener("dragleave", () => mark(false));
  return {
    element: place,
    first: folder,
    show: (bundle) => here.replaceChildren(...slotText(bundle)),
    onGiven: (take) => {
      for (const field of fields) {
        field.type = "file";
        field.multiple = true;
        field.addEventListener("change", () => {
          if (field.files !== null && field.files.length > 0) take(chosen(field.files));
          // The same folder can be chosen again after it was made again. What was chosen is named below.
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

function slotText(bundle: SlotState): (Node | string)[] {
  if (bundle === undefined) return ["or drop it here"];
  if (bundle === "reading") return ["Reading…"];
  if (bundle === "refused") return [element("strong", "bad", "Not taken: "), "the reason stands below"];
  const names = Object.keys(bundle.files).sort();
  return [element("strong", "", "Here: "), foreign(bundle.name), `, ${names.length} of 7 files: ${names.join(", ")}`];
}
