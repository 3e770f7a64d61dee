// The log: how long it is, who signed it and when, whether it is the one that this browser saw last, and its tiles.

import { hex } from "../../../sdk/typescript/src/digest.ts";
import { sameBytes } from "../../../sdk/typescript/src/bytes.ts";
import { checkWitnesses, type WitnessCheck } from "../../../sdk/typescript/src/receipt/policy.ts";
import { describeCheckpoint, signaturesOf } from "../../../sdk/typescript/src/receipt/checkpoint.ts";
import { code, element, foreign, grouped, paragraph, scrolling, section, table, type Child } from "../dom.ts";
import { plain } from "../model/text.ts";
import { raise } from "./alarm.ts";
import { Failure, failed, isAlarm } from "./failure.ts";
import { LogView, type State } from "./journal.ts";
import { lastSeen } from "./last-seen.ts";
import { AGAIN_MS, ago, ASKED_AGAIN, clock, facts, isLookedAt, paceOf, type Page, pending, renew, type Visit } from "./page.ts";
import { evidenceOf, forgetAfterAlarm, forgetButton, heldAgainstSeen, type Newest, newestOf, rememberAfter } from "./seen.ts";
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
        const reader = new LogReader(visit);
        await reader.read();
        void reader.again();
        return reader.parts;
      }),
    );
  },
};

/** The log as it was read last; it is read again for as long as it is looked at, and never after an alarm. */
class LogReader {
  readonly #visit: Visit;
  readonly #line = element("div", "fine read");
  readonly #place = element("div", "readings");
  #view: LogView | undefined;
  /** The state of the last reading, and what this browser had seen before the first. */
  #last: State | undefined;
  #before: State | undefined;
  #readAt: string | undefined;
  #isForgotten = false;
  #isOver = false;

  constructor(visit: Visit) {
    this.#visit = visit;
  }

  get parts(): Child[] {
    return [this.#line, this.#place];
  }

  async again(): Promise<void> {
    while (!this.#isOver && (await isLookedAt(AGAIN_MS, this.#visit.signal))) await this.read();
  }

  /** Reads the log and shows it as it is now, and says when that was. */
  async read(): Promise<void> {
    const seen = this.#last?.note ?? lastSeen();
    let newest: Newest | undefined;
    try {
      this.#view ??= new LogView(this.#visit.session, await this.#visit.session.keys(this.#visit), this.#visit.signal);
      newest = await newestOf(this.#view);
      if (newest !== undefined) await this.#show(this.#view, newest);
      else if (this.#last === undefined) this.#place.replaceChildren(paragraph("", "The log has no signed state yet: nothing was answered."));
      else throw new Failure("The server has no signed state any more, and had one.");
      this.#readAt = clock();
      this.#line.replaceChildren(paragraph("", `Read at ${this.#readAt}. It is read again every ${AGAIN_MS / 1000} seconds while this page is looked at.`));
    } catch (error) {
      if (isAlarm(error)) return this.#stop(error, seen, newest?.state);
      this.#line.replaceChildren(failed(error), paragraph("", `${this.#readAt === undefined ? "" : `What stands below was read at ${this.#readAt}. `}${ASKED_AGAIN}`));
    }
  }

  /** Ends the reading. What was read before is put away with its time: of what it is worth now nothing is known. */
  #stop(error: unknown, seen: string | undefined, now: State | undefined): void {
    if (this.#visit.signal.aborted) return;
    this.#isOver = true;
    raise(this.#visit, error, ...evidenceOf(error, seen, now).parts, ...forgetAfterAlarm());
    this.#line.replaceChildren(paragraph("", `Nothing more is read. ${this.#readAt === undefined ? "Nothing was read before the alarm." : ""}`));
    if (this.#readAt === undefined) return this.#place.replaceChildren();
    const past = element("details", "past", element("summary", "", `What was read before the alarm, at ${this.#readAt}`), ...this.#place.childNodes);
    // What they would do is offered above, or not any more.
    past.querySelectorAll(".buttons").forEach((buttons) => buttons.remove());
    this.#place.replaceChildren(past);
  }

  async #show(view: LogView, newest: Newest): Promise<void> {
    const { state, seen } = newest;
    const { rootHash, origin, size } = describeCheckpoint(state);
    const compared = await part(() => this.#compared(view, newest));
    const made = [
      paragraph("fine", trustOf(view.keys)),
      section("size", `${grouped(size)} records`, facts(["Log", foreign(plain(origin))], ["Root", code(rootHash)]), ...(await part(() => growth(view, state)))),
      section("signatures", "Signatures", ...(await part(() => signatures(this.#visit, view, state)))),
      section("seen", "What this browser saw last", ...compared),
      section(
        "tiles",
        "Tiles",
        paragraph("", "The log serves its hashes in tiles of 256. A full tile never changes; the last one of each level grows."),
        ...tilePicture(size, this.#before?.size ?? (seen === undefined ? undefined : sizeIn(seen))),
        element("details", "", element("summary", "", "The signed state as text"), scrolling("The signed state as text", element("pre", "", state.note))),
      ),
    ];
    if (this.#visit.signal.aborted) return;
    const old = Array.from(this.#place.children) as HTMLElement[];
    if (old.length !== made.length) this.#place.replaceChildren(...made);
    else made.forEach((part, at) => renew(old[at] as HTMLElement, part));
  }

  /** Compares with what this browser kept and with the last reading, and keeps the newer state when it has grown from both. */
  async #compared(view: LogView, newest: Newest): Promise<Child[]> {
    const { state, seen } = newest;
    const kept = paragraph("fine", "The text of the newest state that was seen is kept in this browser's storage, and nothing else is: no token, no record, no name.");
    if (this.#last !== undefined) await view.expectGrowth(this.#last, state);
    const known = this.#isForgotten ? undefined : await heldAgainstSeen(view, newest);
    if (this.#last === undefined) this.#before = known;
    this.#last = state;
    if (this.#isForgotten) return [paragraph("", "What was seen is forgotten, and nothing is kept of this visit.")];
    rememberAfter(seen, state);
    return [this.#grown(state), kept, element("p", "buttons", forgetButton(() => (this.#isForgotten = true)))];
  }

  #grown({ size }: State): HTMLElement {
    const known = this.#before?.size;
    if (known === undefined) return paragraph("", `Nothing was seen before. The state of ${grouped(size)} records is kept to compare with next time.`);
    return paragraph("good", known === size ? `It is the same state: ${grouped(size)} records.` : `The log has grown from ${grouped(known)} to ${grouped(size)} records, and the first ${grouped(known)} are the same.`);
  }
}

/** A part of the page, or why there is none. An alarm is for the whole page. */
async function part(work: () => Promise<Child[]>): Promise<Child[]> {
  try {
    return await work();
  } catch (error) {
    if (isAlarm(error)) throw error;
    return [failed(error)];
  }
}

/** How fast the log grows, by the times of its newest records, which are proven to be in it. */
async function growth(view: LogView, state: State): Promise<Child[]> {
  const entries = await view.before(state.size, state, NEWEST);
  const times = entries.map(({ record }) => Date.parse(record.time) / 1000);
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return [paragraph("", "No record can be read.")];
  const took = last - first;
  const denied = entries.filter(({ record }) => record.outcome === "denied").length;
  return [
    facts(
      ["Newest record", ago(Date.now() / 1000 - last), ` (${new Date(last * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC)`],
      ["Growth", paceOf(times.length, took)],
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

function sizeIn(note: string): number | undefined {
  const [, size] = /^[^\n]+\n(0|[1-9][0-9]{0,15})\n/.exec(note) ?? [];
  return size === undefined ? undefined : Number(size);
}
