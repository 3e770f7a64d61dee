// The log: how long it is, who signed it and when, whether it is the one that this browser saw last, and its tiles.

import { hex } from "../../../sdk/typescript/src/digest.ts";
import { sameBytes } from "../../../sdk/typescript/src/bytes.ts";
import { checkWitnesses, type WitnessCheck } from "../../../sdk/typescript/src/receipt/policy.ts";
import { describeCheckpoint, signaturesOf } from "../../../sdk/typescript/src/receipt/checkpoint.ts";
import { code, element, foreign, grouped, paragraph, scrolling, section, table, type Child } from "../dom.ts";
import { plain } from "../model/text.ts";
import { failed, isAlarm } from "./failure.ts";
import { LogView, type State } from "./journal.ts";
import { forget, lastSeen, remember } from "./last-seen.ts";
import { ago, button, facts, type Page, pending, span, type Visit } from "./page.ts";
import { trustOf } from "./session.ts";
import { tilePicture } from "./tile-picture.ts";

/** How many of the newest records tell how fast the log grows. */
const NEWEST = 100;

const COSIGNATURE_BYTES = 72;

export const log: Page = {
  name: "Log",
  title: "Log",
  show(visit) {
    visit.main.append(
      paragraph("", "Every answer is a record of one log that only grows. Its state is signed; whoever keeps a state can see later that nothing before it was changed."),
      pending("Reading the log…", visit, async () => {
        const view = new LogView(visit.session, await visit.session.keys(visit), visit.signal);
        const state = await view.state("checkpoint");
        if (state === undefined) return [paragraph("", "The log has no signed state yet: nothing was answered.")];
        return shown(visit, view, state);
      }),
    );
  },
};

async function shown(visit: Visit, view: LogView, state: State): Promise<Child[]> {
  const { rootHash, origin, size } = describeCheckpoint(state);
  const seen = lastSeen();
  return [
    paragraph("fine", trustOf(view.keys)),
    section("size", `${grouped(size)} records`, facts(["Log", foreign(plain(origin))], ["Root", code(rootHash)]), pending("Reading the newest records…", visit, () => growth(view, state))),
    section("signatures", "Signatures", pending("Checking…", visit, () => signatures(visit, view, state))),
    section("seen", "What this browser saw last", pending("Comparing…", visit, () => compared(view, state, seen))),
    section(
      "tiles",
      "Tiles",
      paragraph("", "The log serves its hashes in tiles of 256. A full tile never changes; the last one of each level grows."),
      ...tilePicture(size, seen === undefined ? undefined : sizeIn(seen)),
      element("details", "", element("summary", "", "The signed state as text"), scrolling("The signed state as text", element("pre", "", state.note))),
    ),
  ];
}

/** How fast the log grows, by the times of its newest records, which are proven to be in it. */
async function growth(view: LogView, state: State): Promise<Child[]> {
  const entries = await view.before(state.size, state, NEWEST);
  const times = entries.map(({ record }) => Date.parse(record.time) / 1000);
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return [paragraph("", "No record can be read.")];
  const took = Math.max(1, last - first);
  const rate = times.length < 2 ? undefined : ((times.length - 1) / took) * 3_600;
  const denied = entries.filter(({ record }) => record.outcome === "denied").length;
  return [
    facts(
      ["Newest record", ago(Date.now() / 1000 - last), ` (${new Date(last * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC)`],
      ["Growth", rate === undefined ? "one record tells nothing of it" : `${grouped(times.length)} records in ${span(took)}: ${grouped(Math.round(rate))} an hour at that pace`],
      ["Of those", `${grouped(denied)} denied, ${grouped(times.length - denied)} refused`],
    ),
  ];
}

async function signatures({ session }: Visit, view: LogView, state: State): Promise<Child[]> {
  const witnessed = await view.state("witnessed-checkpoint");
  const newest = witnessed === undefined || witnessed.size < state.size ? state : witnessed;
  const parts: Child[] = [signatureTable("Signatures of the newest state", newest, view, await policyCheck(session.policy, view, newest))];
  if (witnessed !== undefined && newest !== witnessed) {
    await view.expectGrowth(witnessed, state);
    parts.push(element("h3", "", `The newest state with a quorum of witnesses: ${grouped(witnessed.size)} records`), signatureTable("Signatures of the witnessed state", witnessed, view, await policyCheck(session.policy, view, witnessed)));
  }
  if (witnessed === undefined) parts.push(paragraph("fine", "No state has a quorum of witnesses, or this registry has none."));
  return parts;
}

async function policyCheck(policy: string, { keys }: LogView, { note }: State): Promise<WitnessCheck | undefined> {
  return policy === "" ? undefined : checkWitnesses(note, { policy, publicKey: keys.lines.join("\n") });
}

function signatureTable(caption: string, { note }: State, { keys }: LogView, checked: WitnessCheck | undefined): HTMLElement {
  const rows = (signaturesOf(note) ?? []).map(({ id, name, signature }): Child[] => {
    const isLog = keys.keys.some((key) => key.name === name && sameBytes(key.id, id));
    const time = !isLog && signature.length === COSIGNATURE_BYTES ? Number(BigInt(`0x${hex(signature.slice(0, 8))}`)) : undefined;
    return [foreign(plain(name)), code(hex(id)), isLog ? "the log" : "a witness", time === undefined ? "not told" : ago(Date.now() / 1000 - time), isLog ? element("span", "good", "holds") : witnessWords(checked, time)];
  });
  const made = element("div", "", table(caption, ["Who", "Key", "As", "When", "Checked"], rows));
  if (checked?.ok === false) made.append(paragraph("bad", `Your policy does not hold for this state: ${checked.fault}${checked.line === undefined ? "" : ` in line ${checked.line} of the policy`}.`));
  if (checked?.ok === true) made.append(paragraph("good", `Your policy holds: ${checked.cosigned.map(({ name }) => plain(name)).join(", ")}.`));
  return made;
}

/** A witness counts when the policy names it; which line is whose is told by the time, as a policy has names of its own. */
function witnessWords(checked: WitnessCheck | undefined, time: number | undefined): Child {
  if (checked?.ok === true && checked.cosigned.some((one) => one.time === time)) return element("span", "good", "holds");
  return element("span", "doubt", checked === undefined ? "not checked: no policy was given" : "not counted");
}

/** Compares with the state that this browser kept, and keeps the newer one when it has grown from it. */
async function compared(view: LogView, state: State, seen: string | undefined): Promise<Child[]> {
  const kept = paragraph("fine", "The text of the newest state that was seen is kept in this browser's storage, and nothing else is: no token, no record, no name.");
  const drop = button("Forget it", () => {
    forget();
    drop.disabled = true;
    drop.replaceChildren("Forgotten");
  });
  const end = [kept, element("p", "buttons", drop)];
  if (seen === undefined) {
    remember(state.note);
    return [paragraph("", `Nothing was seen before. The state of ${grouped(state.size)} records is kept to compare with next time.`), ...end];
  }
  try {
    const known = await view.open(seen);
    await view.expectGrowth(known, state);
    remember(state.note);
    const words = known.size === state.size ? `It is the same state: ${grouped(state.size)} records.` : `The log has grown from ${grouped(known.size)} to ${grouped(state.size)} records, and the first ${grouped(known.size)} are the same.`;
    return [paragraph("good", words), ...end];
  } catch (error) {
    // What was seen stays: it is the evidence.
    return [
      failed(error),
      ...(!isAlarm(error) ? [] : [paragraph("", "Either the log was set back or replaced, or its key was. Keep both texts and ask the operator.")]),
      scrolling("The state that was seen", element("pre", "", plainNote(seen))),
      scrolling("The state of now", element("pre", "", plainNote(state.note))),
      ...end,
    ];
  }
}

const plainNote = (note: string): string => note.split("\n").map(plain).join("\n");

function sizeIn(note: string): number | undefined {
  const [, size] = /^[^\n]+\n(0|[1-9][0-9]{0,15})\n/.exec(note) ?? [];
  return size === undefined ? undefined : Number(size);
}
