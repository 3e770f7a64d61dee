// Prometheus text, as far as this registry writes it: samples by name and labels. What does not read is left out and counted.

export interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

/** All samples at one moment. */
export interface Reading {
  readonly at: number;
  readonly samples: readonly Sample[];
  /** Lines that are none. */
  readonly unread: number;
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)(?: -?\d+)?$/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/;
const MOST_SAMPLES = 20_000;

export function readMetrics(text: string, at: number): Reading {
  const samples: Sample[] = [];
  let unread = 0;
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const sample = sampleOf(line);
    if (sample === undefined || samples.length >= MOST_SAMPLES) unread += 1;
    else samples.push(sample);
  }
  return { at, samples, unread };
}

function sampleOf(line: string): Sample | undefined {
  const [, name, inside = "", number = ""] = LINE.exec(line) ?? [];
  const labels = labelsOf(inside);
  const value = number === "+Inf" ? Infinity : /^[-+0-9.eE]+$/.test(number) ? Number(number) : NaN;
  return name === undefined || labels === undefined || Number.isNaN(value) ? undefined : { name, labels, value };
}

function labelsOf(text: string): Map<string, string> | undefined {
  const labels = new Map<string, string>();
  for (let rest = text; rest !== ""; ) {
    const [whole, name, value] = LABEL.exec(rest) ?? [];
    if (whole === undefined || name === undefined || value === undefined) return undefined;
    labels.set(name, value.replace(/\\([\\"n])/g, (_, letter: string) => (letter === "n" ? "\n" : letter)));
    rest = rest.slice(whole.length);
  }
  return labels;
}

/** The samples of a name. */
export const of = ({ samples }: Reading, name: string): readonly Sample[] => samples.filter((sample) => sample.name === name);

/** The one value of a name; nothing where the service does not tell it. */
export const valueOf = (reading: Reading, name: string): number | undefined => of(reading, name)[0]?.value;

/** The sum over all labels; nothing where there is no sample. */
export function sumOf(reading: Reading, name: string, fits: (labels: ReadonlyMap<string, string>) => boolean = () => true): number | undefined {
  const found = of(reading, name).filter(({ labels }) => fits(labels));
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}

/** The sums of a name, by one of its labels. */
export function sumsBy(reading: Reading, name: string, label: string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { labels, value } of of(reading, name)) sums.set(labels.get(label) ?? "", (sums.get(labels.get(label) ?? "") ?? 0) + value);
  return sums;
}

/** How much a counter grew by a second. A counter that fell was set back by a start: then nothing is known. */
export function rateOf(before: Reading, after: Reading, count: (reading: Reading) => number | undefined): number | undefined {
  const [from, to, seconds] = [count(before), count(after), (after.at - before.at) / 1000];
  if (to === undefined || seconds <= 0) return undefined;
  const grown = to - (from ?? 0);
  return grown < 0 ? undefined : grown / seconds;
}

/** The bound below which a share of what came between two readings stayed; nothing when nothing came. */
export function quantile(before: Reading, after: Reading, histogram: string, share: number): number | undefined {
  const counts = (reading: Reading): Map<number, number> => {
    const sums = new Map<number, number>();
    for (const { labels, value } of of(reading, `${histogram}_bucket`)) {
      const bound = labels.get("le") === "+Inf" ? Infinity : Number(labels.get("le"));
      sums.set(bound, (sums.get(bound) ?? 0) + value);
    }
    return sums;
  };
  const [was, now] = [counts(before), counts(after)];
  const bounds = [...now.keys()].sort((left, right) => left - right);
  const grown = (bound: number): number => (now.get(bound) ?? 0) - (was.get(bound) ?? 0);
  const all = grown(Infinity);
  return all > 0 ? bounds.find((bound) => grown(bound) >= all * share) : undefined;
}
