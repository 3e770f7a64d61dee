// One record: a line, and behind it the record as JSON, its proof as text, and the commands that ask for both.

import { toFile } from "../../../sdk/typescript/src/canonical.ts";
import { JOURNAL_PATH } from "../../../sdk/typescript/src/client/log-files.ts";
import type { JournalAttribution } from "../../../sdk/typescript/src/generated/artifacts.ts";
import type { JournalRecord } from "../../../sdk/typescript/src/receipt/record.ts";
import { code, element, foreign, grouped, paragraph, scrolling, type Child } from "../dom.ts";
import { depthWords } from "../model/package-status.ts";
import { plain } from "../model/text.ts";
import { REGISTRY } from "./address.ts";
import { failed } from "./failure.ts";
import { type Entry, type LogView, typeOf } from "./journal.ts";
import { button, facts } from "./page.ts";

/** Whether a signed state that was checked holds the record. */
type Proven = "proven" | "waiting" | "before-alarm";

const WORDS: Readonly<Record<Proven, readonly [className: string, words: string]>> = {
  proven: ["good", "proven"],
  waiting: ["doubt", "waits for a signed state"],
  "before-alarm": ["", "read before the alarm"],
};

export interface Row {
  readonly record: JournalRecord;
  readonly item: HTMLElement;
  readonly mark: (standing: Proven) => void;
}

export function recordItem(entry: Entry, view: LogView, standing: Proven): Row {
  const { record } = entry;
  const state = element("span", "state");
  const mark = (now: Proven): void => {
    const [className, words] = WORDS[now];
    state.className = `state ${className}`;
    state.replaceChildren(words);
  };
  mark(standing);
  const time = element("time", "", record.time.replace("T", " ").replace(/\.\d+Z$/, " UTC"));
  time.dateTime = record.time;
  const summary = element(
    "summary",
    "",
    element("span", "place", grouped(record.sequence)),
    " ",
    element("strong", "bad", record.outcome),
    " ",
    element("span", "what", record.operation, ...(record.reviewed === undefined ? [] : [`, ${record.reviewed}`]), ...(record.probe === undefined ? [] : [", a probe"])),
    " ",
    ...(record.problem === undefined ? [] : [code(plain(record.problem)), " "]),
    time,
    " ",
    state,
  );
  const details = element("details", "", summary);
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(...behind(entry, view));
  });
  return { record, item: element("li", "", details), mark };
}

function behind({ attribution, record }: Entry, view: LogView): Child[] {
  const proof = element("div", "proof");
  const address = (below: string): string => REGISTRY + JOURNAL_PATH + below;
  // A token is never written into a command: the shell of whoever runs it has one.
  const curl = (below: string): string => `curl -sS -H "authorization: Bearer $SVC_TOKEN" '${address(below)}'`;
  const check = button("Check its proof", () => {
    proof.replaceChildren(paragraph("fine", "Checking…"));
    view.proof(record.sequence).then(
      ({ text, state }) => proof.replaceChildren(paragraph("good", `The proof holds: record ${grouped(record.sequence)} is in the signed state of ${grouped(state.size)} records.`), block("Proof as text (C2SP tlog-proof)", text)),
      (error: unknown) => proof.replaceChildren(failed(error)),
    );
  });
  return [
    facts(
      ["Type", code(typeOf(record))],
      ["Request", code(record.requestId)],
      ...(record.artifact?.kind === undefined ? [] : [["Document", foreign(plain(record.artifact.kind))] as const]),
      ...(record.artifact?.digest === undefined ? [] : [["Its digest", code(record.artifact.digest)] as const]),
      ...(record.reviewed === undefined ? [] : [["Reviewed", depthWords(record.reviewed)] as const]),
      ...attributed(attribution),
    ),
    block("Record as JSON", toFile(record)),
    element("p", "buttons", check),
    proof,
    block("Ask for both", `${curl(`entries?${record.sequence === 0 ? "" : `after=${record.sequence - 1}&`}limit=1`)}\n${curl(`proof/${record.sequence}`)}`),
  ];
}

function attributed(attribution: JournalAttribution | undefined): (readonly [string, ...Child[]])[] {
  if (attribution === undefined) return [];
  const { owner, package: about, token, unreadable } = attribution;
  const names = [owner, about === undefined ? undefined : `${about.id} ${about.version}`, token === undefined ? undefined : `token ${token}`].filter((name) => name !== undefined);
  return [["Who asked, not proven", unreadable === true ? "kept, and not readable" : foreign(plain(names.join(", ")))]];
}

function block(title: string, text: string): HTMLElement {
  const body = element("pre", "", text);
  const named = (words: string): readonly Child[] => [words, element("span", "unseen", `: ${title}`)];
  const copy = button("", () => {
    navigator.clipboard.writeText(text).then(
      () => copy.replaceChildren(...named("Copied")),
      () => copy.replaceChildren(...named("Not copied: select it")),
    );
  });
  copy.append(...named("Copy"));
  return element("div", "block", element("p", "fine", title, " ", copy), scrolling(title, body));
}
