// The log held against what this browser saw last, and what to keep when the two do not belong together.

import { EventError, LogError } from "../../../sdk/typescript/src/client/errors.ts";
import { element, paragraph, scrolling, type Child } from "../dom.ts";
import { plain } from "../model/text.ts";
import { failed, isAlarm, sentenceOf } from "./failure.ts";
import type { LogView, State } from "./journal.ts";
import { forget, lastSeen, remember } from "./last-seen.ts";
import { button } from "./page.ts";

/** A state that came after what this browser had seen. */
export interface Newest {
  readonly state: State;
  /** The text that was kept before, where one was. */
  readonly seen: string | undefined;
}

/** The newest state beside what was kept before it was asked for: a later visit elsewhere must not look like a log that shrank. */
export async function newestOf(view: LogView): Promise<Newest | undefined> {
  const seen = lastSeen();
  const state = await view.state("checkpoint");
  return state === undefined ? undefined : { state, seen };
}

/** The state that was kept, after a check that the new one has grown from it. Throws where it has not. */
export async function heldAgainstSeen(view: LogView, { state, seen }: Newest): Promise<State | undefined> {
  if (seen === undefined) return undefined;
  const known = await view.open(seen);
  await view.expectGrowth(known, state);
  return known;
}

/** Keeps a state that has grown from the one that was kept, unless another visit has kept a newer one since. */
export function rememberAfter(seen: string | undefined, { note }: State): void {
  if (lastSeen() === seen) remember(note);
}

/** What is said when states do not belong together: what, both texts, and a way to keep them. What was seen stays. */
export function contradiction(error: unknown, known: string, now: string): Child[] {
  return [
    failed(error),
    ...(isAlarm(error) ? [paragraph("", "Either the log was set back or replaced, or its key was. Keep both texts and ask the operator.")] : []),
    scrolling("The state that was seen", element("pre", "", plainNote(known))),
    scrolling("The state of now", element("pre", "", plainNote(now))),
    element("p", "buttons", saveButton(error, [known, now])),
  ];
}

/** The signed notes that an error is about. */
export function notesOf(error: unknown): readonly string[] {
  return error instanceof LogError || error instanceof EventError ? error.evidence.map(({ note }) => note) : [];
}

/** A button that saves signed notes as one text, each as it came: whoever has the public key can check them. */
export function saveButton(error: unknown, notes: readonly string[]): HTMLButtonElement {
  return button("Save the evidence", () => {
    const parts = [`Evidence, saved by the console of svc at ${new Date().toISOString()} from ${location.origin}\n${sentenceOf(error)}\n`, ...notes.map((note, at) => `--- signed state ${at + 1} of ${notes.length}\n${note}`)];
    const link = element("a", "");
    link.href = URL.createObjectURL(new Blob([parts.join("\n")], { type: "text/plain" }));
    link.download = "svc-log-evidence.txt";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  });
}

/** A button that forgets what was seen; `then` is told. */
export function forgetButton(then: () => void = () => {}): HTMLButtonElement {
  const made = button("Forget it", () => {
    forget();
    made.disabled = true;
    made.replaceChildren("Forgotten");
    then();
  });
  return made;
}

const plainNote = (note: string): string => note.split("\n").map(plain).join("\n");
