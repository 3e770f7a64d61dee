// The service, for its operator: what the metrics of the admin address say, read twice and again.

import { code, element, foreign, grouped, paragraph, prose, section, table, type Child } from "../dom.ts";
import { plain } from "../model/text.ts";
import { REGISTRY } from "./address.ts";
import { Failure, failed, tokenAdvice } from "./failure.ts";
import { of, quantile, rateOf, type Reading, readMetrics, sumOf, sumsBy, valueOf } from "./metrics.ts";
import { ago, clock, facts, type Page, pause, pending, span, type Visit } from "./page.ts";

/** How long between two readings, and the most bytes of one. */
const BETWEEN_MS = 5_000;
const MOST_BYTES = 4 * 1024 * 1024;

/** The most rows of each table. */
const MOST_ROWS = 100;

const TYPES = ["application/openmetrics-text", "text/plain"];

type Fact = readonly [name: string, ...value: Child[]];

export const service: Page = {
  name: "Service",
  title: "Service",
  show(visit) {
    visit.main.append(
      paragraph("", "Rates and times are those between two readings of the metrics, five seconds apart; everything else is of the last one."),
      pending("Reading the metrics…", visit, async () => {
        const [line, place] = [element("div", "fine read"), element("div", "readings")];
        const first = await read(visit, undefined, line, place);
        void again(visit, first, line, place);
        return [line, place];
      }),
    );
  },
};

async function again(visit: Visit, first: Reading | undefined, line: HTMLElement, place: HTMLElement): Promise<void> {
  for (let before = first; ; ) {
    await pause(BETWEEN_MS, visit.signal);
    if (visit.signal.aborted) return;
    // Whoever does not look at it costs the service nothing.
    if (!document.hidden) before = await read(visit, before, line, place);
  }
}

/** Reads the metrics and shows them, and says when that was. Gives the last reading that there is. */
async function read(visit: Visit, before: Reading | undefined, line: HTMLElement, place: HTMLElement): Promise<Reading | undefined> {
  try {
    const now = await reading(visit);
    if (visit.signal.aborted) return before;
    line.replaceChildren(paragraph("", `Read at ${clock(new Date(now.at))}. It is read again every ${BETWEEN_MS / 1000} seconds while this page is looked at.`));
    place.replaceChildren(...shown(before, now));
    return now;
  } catch (error) {
    if (!visit.signal.aborted) line.replaceChildren(failed(error), paragraph("", `${before === undefined ? "" : `What stands below was read at ${clock(new Date(before.at))}. `}The service is asked again every ${BETWEEN_MS / 1000} seconds.`));
    return before;
  }
}

async function reading({ session, signal }: Visit): Promise<Reading> {
  const response = await answered(fetch(`${REGISTRY}/metrics`, { headers: { accept: "application/openmetrics-text, text/plain", ...session.authorization }, signal, redirect: "error", credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer" }));
  const type = (response.headers.get("content-type") ?? "").split(";")[0]?.trim();
  if (response.status === 404) throw new Failure("This is not the admin address, so the service tells nothing of itself here. Open `/console/service` at the address that `admin-bind` names.");
  if (response.status === 401 || response.status === 403) throw new Failure(`The metrics take a token of the scope \`metrics\`. ${tokenAdvice(response.status, session.token, "metrics")}`);
  if (response.status !== 200 || !TYPES.includes(type ?? "")) throw new Failure(`The metrics were answered with ${response.status}.`);
  const text = await answered(response.text());
  if (text.length > MOST_BYTES) throw new Failure("The metrics are too long for this page.");
  return readMetrics(text, Date.now());
}

async function answered<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch {
    throw new Failure("The registry does not answer.");
  }
}

function shown(before: Reading | undefined, now: Reading): Child[] {
  return [
    section("state", "State", facts(...state(now))),
    section("answers", "Answers", facts(...answers(before, now)), ...operations(before, now)),
    section("journal", "Journal", facts(...journal(before, now))),
    section("events", "Events", ...events(now)),
    section("ends", "What ends", ...ends(now)),
    ...(now.unread === 0 ? [] : [paragraph("doubt", `${grouped(now.unread)} lines of the metrics were not read.`)]),
  ];
}

function state(now: Reading): Fact[] {
  const [build] = of(now, "svc_build_info");
  const ready = valueOf(now, "svc_ready");
  const disk = valueOf(now, "svc_disk_free_bytes");
  const told = (label: string): Child => code(plain(build?.labels.get(label) ?? "not told"));
  return [
    ["Ready", ready === 1 ? element("span", "good", "yes") : element("span", "bad", ready === undefined ? "not told" : "no")],
    ["Version", told("version"), " commit ", told("commit")],
    ["Free disk", disk === undefined ? "not told" : bytes(disk)],
    ["Guard", alarm(valueOf(now, "svc_guard_trips_total"), "answers were withheld", "withheld nothing")],
    ["Log lines lost", number(valueOf(now, "svc_log_lines_lost_total"))],
  ];
}

function answers(before: Reading | undefined, now: Reading): Fact[] {
  const rate = before === undefined ? undefined : rateOf(before, now, (reading) => sumOf(reading, "svc_answers_total"));
  const refused = before === undefined ? undefined : rateOf(before, now, (reading) => sumOf(reading, "svc_problems_total"));
  const within = (share: number): Child => (before === undefined ? "…" : bound(quantile(before, now, "svc_answer_seconds", share)));
  return [
    ["Answers", perSecond(before, rate)],
    ["Refusals", perSecond(before, refused)],
    ["Half within", within(0.5)],
    ["99 of 100 within", within(0.99)],
    ["In flight", number(valueOf(now, "svc_requests_in_flight"))],
    ["Connections", number(valueOf(now, "svc_connections_open"))],
  ];
}

/** Answers by operation, those with the most first. */
function operations(before: Reading | undefined, now: Reading): Child[] {
  const sums = sumsBy(now, "svc_answers_total", "operation");
  const earlier = before === undefined ? undefined : sumsBy(before, "svc_answers_total", "operation");
  if (sums.size === 0) return [];
  const rate = (name: string): number | undefined => (before === undefined ? undefined : rateOf(before, now, (reading) => (reading === now ? sums : earlier)?.get(name) ?? 0));
  const rows = [...sums].sort(([, left], [, right]) => right - left);
  return bounded("Answers by operation", ["Operation", "Since the start", "Rate"], rows, ([name, all]) => [code(plain(name)), grouped(all), perSecond(before, rate(name))]);
}

function journal(before: Reading | undefined, now: Reading): Fact[] {
  const size = valueOf(now, "svc_journal_size_records");
  if (size === undefined) return [["Journal", "this service keeps none, or does not tell"]];
  const growth = before === undefined ? undefined : rateOf(before, now, (reading) => valueOf(reading, "svc_journal_records_total"));
  const age = valueOf(now, "svc_journal_checkpoint_age_seconds");
  const closed = valueOf(now, "svc_journal_closed") === 1;
  return [
    ["Records", grouped(size)],
    ["Growth", perSecond(before, growth)],
    ["Takes records", closed ? element("span", "bad", "closed until somebody has looked") : valueOf(now, "svc_journal_takes_records") === 1 ? element("span", "good", "yes") : element("span", "bad", "no")],
    ["Newest state", age === undefined ? "not told" : ago(age)],
    ["99 of 100 flushes within", before === undefined ? "…" : bound(quantile(before, now, "svc_journal_flush_seconds", 0.99))],
    ["Answers withheld", alarm(valueOf(now, "svc_journal_failures_total"), "could not be recorded", "none")],
    ["Witnesses", quorum(now)],
  ];
}

function quorum(now: Reading): Child {
  const held = valueOf(now, "svc_witness_quorum");
  const alarms = of(now, "svc_witness_alarm").filter(({ value }) => value === 1).map(({ labels }) => plain(labels.get("witness") ?? ""));
  if (alarms.length > 0) return element("span", "bad", `another log was seen by ${alarms.join(", ")}`);
  if (held === undefined) return "none are set";
  return held === 1 ? element("span", "good", "the quorum cosigns") : element("span", "bad", "the quorum is lacking");
}

/** The endpoints of events and how far each is behind the log. */
function events(now: Reading): Child[] {
  const endpoints = of(now, "svc_events_behind_records");
  const names = [...new Set(endpoints.map(({ labels }) => labels.get("endpoint") ?? ""))].sort();
  const readers = valueOf(now, "svc_event_streams_open");
  const open: Child[] = readers === undefined ? [] : [facts(["Readers of the stream", grouped(readers)])];
  if ((valueOf(now, "svc_events_faults") ?? 0) > 0) open.push(paragraph("bad", prose("An endpoint cannot be read, or their store cannot be used: nothing is delivered there. `svc-registry events list` says which.")));
  if (names.length === 0) return [...open, paragraph("", "No endpoint of events is set, or the service tells of none.")];
  const row = (name: string): Child[] => {
    const isIts = (labels: ReadonlyMap<string, string>): boolean => labels.get("endpoint") === name;
    const behind = sumOf(now, "svc_events_behind_records", isIts) ?? 0;
    const state = of(now, "svc_events_state").find(({ labels, value }) => isIts(labels) && value === 1)?.labels.get("state") ?? "not told";
    const failures = sumOf(now, "svc_events_tries_total", (labels) => isIts(labels) && labels.get("outcome") !== "delivered") ?? 0;
    return [foreign(plain(name)), element("span", behind === 0 ? "good" : "doubt", grouped(behind)), state === "active" ? state : element("strong", "", foreign(plain(state))), grouped(failures)];
  };
  return [...open, ...bounded("Endpoints of events", ["Endpoint", "Records behind", "State", "Tries that failed"], names, row)];
}

function ends(now: Reading): Child[] {
  const certificate = valueOf(now, "svc_certificate_end_seconds");
  const tokens = of(now, "svc_token_end_seconds").map(({ labels, value }) => ({ token: labels.get("token") ?? "", end: value })).sort((left, right) => left.end - right.end);
  const all = [...(certificate === undefined ? [] : [{ token: undefined, end: certificate }]), ...tokens];
  if (all.length === 0) return [paragraph("", "No certificate and no token that ends.")];
  return bounded("What ends", ["What", "When, UTC", "Left"], all, ({ token, end }) => {
    const left = end - now.at / 1000;
    const when = new Date(end * 1000);
    return [
      token === undefined ? "The certificate" : element("span", "", "Token ", foreign(plain(token))),
      Number.isNaN(when.getTime()) ? "not a time" : when.toISOString().slice(0, 16).replace("T", " "),
      element("span", left < 86_400 * 14 ? "bad" : "", left < 0 ? `ended ${span(-left)} ago` : `in ${span(left)}`),
    ];
  });
}

/** A table of as many rows as a page bears, and how many more there are. */
function bounded<R>(caption: string, head: readonly string[], rows: readonly R[], cells: (row: R) => Child[]): Child[] {
  const more = rows.length - MOST_ROWS;
  return [table(caption, head, rows.slice(0, MOST_ROWS).map(cells)), ...(more > 0 ? [paragraph("fine", `and ${grouped(more)} more; `, code("/metrics"), " has all.")] : [])];
}

const number = (value: number | undefined): string => (value === undefined ? "not told" : grouped(value));

const perSecond = (before: Reading | undefined, rate: number | undefined): string => (before === undefined ? "…" : rate === undefined ? "not known" : `${rate >= 100 ? grouped(Math.round(rate)) : rate.toFixed(1)} a second`);

const alarm = (value: number | undefined, bad: string, good: string): Child => (value === undefined ? "not told" : value === 0 ? good : element("span", "bad", `${grouped(value)} ${bad}`));

function bound(seconds: number | undefined): string {
  if (seconds === undefined) return "nothing came";
  if (seconds === Infinity) return "longer than the longest bound";
  return seconds >= 1 ? `${seconds} s` : `${Number((seconds * 1000).toPrecision(3))} ms`;
}

function bytes(count: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(units.length - 1, count < 1 ? 0 : Math.floor(Math.log2(count) / 10));
  return `${(count / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}
