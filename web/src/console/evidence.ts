// What to keep when states of the log do not belong together: their signed texts as they came, shown and saved.

import { element, paragraph, scrolling, type Child } from "../dom.ts";
import { plain } from "../model/text.ts";
import { sentenceOf } from "./failure.ts";
import { button } from "./page.ts";

export class Evidence {
  readonly #error: unknown;
  /** What each text is, by the text: one that came twice is one. */
  readonly #notes = new Map<string, string>();
  readonly #texts = element("div", "");

  constructor(error: unknown) {
    this.#error = error;
  }

  get parts(): Child[] {
    return [this.#texts, element("p", "buttons", button("Save the evidence", () => this.#save()))];
  }

  /** Takes a text, also when the others are shown already. */
  add(what: string, note: string | undefined): this {
    if (note === undefined || this.#notes.has(note)) return this;
    this.#notes.set(note, what);
    this.#texts.append(paragraph("fine", what), scrolling(what, element("pre", "", note.split("\n").map(plain).join("\n"))));
    return this;
  }

  /** All as one text, each as it came: whoever has the public key can check them. */
  #save(): void {
    const notes = [...this.#notes].map(([note, what], at) => `--- signed state ${at + 1} of ${this.#notes.size}: ${what}\n${note}`);
    const text = [`Evidence, saved by the console of svc at ${new Date().toISOString()} from ${location.origin}\n${sentenceOf(this.#error)}\n`, ...notes].join("\n");
    const link = element("a", "");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    link.download = "svc-log-evidence.txt";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }
}
