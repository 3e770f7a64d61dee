// An alarm: what does not hold, on top of the page, in its title, and to a screen reader at once.

import { element, paragraph, prose, type Child } from "../dom.ts";
import { alarmWords, codeOf } from "./failure.ts";

const SHORTER = "Records that were signed are gone: the log was set back to an earlier copy, or another log stands in its place.";
const OTHER = "Other records stand where signed ones stood: the log was set back and went on from there, another log stands in its place, or somebody between the registry and this page changes what it answers.";
const OPEN = "An answer claims to be open, which no registry can say: whoever sent it is hostile.";
const UNSIGNED = "What came is not what the log has signed: another log or another key stands in its place, or somebody between the registry and this page changes what it answers.";

/** What each code means for whoever reads the page; every other one is `UNSIGNED`. */
const MEANINGS: Readonly<Record<string, string>> = {
  "fail-open": OPEN,
  "proof-not-a-refusal": OPEN,
  "log-shrank": SHORTER,
  "follow-ahead-of-log": SHORTER,
  "log-forked": OTHER,
  "follow-changed": OTHER,
  "follow-wrong-root": OTHER,
  "proof-bad-path": OTHER,
};

const ADVICE = "Rely on nothing that this address shows until the reason is known. Save the evidence and ask the operator; whoever else follows this log can compare it, and `svc log verify` checks the whole log in a terminal.";

/** Tells an alarm on top of a page, with what belongs to it below. The first one stays: what comes later must not hide it. */
export function raise({ main, signal }: { readonly main: HTMLElement; readonly signal: AbortSignal }, error: unknown, ...evidence: readonly Child[]): void {
  if (signal.aborted || main.querySelector(":scope > .alarm") !== null) return;
  const told = element("div", "alarm", paragraph("bad", ...alarmWords(error)), paragraph("", MEANINGS[codeOf(error)] ?? UNSIGNED), paragraph("", prose(ADVICE)));
  told.setAttribute("role", "alert");
  main.querySelector("h1")?.after(told, ...(evidence.length === 0 ? [] : [element("div", "evidence", ...evidence)]));
  document.title = `Alarm: ${document.title}`;
  // Whoever reads further down sees it too.
  told.scrollIntoView({ block: "nearest" });
}
