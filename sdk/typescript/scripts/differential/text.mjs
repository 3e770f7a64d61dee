// Texts of JSON, spelled in many ways, and texts that are nearly JSON.

const SPACES = ["", "", "", " ", "\n", "\t", "\r\n  "];

/** A value as text. Spaces, escapes and the order of members vary; now and then a member stands twice. */
export function textOf(value, random) {
  const space = () => random.pick(SPACES);
  if (typeof value === "string") return quoted(value, random);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${space()}${value.map((element) => textOf(element, random)).join(`${space()},${space()}`)}${space()}]`;
  const names = Object.keys(value);
  if (random.chance(30)) names.reverse();
  if (names.length > 0 && random.chance(1)) names.push(random.pick(names));
  const members = names.map((name) => `${quoted(name, random)}${space()}:${space()}${textOf(value[name], random)}`);
  return `{${space()}${members.join(`${space()},${space()}`)}${space()}}`;
}

function quoted(text, random) {
  if (!random.chance(3)) return JSON.stringify(text);
  const escaped = [...Array(text.length).keys()].map((at) => {
    const unit = text.charCodeAt(at).toString(16).padStart(4, "0");
    return `\\u${random.chance(50) ? unit : unit.toUpperCase()}`;
  });
  return `"${escaped.join("")}"`;
}

const SCRAPS = [
  "{", "}", "[", "]", ",", ":", '"', "\\", '""', '"a"', '"a":', '"__proto__":', '"kind":"svc-registry-submission"', '"accepted":true', "true", "false", "null", "nul",
  "0", "-0", "01", "1.5", "1e3", "1E", "-", "--1", "9007199254740991", "9007199254740992", "-9007199254740993", '"\\u202e"', '"\\ud800"', '"\\udc00\\ud800"',
  '"\\ud83c\\udf26"', '"\\u00"', '"\\x"', '"\u200b"', '"\u00e9"', "\u00a0", "\ufeff", " ", "\n", "\t", "\u0000", "\u0001", "//", "/* */", "'a'", "{}", "[]", '{"a":1}', '{"a":1,"a":2}',
];

/** A text of scraps, more often than not inside braces. */
export function scraps(random) {
  const count = random.below(14);
  const inner = Array.from({ length: count }, () => random.pick(SCRAPS)).join(random.chance(20) ? " " : "");
  return random.chance(60) ? `{"a":${inner}}` : inner;
}

/** A value of chance, nested up to the bound and a little beyond. */
export function value(random, depth = 0) {
  const kind = random.below(depth > 33 ? 4 : 8);
  if (kind < 4) return random.pick([null, true, false, 0, -5, 9007199254740991, "", "a", "é🌦", "\u2028", "a\tb"]);
  const size = random.below(4);
  const inner = () => value(random, depth + (random.chance(10) ? 30 - Math.min(depth, 29) : 1));
  if (kind < 6) return Array.from({ length: size }, inner);
  return Object.fromEntries(Array.from({ length: size }, () => [random.pick(["a", "b", "kind", "entries", "submission", "accepted", "é", "\u{10000}", "\ue000", ""]), inner()]));
}
