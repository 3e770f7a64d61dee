// What a page of the console is, and the parts that several of them have.

import { element, grouped, paragraph, type Child } from "../dom.ts";
import { raise } from "./alarm.ts";
import { failed, isAlarm } from "./failure.ts";
import type { Session } from "./session.ts";

/** What a page is shown with. The signal ends everything that it has under way when somebody leaves it. */
export interface Visit {
  readonly main: HTMLElement;
  readonly session: Session;
  readonly signal: AbortSignal;
}

export interface Page {
  readonly name: string;
  readonly title: string;
  readonly show: (visit: Visit) => void;
}

/** How long until a server that could not be asked is asked again. */
export const AGAIN_MS = 15_000;

export const ASKED_AGAIN = `The server is asked again every ${AGAIN_MS / 1000} seconds.`;

/** A place for what takes time: it says that it is busy, then what came of it. What failed is tried again, but for an alarm. */
export function pending(words: string, visit: Visit, work: () => Promise<readonly Child[]>): HTMLElement {
  const { signal } = visit;
  const made = element("div", "pending", paragraph("fine", words));
  made.setAttribute("aria-busy", "true");
  const put = (...children: readonly Child[]): void => {
    if (signal.aborted) return;
    made.removeAttribute("aria-busy");
    made.replaceChildren(...children);
  };
  const attempt = async (): Promise<void> => {
    try {
      put(...(await work()));
    } catch (error) {
      if (isAlarm(error)) {
        raise(visit, error);
        return put(paragraph("", "Nothing is shown, and nothing more is read."));
      }
      put(failed(error), paragraph("fine", ASKED_AGAIN));
      if (await isLookedAt(AGAIN_MS, signal)) await attempt();
    }
  };
  void attempt();
  return made;
}

/** Puts a part in the place of another, unless they are the same: what is open stays open, and the focus stays where it was. */
export function renew(old: HTMLElement, made: HTMLElement): void {
  const stops = (part: HTMLElement): HTMLElement[] => [...part.querySelectorAll<HTMLElement>("a, button, summary, [tabindex]")];
  const folds = [...old.querySelectorAll("details")];
  made.querySelectorAll("details").forEach((fold, at) => (fold.open = folds[at]?.open ?? false));
  if (old.isEqualNode(made)) return;
  const focused = stops(old).findIndex((stop) => stop === document.activeElement);
  old.replaceWith(made);
  stops(made)[focused]?.focus({ preventScroll: true });
}

/** What a screen reader says when it changes. */
export function liveRegion(): HTMLElement {
  const made = element("p", "fine live", "");
  made.setAttribute("role", "status");
  return made;
}

export function button(words: string, act: () => void): HTMLButtonElement {
  const made = element("button", "", words);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

/** A field with its name, and what is said about it. */
export function labelled(id: string, words: string, field: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement, about?: string): HTMLElement {
  field.id = id;
  const label = element("label", "", words);
  label.htmlFor = id;
  const made = element("div", "field", label, field);
  if (about !== undefined) {
    const note = element("p", "fine", about);
    note.id = `${id}-about`;
    field.setAttribute("aria-describedby", note.id);
    made.append(note);
  }
  return made;
}

/** Facts by name. */
export function facts(...rows: readonly (readonly [name: string, ...value: Child[]])[]): HTMLElement {
  return element("dl", "facts", ...rows.flatMap(([name, ...value]) => [element("dt", "", name), element("dd", "", ...value)]));
}

/** Waits, unless the page is left first. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      done();
    }, { once: true });
  });
}

/** Waits, and longer while nobody looks at the page. Says whether it is still there. */
export async function isLookedAt(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  do await pause(milliseconds, signal);
  while (document.hidden && !signal.aborted);
  return !signal.aborted;
}

/** When something was read, by the clock of this machine. */
export const clock = (at: Date = new Date()): string => `${at.toISOString().slice(11, 19)} UTC`;

/** How long ago something was, in whole units. */
export function ago(seconds: number): string {
  if (seconds < -5) return `${span(-seconds)} from now`;
  return seconds < 1 ? "just now" : `${span(seconds)} ago`;
}

/** A span of time in its largest unit. */
export function span(seconds: number): string {
  const units = [["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]] as const;
  const [unit, length] = units.find(([, length]) => seconds >= length * 2 || length === 1) ?? units[3];
  const count = Math.floor(seconds / length);
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** A pace is told of no shorter time. */
const LEAST_SECONDS = 60;

/** How fast so many records came. The first of them is where the time begins, and is not counted into the pace. */
export function paceOf(records: number, seconds: number): string {
  if (records < 2) return "one record tells nothing of it";
  const came = `the newest ${grouped(records)} records came within ${seconds < 1 ? "a second" : span(seconds)}`;
  if (seconds < LEAST_SECONDS) return `${came}: too short a time to tell a pace`;
  const pace = ((records - 1) / seconds) * 3_600;
  return `${came}: ${pace < 10 ? pace.toFixed(1) : grouped(Math.round(pace))} an hour at that pace`;
}
