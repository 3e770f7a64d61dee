/** How long an answer asks to wait (RFC 9110, 10.2.3): seconds, or until a moment, in the three forms that dates of HTTP have. */

const SECONDS = /^\d+$/;
const MONTH = "(?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const TIME = "(?<time>\\d\\d:\\d\\d:\\d\\d)";
const DATES: readonly RegExp[] = [
  `[A-Z][a-z]{2}, (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${TIME} GMT`,
  `[A-Z][a-z]{5,8}, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${TIME} GMT`,
  `[A-Z][a-z]{2} ${MONTH} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})`,
].map((form) => new RegExp(`^${form}$`));
/** The values of headers that were joined: a comma behind the name of a day is one of a date. */
const JOINED = /[^,]*(?:day|Mon|Tue|Wed|Thu|Fri|Sat|Sun), [^,]*|[^,]+/g;
/** A year of two digits is none that lies further ahead. */
const MOST_YEARS_AHEAD = 50;

/**
 * The milliseconds that are asked for, however many, and the most of them where two headers ask. What cannot be read asks for
 * nothing.
 */
export function retryAfterOf(response: Response, now: number = Date.now()): number | undefined {
  const values = response.headers.get("retry-after")?.match(JOINED) ?? [];
  const asked = values.map((value) => waitOf(value.trim(), now)).filter((wait) => wait !== undefined);
  return asked.length === 0 ? undefined : Math.max(...asked);
}

function waitOf(value: string, now: number): number | undefined {
  if (SECONDS.test(value)) return Math.min(Number(value) * 1000, Number.MAX_SAFE_INTEGER);
  const moment = momentOf(value, now);
  return Number.isNaN(moment) ? undefined : Math.max(moment - now, 0);
}

/** When a date is, or NaN. */
function momentOf(value: string, now: number): number {
  for (const form of DATES) {
    const { day = "", month, year = "", time } = form.exec(value)?.groups ?? {};
    const whole = year.length === 2 ? inCentury(Number(year), now) : year;
    if (month !== undefined) return Date.parse(`${day.trim()} ${month} ${whole} ${time} GMT`);
  }
  return Number.NaN;
}

function inCentury(year: number, now: number): number {
  const present = new Date(now).getUTCFullYear();
  const ahead = present - (present % 100) + year;
  return ahead > present + MOST_YEARS_AHEAD ? ahead - 100 : ahead;
}
