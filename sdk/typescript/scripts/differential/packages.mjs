// Packages of chance: manifests, file tables and facts that break the rules of packages, alone and together.

import { readFileSync } from "node:fs";
import { FACTS } from "../../dist/generated/facts.js";
import { FORMS, MEDIA_TYPES, OTHER_MEDIA_TYPE, PERMISSION_RISKS } from "../../dist/generated/forms.js";
import { digestOf } from "./reseal.mjs";

const TEXTS = [
  ...["The official board.", "Unofficial board", "OFFICIAL", "o\u0301fficial", "verified\u00b2", "\u00e9verified", "Trusted-by all", "verified_x"],
  ...["TODO: say what it does.", "Keeps a to-do list.", "todos", "My App", "my  app", "LOREM IPSUM dolor", "\u0130 tbd", "fixme\u0301"],
];

const NAMES = [
  ...["a.map", "a.MAP", "src/.git/x", "Tests/a.js", "tests", "node_modules/a/b.js", "package-lock.json", "yarn.LOCK", "x/tsconfig.json"],
  ...[".DS_Store", "._x", "a~", "a.orig", "x/__MACOSX/a", "thumbs.db", "a.tmp.js"],
  ...[".env", ".env.local", ".env.example", "a.pem", "id_rsa", "id_rsa.sample", "x/credentials", "key", "a.KEY", "a.p12", "x.d.ts"],
  ...["a.sig", "META-INF/a", "a.intoto.jsonl", "x.sigstore", "signature.html"],
  ...["svc-registry-index.json", "x/SVC-registry-submission.json", "svc-app.json", "SVC-APP.json", "svc-app.json/x", "x/svc-app.json"],
  ...["readme", "README.d/a", "docs/README.md", "Readme.TXT"],
  ...["assets/Icon.png", "Assets/x", "assets", "stra\u00dfe", "STRASSE", "\u03a3", "\u03c3", "\u03c2", "\ufb01le", "file", "\u00e9/a", "\u00c9/b", "\u0130", "i\u0307x", "\u1e9e", "ss"],
  ...["icon.svg", "ICON.SVG", "locales/en.json", "locales/fr.json"],
];

const SOURCES = ["'self'", "'UNSAFE-inline'", "'unsafe-inline'", "'sha256-YQ=='", "'SHA256-YQ=='", "data:", "DATA:", "blob:", "*", "none", "https:", "wss:", "https://api.acme.dev", "https://cdn.acme.dev", "a b", "a;b", "localhost:8080", "'none'"];
const DIRECTIVES = ["connect-src", "default-src", "font-src", "img-src", "media-src", "script-src", "style-src", "worker-src"];
const RANGES = [">=3.2.0", ">3", "*", "x", "^1", ">=1 <2", ">1.*", ">=1,>2", "1.*", "~1.2", ">=1 =2.0.0"];
const IDS = ["svc.acme.board", "5vc.acme.board", "sv-c.acme.board", "host.acme.x", "h0st.acme.x", "svvc.acme.board", "reg1stry.a.b", "system.a.b", "dev.acme.host", "intemal.a.b", "internal.a.b", "uk.co.acme.weather"];
const URLS = ["https://acme.dev", "https://www.acme.dev/x", "https://acme.com", "https://example.dev:8443/?a=b", "https://acme.co.uk", "https://www.dev"];
const PURPOSES = ["Weather.", "Twelve chars", "The service receives the name.", "THE SERVICE receives the name.", "\u{1f326}\u{1f326}\u{1f326}\u{1f326}\u{1f326}\u{1f326}\u{1f326}\u{1f326}\u{1f326}\u{1f326}\u{1f326}", "Twelve ch\u00e4rs"];

const FORGE_IDS = ["io.github.acme.board", "com.github.acme.board", "io.gitlab.acme.geo.board", "com.gitlab.acme.board", "com.google.maps", "io.github.acme"];
const REPOSITORIES = ["https://github.com/acme/board", "https://github.com/Acme/Board.git", "https://github.com/evil/x", "https://gitlab.com/acme/geo/board/", "https://gitlab.com/acme/board", "https://gitlab.com/acme.geo/board", "https://code.example.org/acme/board"];

/** A setting that may contradict itself. */
function settingOf(random) {
  const words = ["metric", "imperial", "true", "false"];
  return {
    key: random.pick(["units", "theme"]),
    title: "Units",
    type: random.pick(["choice", "secret", "text", "toggle"]),
    ...(random.chance(60) ? { choices: some(random, 3, () => random.pick(words)) } : {}),
    ...(random.chance(60) ? { default: random.pick(words) } : {}),
    ...(random.chance(40) ? { required: random.chance(50) } : {}),
  };
}

const MANIFEST_CHANGES = [
  (it, random) => (it[random.pick(["name", "shortName", "summary", "description"])] = random.pick(TEXTS)),
  (it, random) => (it.publisher.name = random.pick(TEXTS)),
  (it, random) => (it.id = random.pick(IDS)),
  (it, random) => (it.publisher.url = random.pick(URLS)),
  (it) => delete it.publisher.url,
  (it) => delete it.$schema,
  (it) => delete it.support,
  (it) => delete it.repository,
  (it, random) => (it.engines.host = random.pick(RANGES)),
  (it, random) => (it.categories = some(random, 6, () => random.pick(["weather", "data", "games", "health", "Utilities"]))),
  (it, random) => (it.icons = some(random, 4, () => ({ sizes: random.pick(["512x512", "64x64", "512x256"]), src: random.pick(["icon.png", "assets/icon.png", "icon.svg", "ICON.SVG", "a.js"]) }))),
  (it, random) => (it.screenshots = some(random, 3, () => ({ src: random.pick(["icon.png", "b.png"]), ...(random.chance(50) ? { alt: "A board." } : {}) }))),
  (it, random) => (it.locales = { default: random.pick(["en", "fr"]), dir: random.pick(["locales", "x/y"]) }),
  (it, random) => (it.network = { allow: some(random, 3, () => random.pick(["https://api.acme.dev", "https://*.acme.dev"])), ...(random.chance(50) ? { purpose: random.pick(PURPOSES) } : {}) }),
  (it, random) => (it.permissions = some(random, 4, () => ({ permission: random.chance(50) ? "network.fetch" : random.pick(Object.keys(PERMISSION_RISKS)), purpose: random.pick(PURPOSES) }))),
  (it, random) => (it.entry.csp = Object.fromEntries(some(random, 4, () => [random.pick(DIRECTIVES), some(random, 3, () => random.pick(SOURCES))]))),
  (it, random) => (it.dataCollection = some(random, 3, () => random.pick(["none", "usage", "content"]))),
  (it, random) => (random.chance(50) ? delete it.privacyPolicy : (it.privacyPolicy = "https://acme.dev/privacy")),
  (it, random) => (it.configuration = some(random, 3, () => settingOf(random))),
  (it, random) => Object.assign(it, { id: random.pick(FORGE_IDS), repository: { url: random.pick(REPOSITORIES) } }),
  (it, random) => (it.files = some(random, 5, () => random.pick(["**", "assets/**"]))),
];

/** The changes to a manifest that the examples of the rules make. */
export function examplesOf(contracts) {
  const { rules } = JSON.parse(readFileSync(`${contracts}/ruleset.json`, "utf8"));
  const examples = rules.flatMap(({ fires, passes }) => [fires, passes]).filter(({ form }) => form === "manifest");
  return examples.map(({ text }) => JSON.parse(text));
}

/** One change for every example of a rule, every name and every kind of fact, each to a package, giving its facts. */
export function everyChange(examples) {
  const abouts = { pattern: () => ({ subject: "0" }), picture: ({ manifest }) => ({ file: manifest.icons[0].src, subject: "256x256" }) };
  const seen = ({ files }, about) => SUBJECTS[about].map((subject) => ({ file: files[0].path, ...(subject === undefined ? {} : { subject }) }));
  const facts = [
    ...FACT_ROWS.map(({ about, kind, word }) => [kind, word, (it) => abouts[about]?.(it) ?? seen(it, about)[0]]),
    ...FEW_ROWS.flatMap(({ about, kind, word }) =>
      (SUBJECTS[about] ?? []).slice(1).map((_, at) => [kind, word, (it) => seen(it, about)[at + 1]]),
    ),
    ...Object.keys(FACTS).map((kind) => [kind, "cut", () => ({})]),
  ];
  return [
    ...examples.map((example) => (it, facts) => {
      merge(it.manifest, example);
      return facts;
    }),
    (it, facts) => {
      it.files = it.files.filter(({ path }) => path !== "README.md");
      return facts;
    },
    ...NAMES.map((name) => (it, facts) => {
      const size = 26214401;
      const row = { digest: digestOf(name), mediaType: mediaTypeOf(name), path: name, size };
      it.files = [...it.files.filter(({ path }) => path !== name), row].sort((left, right) => byBytes(left.path, right.path));
      return facts;
    }),
    ...facts.map(([kind, word, about]) => (it, facts) => withRows(facts, kind, [{ count: 1, kind, word, ...about(it) }])),
    // Every fact with an exception for its file, in all files at once, and more of them than a report lists.
    ...FEW_ROWS.filter(({ kind }) => EXCEPTED_BY[kind] !== undefined).flatMap(({ about, kind, word }) =>
      EXCEPTED_BY[kind].map((rule) => (it, facts) => {
        const [row] = seen(it, about);
        it.manifest.exceptions = [exceptionOf(rule, row.file)];
        return withRows(facts, kind, [{ count: 1, kind, word, ...row }]);
      }),
    ),
    ...FEW_ROWS.filter(({ about }) => SUBJECTS[about] !== undefined).map(({ about, kind, word }) => (it, facts) => {
      const rows = it.files.flatMap(({ path }) => seen(it, about).map((row) => ({ count: 1, kind, word, ...row, file: path })));
      return withRows(facts, kind, rows);
    }),
    ...[200, 201, 400].map((count) => (it, facts) => {
      const claims = it.files.map(({ path: file }, at) => ({ count: 1, file, kind: "unread", word: ["budget", "crash", "depth"][at % 3] }));
      return withRows(withRows(facts, "contact", flood(it, { kind: "contact", word: "fetch" }, count)), "unread", claims);
    }),
    ...FORMS["excepted-rule"].words.map((rule) => (it, facts) => {
      it.manifest.exceptions = [exceptionOf(rule, "svc-app.json"), exceptionOf(rule, it.files[0].path)];
      it.manifest.summary = "The official board.";
      return facts;
    }),
  ];
}

/** Changes a package of chance, and gives what the bytes of its files might tell. */
export function changed(packageArtifact, facts, random, examples) {
  const { manifest } = packageArtifact;
  for (let times = random.below(4); times > 0; times -= 1) {
    if (random.chance(40)) merge(manifest, random.pick(examples));
    else random.pick(MANIFEST_CHANGES)(manifest, random);
  }
  if (random.chance(60)) changeFiles(packageArtifact, random);
  const told = random.chance(70) ? changedFacts(facts, packageArtifact, random) : facts;
  if (random.chance(35)) manifest.exceptions = exceptionsFor(told, packageArtifact, random);
  return told;
}

/** Exceptions for what the facts will make the rules find, and for nothing. */
function exceptionsFor(facts, { files }, random) {
  return some(random, 6, () => {
    const { kind, file } = random.pick(facts.filter((fact) => EXCEPTED_BY[fact.kind] !== undefined)) ?? {};
    const rule = random.pick(EXCEPTED_BY[kind] ?? FORMS["excepted-rule"].words);
    const path = random.chance(70) ? file : random.pick([...files.map(({ path }) => path), "svc-app.json", "not/there.js"]);
    return exceptionOf(random.chance(90) ? rule : random.pick(FORMS["excepted-rule"].words), path ?? "svc-app.json");
  });
}

function exceptionOf(rule, path) {
  return { path, reason: "Old hosts need it.", rule };
}

function changeFiles(packageArtifact, random) {
  const paths = packageArtifact.files.map(({ path }) => path);
  const kept = random.chance(20) ? paths.filter(() => random.chance(70)) : paths;
  const added = random.chance(4) ? Array.from({ length: 260 }, (_, at) => `z/${at}.map`) : some(random, 5, () => random.pick(NAMES));
  const sizes = new Map(packageArtifact.files.map((file) => [file.path, file]));
  const all = [...new Set([...kept, ...added])];
  packageArtifact.files = all.sort(byBytes).map((path) => sizes.get(path) ?? fileOf(path, random));
  if (random.chance(3)) packageArtifact.files.reverse();
  if (random.chance(3)) packageArtifact.files.push(structuredClone(random.pick(packageArtifact.files)));
}

function fileOf(path, random) {
  const size = random.chance(5) ? random.pick([26214400, 26214401, 104857601, 9007199254740991]) : 1 + random.below(1000);
  return { digest: digestOf(path), mediaType: mediaTypeOf(path), path, size };
}

function mediaTypeOf(path) {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return (dot > 0 && MEDIA_TYPES[name.slice(dot + 1).toLowerCase()]) || OTHER_MEDIA_TYPE;
}

/** Every fact that there is. */
const FACT_ROWS = Object.entries(FACTS).flatMap(([kind, abouts]) =>
  Object.entries(abouts).flatMap(([about, words]) => words.split(" ").map((word) => ({ about, kind, word }))),
);

/** Two of each kind. */
const FEW_ROWS = FACT_ROWS.filter(({ kind }, at) => FACT_ROWS[at - 2]?.kind !== kind);

/** What facts of files are about. The longest leave no room for their word. */
const SUBJECTS = {
  address: [
    ...["https://cdn.example", "computed", "https://api.acme.dev", "https://API.acme.dev", "https://api.acme.dev:443", "wss://api.acme.dev"],
    ...["http://api.acme.dev", "ws://api.acme.dev:80", "https://a.b.acme.dev:8443", "https://acme.dev", `https://${"a".repeat(240)}.dev`],
  ],
  argument: ["constant", "computed"],
  file: [undefined],
  name: ["app.js", undefined, "a".repeat(253)],
  use: ["called", "mentioned"],
};

/** The rules that may be excepted, by the kind of fact that they go by. */
const EXCEPTED_BY = {
  archive: ["SVC-F019"],
  binary: ["SVC-F006"],
  contact: ["SVC-P013"],
  "dynamic-code": ["SVC-P012"],
  inline: ["SVC-P015"],
  power: ["SVC-P014"],
  "remote-code": ["SVC-P012", "SVC-P013"],
  secret: ["SVC-F008"],
  "signature-material": ["SVC-F013"],
};

const SIZES = ["512x512", "256x256", "64x64", "512x256", "4294967295x4294967295"];

/** Ways in which a row is not what reading files gives, or is about something else. */
const SPOILERS = [
  (it) => (it.count = 0),
  (it) => (it.file = "not/there.js"),
  (it) => delete it.file,
  (it) => (it.kind = "constructor"),
  (it) => (it.word = "jpeg"),
  (it) => (it.word = "cut"),
  (it) => (it.place = { column: 0, line: 1 }),
  (it) => (it.place = { column: 1, line: 1 }),
  (it) => delete it.subject,
  (it, random) => (it.subject = random.pick(["7", "03", "18446744073709551615", "18446744073709551616", "0x1", "01x1", "4294967296x1", "eval", "1x1x1", "computed", "called", "https://", "https://a/b", "ftp://a", "ws://a:1", "a@b+c~d"])),
];

function withRows(facts, kind, rows) {
  const kept = facts.filter((fact) => fact.kind !== kind);
  const byKey = new Map([...kept, ...rows].map((fact) => [keyOf(fact), fact]));
  return [...byKey.values()].sort(byFact);
}

/** Rows with as many origins, in the files in turn. */
function flood({ files }, { kind, word }, count) {
  return Array.from({ length: count }, (_, at) => ({ count: 1, file: files[at % files.length].path, kind, subject: `https://h${at}.example`, word }));
}

/** The same in every file, or more origins than a report lists. */
function manyRows(packageArtifact, random) {
  const { about, kind, word } = random.pick(FACT_ROWS);
  if (packageArtifact.files.length === 0 || SUBJECTS[about] === undefined) return [];
  if (about === "address" && random.chance(50)) return flood(packageArtifact, { kind, word }, random.pick([5, 199, 260]));
  const subject = random.pick(SUBJECTS[about]);
  return packageArtifact.files.map(({ path: file }) => ({ count: 1 + random.below(2), file, kind, ...(subject === undefined ? {} : { subject }), word }));
}

function changedFacts(facts, packageArtifact, random) {
  const rows = some(random, 4, () => factOf(packageArtifact, random));
  // Without its page a package is refused, whatever else is told of it.
  const kept = facts.filter(({ kind }) => random.chance(kind === "page" ? 97 : 80));
  const many = random.chance(25) ? manyRows(packageArtifact, random) : [];
  const byKey = new Map([...kept, ...rows, ...many].map((fact) => [keyOf(fact), fact]));
  const all = [...byKey.values()];
  return random.chance(97) ? all.sort(byFact) : all;
}

function factOf({ files, manifest }, random) {
  const chosen = random.pick(Object.keys(FACTS));
  const { about, kind, word } = random.pick(FACT_ROWS.filter((row) => row.kind === chosen));
  const fact = { count: 1 + random.below(3), kind, word };
  const icons = manifest.icons.map(({ src }) => src).filter((src) => files.some(({ path }) => path === src));
  if (random.chance(8)) fact.word = "cut";
  else if (kind === "pattern") fact.subject = String(random.below(Math.max(manifest.files.length, 1)));
  else if (kind === "image") Object.assign(fact, { file: icons[0] ?? "icon.png", subject: random.pick(SIZES) });
  else {
    const subject = random.pick(SUBJECTS[about]);
    if (subject !== undefined) fact.subject = subject;
    Object.assign(fact, { file: random.pick(files)?.path ?? "a.js" }, random.chance(50) ? { place: { column: 1 + random.below(9), line: 1 } } : {});
  }
  if (random.chance(12)) random.pick(SPOILERS)(fact, random);
  return fact;
}

const keyOf = ({ kind, word, subject, file }) => JSON.stringify([kind, word, subject, file]);
const byBytes = (left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right));

function byFact(left, right) {
  const key = ({ kind, word, subject, file }) => [kind, word, subject, file];
  const [mine, theirs] = [key(left), key(right)];
  const at = mine.findIndex((text, index) => text !== theirs[index]);
  if (at < 0) return 0;
  if (mine[at] === undefined || theirs[at] === undefined) return mine[at] === undefined ? -1 : 1;
  return byBytes(mine[at], theirs[at]);
}

function merge(object, patch) {
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete object[name];
    else if (typeof value === "object" && !Array.isArray(value) && typeof object[name] === "object") merge(object[name], value);
    else object[name] = structuredClone(value);
  }
}

function some(random, most, make) {
  return Array.from({ length: random.below(most) }, make);
}
