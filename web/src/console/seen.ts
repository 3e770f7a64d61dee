// The log held against what this browser saw last, and what to keep when the two do not belong together.

import { EventError, LogError } from "../../../sdk/typescript/src/client/errors.ts";
import { element, grouped, paragraph, type Child } from "../dom.ts";
import { Evidence } from "./evidence.ts";
import { isAlarm, sentenceOf } from "./failure.ts";
import { type LogView, RefusedState, type State } from "./journal.ts";
import { forget, lastSeen, remember } from "./last-seen.ts";
import { button } from "./page.ts";

/** What a text of the evidence is. */
const SEEN = "The state that was seen";
const NOW = "The state that came then";

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

/** The signed texts about an alarm: what was seen, what came then, and what is shown now where it was read. */
export function evidenceOf(error: unknown, seen: string | undefined, now?: State): Evidence {
  const [known, ...others] = error instanceof RefusedState ? [undefined, error.note] : notesOf(error);
  const made = new Evidence(error).add(SEEN, seen ?? known).add(SEEN, known);
  for (const note of others) made.add(NOW, note);
  return made.add(NOW, now?.note);
}

/**
 * What the registry shows now, after something that came another way did not hold: its text is kept too, and where it has not
 * grown from what was seen, that says more than the error did.
 */
export async function shownNow(view: LogView, seen: State, evidence: Evidence): Promise<string> {
  try {
    const now = await view.state("checkpoint");
    if (now === undefined) return "The registry shows no signed state now.";
    evidence.add(NOW, now.note);
    await view.expectGrowth(seen, now);
    return `The registry shows a signed state of ${grouped(now.size)} records now, which has grown from what was seen: it is what came by the stream that does not hold.`;
  } catch (error) {
    if (error instanceof RefusedState) evidence.add(NOW, error.note);
    return isAlarm(error) ? `What the registry shows now: ${sentenceOf(error)}` : `What the registry shows now is not known: ${sentenceOf(error)}`;
  }
}

/** The signed notes that an error is about. */
function notesOf(error: unknown): readonly string[] {
  return error instanceof LogError || error instanceof EventError ? error.evidence.map(({ note }) => note) : [];
}

/** The way on for whoever knows why the log is another one. */
export function forgetAfterAlarm(): Child[] {
  return [paragraph("", "Whoever knows why may forget what was seen, and load the page again."), element("p", "buttons", forgetButton())];
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
