// Decisions: the records of the log, the newest first, and new ones as they come. Each is proven in the page before it is shown
// as proven.

import { EventError } from "../../../sdk/typescript/src/client/errors.ts";
import type { JournalRecord } from "../../../sdk/typescript/src/receipt/record.ts";
import { element, grouped, paragraph, prose, type Child } from "../dom.ts";
import { raise } from "./alarm.ts";
import { Failure, failed, isAlarm } from "./failure.ts";
import { fits, filterFields } from "./filters.ts";
import { type Entry, LogView, type State, typeOf } from "./journal.ts";
import { lastSeen } from "./last-seen.ts";
import { button, liveRegion, type Page, pause, pending, type Visit } from "./page.ts";
import { recordItem, type Row } from "./record-item.ts";
import { evidenceOf, forgetAfterAlarm, heldAgainstSeen, type Newest, newestOf, rememberAfter, shownNow } from "./seen.ts";
import { trustOf } from "./session.ts";
import { StreamLine } from "./stream-line.ts";

/** How many records are asked for at once, and how many are kept on the page. */
const PAGE = 50;
const MOST_ROWS = 1_000;

/** How long new decisions are gathered before a screen reader is told, and how long to wait before the stream is opened again. */
const TOLD_EVERY_MS = 2_000;
const AGAIN_MS = 3_000;

/** How often is asked where there is no stream. */
const ASKED_EVERY_MS = 10_000;

export const decisions: Page = {
  name: "Decisions",
  title: "Decisions",
  show(visit) {
    visit.main.append(
      paragraph("", "Every answer that is on record, the newest first. Each of them is a no; records hold digests and no names."),
      pending("Reading the log…", visit, () => opened(visit)),
    );
  },
};

/** The list of the log as it is now, which is followed from here on; or that it is not the one that was seen. */
async function opened(visit: Visit): Promise<Child[]> {
  const seen = lastSeen();
  let newest: Newest | undefined;
  try {
    const view = new LogView(visit.session, await visit.session.keys(visit), visit.signal);
    newest = await newestOf(view);
    if (newest === undefined) throw new Failure("The log has no signed state yet: nothing was answered.");
    await heldAgainstSeen(view, newest);
    const list = new DecisionList(visit, view, newest);
    await list.older();
    void list.follow();
    return list.parts;
  } catch (error) {
    if (!isAlarm(error)) throw error;
    raise(visit, error, ...evidenceOf(error, seen, newest?.state).parts, ...(seen === undefined ? [] : forgetAfterAlarm()));
    return [paragraph("", `No record is shown${seen === undefined ? "" : ": this is not the log that this browser saw"}. Nothing more is read.`)];
  }
}

class DecisionList {
  readonly #visit: Visit;
  readonly #view: LogView;
  /** The newest state that was proven to hold what is shown. */
  #state: State;
  /** The oldest place that was read. */
  #oldest: number;
  /** The text that this browser keeps, as far as this page knows. */
  #kept: string | undefined;
  #isFollowing = true;
  #isOver = false;
  readonly #rows = new Map<number, Row>();
  readonly #list = element("ol", "records");
  readonly #counts = element("p", "fine counts");
  readonly #said = liveRegion();
  /** What is said of the records before the oldest one. */
  readonly #below = element("div", "fine");
  readonly #way: StreamLine;
  readonly #follow = button("Stop following", () => this.#toggle());
  readonly #more = button("Older decisions", () => void this.older());
  readonly #filters = filterFields(() => this.#filter());
  #untold: JournalRecord[] = [];
  #telling: ReturnType<typeof setTimeout> | undefined;

  constructor(visit: Visit, view: LogView, { state, seen }: Newest) {
    this.#visit = visit;
    this.#view = view;
    this.#state = state;
    this.#oldest = state.size;
    this.#kept = seen;
    this.#way = new StreamLine(visit.signal);
    this.#keep(state);
    visit.signal.addEventListener("abort", () => clearTimeout(this.#telling));
  }

  get parts(): Child[] {
    const heading = element("h2", "unseen", "Records");
    return [paragraph("fine", `${trustOf(this.#view.keys)} The log is held against the state that this browser saw last, which is all that it keeps.`), this.#filters.form, element("p", "buttons", this.#follow), this.#way.element, this.#said, this.#counts, heading, this.#list, this.#below, element("p", "buttons", this.#more)];
  }

  #toggle(): void {
    this.#isFollowing = !this.#isFollowing;
    this.#follow.replaceChildren(this.#isFollowing ? "Stop following" : "Follow again");
    if (this.#isFollowing) for (const { item } of this.#rows.values()) item.dataset["held"] = "no";
    this.#filter();
  }

  /** Goes on from a state that was proven, and keeps it for later visits. */
  #keep(state: State): void {
    this.#state = state;
    rememberAfter(this.#kept, state);
    this.#kept = state.note;
    this.#count();
  }

  /** Reads the records before the oldest one. */
  async older(): Promise<void> {
    this.#more.disabled = true;
    this.#below.replaceChildren();
    try {
      const entries = await this.#view.before(this.#oldest, this.#state, PAGE);
      const first = entries[0]?.record.sequence;
      this.#oldest = first ?? 0;
      for (const entry of [...entries].reverse()) this.#list.append(this.#put(entry, "proven").item);
      this.#more.disabled = this.#oldest === 0 || entries.length < PAGE || this.#rows.size >= MOST_ROWS;
      if (this.#oldest > 0 && entries.length < PAGE) this.#below.replaceChildren(`Records below ${grouped(this.#oldest)} were pruned: their hashes are still part of the log.`);
    } catch (error) {
      if (this.#rows.size === 0) throw error;
      if (isAlarm(error)) this.#stop(error);
      else {
        this.#below.replaceChildren(failed(error));
        this.#more.disabled = false;
      }
    }
    this.#filter();
  }

  /** Follows the log until the page is left: by the stream, or by asking where there is none. */
  async follow(): Promise<void> {
    while (!this.#visit.signal.aborted && !this.#isOver) {
      try {
        for await (const came of this.#view.follow(this.#state, () => this.#way.heard())) {
          if (this.#isOver) return;
          this.#take(came);
        }
        this.#way.ended();
        await pause(AGAIN_MS, this.#visit.signal);
      } catch (error) {
        if (this.#visit.signal.aborted) return;
        if (this.#isOver) return;
        if (isAlarm(error)) return this.#stop(error);
        const isWithout = error instanceof EventError && error.problem?.status === 404;
        if (isWithout) {
          if (!(await this.#ask())) return;
        } else this.#way.brokeOff(error);
        await pause(isWithout ? ASKED_EVERY_MS : AGAIN_MS, this.#visit.signal);
      }
      // What the stream sent and no state confirmed comes again.
      for (const place of this.#rows.keys()) if (place >= this.#state.size) this.#drop(place);
      this.#filter();
    }
  }

  /** Asks for what is new. Says whether to go on. */
  async #ask(): Promise<boolean> {
    try {
      const state = await this.#view.state("checkpoint");
      if (state === undefined) throw new Failure("The server has no signed state any more, and had one.");
      if (state.note !== this.#state.note) await this.#grow(state);
      this.#way.asks(ASKED_EVERY_MS);
    } catch (error) {
      if (this.#visit.signal.aborted) return false;
      if (isAlarm(error)) {
        this.#stop(error);
        return false;
      }
      this.#way.asks(ASKED_EVERY_MS, error);
    }
    return true;
  }

  /** Reads what a newer state has, page by page. Of more than the page keeps, the newest are read. */
  async #grow(state: State): Promise<void> {
    await this.#view.expectGrowth(this.#state, state);
    const known = this.#state.size;
    const first = Math.max(known, state.size - MOST_ROWS);
    const entries: Entry[] = [];
    for (let end = first; end < state.size; ) {
      const begin = end;
      end = Math.min(state.size, begin + PAGE);
      entries.push(...(await this.#view.before(end, state, end - begin)));
    }
    if (first > known) {
      for (const place of this.#rows.keys()) this.#drop(place);
      this.#oldest = first;
      this.#more.disabled = false;
    }
    for (const entry of entries) this.#add(entry, "proven");
    this.#keep(state);
  }

  #drop(place: number): void {
    this.#rows.get(place)?.item.remove();
    this.#rows.delete(place);
  }

  #take(came: { readonly record: JournalRecord } | { readonly state: State }): void {
    if ("record" in came) return this.#add({ record: came.record }, "waiting");
    for (const [place, row] of this.#rows) if (place < came.state.size) row.mark("proven");
    this.#keep(came.state);
  }

  #add(entry: Entry, standing: "proven" | "waiting"): void {
    if (this.#rows.has(entry.record.sequence)) return;
    const { item } = this.#put(entry, standing);
    item.dataset["held"] = this.#isFollowing ? "no" : "yes";
    this.#list.prepend(item);
    this.#untold.push(entry.record);
    this.#telling ??= setTimeout(() => this.#tell(), TOLD_EVERY_MS);
    // The oldest make room, and can be read again.
    if (this.#rows.size > MOST_ROWS) {
      const last = Math.min(...this.#rows.keys());
      this.#drop(last);
      this.#oldest = last + 1;
      this.#more.disabled = false;
    }
    this.#filter();
  }

  #put(entry: Entry, standing: "proven" | "waiting"): Row {
    const row = recordItem(entry, this.#view, standing);
    this.#rows.set(entry.record.sequence, row);
    return row;
  }

  #tell(): void {
    this.#telling = undefined;
    const [last, count] = [this.#untold.at(-1), this.#untold.length];
    this.#untold = [];
    if (last === undefined || !this.#isFollowing) return;
    this.#said.replaceChildren(count === 1 ? `A new decision: ${grouped(last.sequence)}, ${last.operation}, ${last.outcome}.` : `${grouped(count)} new decisions, the newest ${grouped(last.sequence)}.`);
  }

  /** Ends everything, and marks what was read before: of what it is worth now nothing is known. */
  #stop(error: unknown): void {
    this.#isOver = true;
    const evidence = evidenceOf(error, this.#state.note);
    const now = paragraph("", "What the registry shows now is asked for…");
    now.setAttribute("role", "status");
    const hadFocus = document.activeElement === this.#follow || document.activeElement === this.#more;
    raise(this.#visit, error, now, ...evidence.parts);
    this.#way.over();
    this.#follow.remove();
    this.#more.remove();
    this.#list.classList.add("past");
    for (const [place, row] of this.#rows) if (place < this.#state.size) row.mark("before-alarm");
    if (hadFocus) this.#visit.main.querySelector<HTMLElement>(".evidence button")?.focus();
    this.#filter();
    void shownNow(this.#view, this.#state, evidence).then((words) => now.replaceChildren(prose(words)));
  }

  /** Shows what the filters let through. Whoever stopped following sees nothing newer than what was there. */
  #filter(): void {
    const wanted = this.#filters.wanted();
    for (const { item, record } of this.#rows.values()) item.hidden = !fits(record, typeOf(record), wanted) || (!this.#isFollowing && item.dataset["held"] === "yes");
    this.#count();
  }

  /** Says how much is shown of what, by the newest state that was proven. */
  #count(): void {
    const rows = [...this.#rows];
    const waiting = rows.filter(([place]) => place >= this.#state.size).length;
    const shown = rows.filter(([, { item }]) => !item.hidden).length;
    const read = `Shown: ${grouped(shown)} of ${grouped(rows.length)} that were read`;
    const log = `the log has ${grouped(this.#state.size)}${waiting === 0 ? "" : `, and ${grouped(waiting)} more wait${waiting === 1 ? "s" : ""} for a signed state`}`;
    // After an alarm nobody knows how much of which log there is.
    this.#counts.replaceChildren(this.#isOver ? `${read} before that.` : `${read}; ${log}.`);
  }
}
