// Packages of chance: manifests, file tables and facts that break the rules of packages, alone and together.

import { readFileSync } from "node:fs";
import { MEDIA_TYPES, OTHER_MEDIA_TYPE } from "../../dist/generated/forms.js";
import { digestOf } from "./reseal.mjs";

const TEXTS = [
  ...["The official board.", "Unofficial board", "OFFICIAL", "o\u0301fficial", "verified\u00b2", "\u00e9verified", "Trusted-by all", "verified_x"],
  ...["TODO: say what it does.", "Keeps a to-do list.", "todos", "My App", "my  app", "LOREM IPSUM dolor", "\u0130 tbd", "fixme\u0301"],
];

const NAMES = [
  ...["a.map", "a.MAP", "src/.git/x", "Tests/a.js", "tests", "node_modules/a/b.js", "package-lock.json", "yarn.LOCK", "x/tsconfig.json"],
  ...[".DS_Store", "._x", "a~", "a.orig", "x/__MACOSX/a", "thumbs.db", "a.tmp.js"],
  ...[".env", ".env.local", "a.pem", "id_rsa", "x/credentials", "key", "a.KEY"],
  ...["a.sig", "META-INF/a", "a.intoto.jsonl", "x.sigstore", "signature.html"],
  ...["svc-registry-index.json", "x/SVC-registry-submission.json", "svc-app.json", "SVC-APP.json", "svc-app.json/x", "x/svc-app.json"],
  ...["readme", "README.d/a", "docs/README.md", "Readme.TXT"],
  ...["assets/Icon.png", "Assets/x", "assets", "stra\u00dfe", "STRASSE", "\u03a3", "\u03c3", "\u03c2", "\ufb01le", "file", "\u00e9/a", "\u00c9/b", "\u0130", "i\u0307x", "\u1e9e", "ss"],
  ...["icon.svg", "ICON.SVG", "locales/en.json", "locales/fr.json"],
];

const SOURCES = ["'self'", "'UNSAFE-inline'", "data:", "DATA:", "blob:", "*", "none", "https:", "wss:", "https://api.acme.dev", "https://cdn.acme.dev", "a b", "a;b", "localhost:8080", "'none'"];
const DIRECTIVES = ["connect-src", "default-src", "font-src", "img-src", "media-src", "script-src", "style-src", "worker-src"];
const RANGES = [">=3.2.0", ">3", "*", "x", "^1", ">=1 <2", ">1.*", ">=1,>2", "1.*", "~1.2", ">=1 =2.0.0"];
const IDS = ["svc.acme.board", "5vc.acme.board", "sv-c.acme.board", "host.acme.x", "h0st.acme.x", "svvc.acme.board", "reg1stry.a.b", "system.a.b", "dev.acme.host", "intemal.a.b", "internal.a.b", "uk.co.acme.weather"];
const URLS = ["https://acme.dev", "https://www.acme.dev/x", "https://acme.com", "https://example.dev:8443/?a=b", "https://acme.co.uk", "https://www.dev"];
const PURPOSES = ["Weather.", "Twelve chars", "The service receives the name.", "THE SERVICE receives the name.", "\u{1f326}\u{1f326}\u{1f326}\u{1f326}\u{1f326}\u{1f326}\u{1f326}\u{1f326}\u{1f326}\u{1f326}\u{1f326}", "Twelve ch\u00e4rs"];

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
  (it, random) => (it.permissions = some(random, 4, () => ({ permission: random.pick(["network.fetch", "storage.local", "camera.capture"]), purpose: random.pick(PURPOSES) }))),
  (it, random) => (it.entry.csp = Object.fromEntries(some(random, 4, () => [random.pick(DIRECTIVES), some(random, 3, () => random.pick(SOURCES))]))),
  (it, random) => (it.dataCollection = some(random, 3, () => random.pick(["none", "usage", "content"]))),
  (it, random) => (random.chance(50) ? delete it.privacyPolicy : (it.privacyPolicy = "https://acme.dev/privacy")),
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
  const seen = (kind, word) => [kind, word, ({ files }) => ({ file: files[0].path })];
  const facts = [
    ...Object.entries(FACT_WORDS).flatMap(([kind, words]) => words.map((word) => seen(kind, word))),
    ["image", "png", ({ manifest }) => ({ file: manifest.icons[0].src, subject: "256x256" })],
    ["pattern", "idle", () => ({ subject: "0" })],
    ["secret", "cut", () => ({})],
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
    ...facts.map(([kind, word, about]) => (it, facts) => {
      const kept = facts.filter((fact) => fact.kind !== kind);
      return [...kept, { count: 1, kind, word, ...about(it) }].sort(byFact);
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
  return random.chance(70) ? changedFacts(facts, packageArtifact, random) : facts;
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

const FACT_WORDS = {
  binary: ["elf", "windows", "shell-script"],
  "dynamic-code": ["eval", "function-constructor"],
  image: ["png"],
  pattern: ["idle"],
  "remote-code": ["fetched"],
  secret: ["private-key", "registry-token"],
  template: ["untouched"],
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
  (it, random) => (it.subject = random.pick(["7", "03", "18446744073709551615", "18446744073709551616", "0x1", "01x1", "4294967296x1", "eval", "1x1x1"])),
];

function changedFacts(facts, packageArtifact, random) {
  const rows = some(random, 4, () => factOf(packageArtifact, random));
  const kept = facts.filter(() => random.chance(80));
  const byKey = new Map([...kept, ...rows].map((fact) => [keyOf(fact), fact]));
  const all = [...byKey.values()];
  return random.chance(97) ? all.sort(byFact) : all;
}

function factOf({ files, manifest }, random) {
  const kind = random.pick(Object.keys(FACT_WORDS));
  const fact = { count: 1 + random.below(3), kind, word: random.pick(FACT_WORDS[kind]) };
  const icons = manifest.icons.map(({ src }) => src).filter((src) => files.some(({ path }) => path === src));
  if (random.chance(8)) fact.word = "cut";
  else if (kind === "pattern") fact.subject = String(random.below(Math.max(manifest.files.length, 1)));
  else if (kind === "image") Object.assign(fact, { file: icons[0] ?? "icon.png", subject: random.pick(SIZES) });
  else Object.assign(fact, { file: random.pick(files)?.path ?? "a.js" }, random.chance(50) ? { place: { column: 1 + random.below(9), line: 1 } } : {});
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
