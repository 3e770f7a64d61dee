import assert from "node:assert/strict";
import { test } from "node:test";
import { GATES, resolveSdkDistributionLifecycleStage, SDK_DISTRIBUTION_LIFECYCLE_CATALOG } from "../dist/index.js";
import { SHAPES } from "../dist/generated/shapes.js";
import { Random } from "../scripts/differential/random.mjs";
import { reseal } from "../scripts/differential/reseal.mjs";
import { stageOf } from "../dist/stage.js";
import { bytes, names, valueOf } from "./kit.mjs";

const complete = () => valueOf("lifecycle", "complete-entry");
const stages = SDK_DISTRIBUTION_LIFECYCLE_CATALOG.stages.map(({ id }) => id);

/** On the floor, for this rule. */
function isRefused(entry, rule, what) {
  const { stage, brokenRules, installable, nextSteps } = resolveSdkDistributionLifecycleStage(entry);
  assert.deepEqual([stage, brokenRules, installable], ["blueprint", [rule], false], what);
  assert.equal(nextSteps.length, 1, what);
}

/** A complete entry with something else in the place of one of its members. */
function withMember(path, change) {
  const entry = complete();
  const names = path.split("/");
  const last = names.pop();
  change(names.reduce((holder, name) => holder[name], entry), last);
  return entry;
}

test("what is not plain data is on the floor, and none of its code runs", () => {
  let ran = 0;
  const run = () => {
    ran += 1;
    return complete().submission;
  };
  const refused = {
    "inherited members": Object.create(complete()),
    "a getter": Object.defineProperty({}, "submission", { get: run, enumerable: true }),
    "a getter deep inside": withMember("submission/reviewReport/verdict", (holder, name) =>
      Object.defineProperty(holder, name, { get: run, enumerable: true })),
    "a hidden member": Object.defineProperty(complete(), "stage", { value: "signed-package", enumerable: false }),
    "a symbol": Object.assign(complete(), { [Symbol("accepted")]: true }),
    "a class": Object.assign(new (class Entry {})(), complete()),
    "toJSON of a class": new (class { toJSON = run; })(),
    "a map": new Map(Object.entries(complete())),
    "a date": new Date(0),
    "a boxed text": new String("{}"),
    "a function": () => 1,
    "a symbol alone": Symbol("x"),
    "a big integer": 1n,
    undefined: undefined,
    "a member that is undefined": { submission: undefined },
    "no number": { submission: Number.NaN },
    "another list": withMember("submission/blockers", (holder, name) => (holder[name] = new (class extends Array {})())),
    "a list with a hole": withMember("submission/blockers", (holder, name) => delete holder[name][0]),
    "a list with a name": withMember("submission/blockers", (holder, name) => (holder[name].extra = true)),
    "a list with an end of its own": withMember("submission/blockers", (holder, name) => (holder[name].length = 4294967295)),
    "a list with a getter": withMember("submission/blockers", (holder, name) =>
      Object.defineProperty(holder[name], 0, { get: run, enumerable: true })),
    "a getter named __proto__": Object.defineProperty({}, "__proto__", { get: run, enumerable: true }),
  };
  for (const [what, entry] of Object.entries(refused)) isRefused(entry, "SVC-B015", what);
  assert.equal(ran, 0);
});

test("what proxies do is nobody's evidence", () => {
  const throwing = () => {
    throw new Error("no");
  };
  const traps = ["get", "getOwnPropertyDescriptor", "getPrototypeOf", "has", "ownKeys"];
  for (const trap of traps) {
    const { stage } = resolveSdkDistributionLifecycleStage(new Proxy(complete(), { [trap]: throwing }));
    const isRead = trap !== "get" && trap !== "has";
    assert.equal(stage, isRead ? "blueprint" : "collection-entry", trap);
  }
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  isRefused(proxy, "SVC-B015", "revoked");
  isRefused({ submission: proxy }, "SVC-B015", "revoked inside");
  isRefused(new Proxy(new Uint8Array(bytes("lifecycle", "complete-entry")), {}), "SVC-B015", "bytes behind a proxy");
  isRefused(Object.create(Uint8Array.prototype), "SVC-B015", "no bytes at all");
});

test("circles, depth and size have an end", () => {
  const circle = complete();
  circle.submission.packageArtifact.manifest.circle = circle;
  isRefused(circle, "SVC-B015", "a circle");
  let deep = {};
  for (let depth = 0; depth < 1_000_000; depth += 1) deep = { a: deep };
  isRefused(deep, "SVC-B015", "a million levels");
  isRefused(`${'{"a":'.repeat(1_000_000)}1${"}".repeat(1_000_000)}`, "SVC-J005", "a million levels of text");
  const shared = Array.from({ length: 1000 }, () => "x".repeat(60_000));
  isRefused({ a: shared }, "SVC-B015", "too much text");
  isRefused({ a: Array.from({ length: 200 }, () => Array.from({ length: 200 }, () => shared)) }, "SVC-B015", "few values, seen often");
});

test("a text is read as strictly as a document, and plain data as its text", () => {
  const text = new TextDecoder().decode(bytes("lifecycle", "complete-entry"));
  assert.equal(resolveSdkDistributionLifecycleStage(text).stage, "collection-entry");
  assert.equal(resolveSdkDistributionLifecycleStage(Buffer.from(text)).stage, "collection-entry");
  isRefused("", "SVC-J001", "nothing");
  isRefused("x", "SVC-J001", "no JSON");
  isRefused(new Uint8Array([0xff]), "SVC-J002", "no UTF-8");
  isRefused(`${text} {}`, "SVC-J008", "a second document");
  isRefused(text.replace('"scope"', '"scope": {}, "scope"'), "SVC-J004", "the same member twice");
  for (const value of [null, 1, true, [], [complete()]]) isRefused(value, "SVC-J003", JSON.stringify(value).slice(0, 20));
  isRefused({ a: 1.5 }, "SVC-J006", "a fraction");
  isRefused({ a: -0 }, "SVC-J006", "a sign of zero");
  isRefused({ a: "\ud800" }, "SVC-J002", "half of a pair");
  isRefused(JSON.parse('{"scope": {"__proto__": {}}}'), "SVC-B012", "a member called __proto__");
  assert.equal(resolveSdkDistributionLifecycleStage(Object.assign(Object.create(null), complete())).stage, "collection-entry");
});

/** The ways to the required members of a value, each list and the gates as one: a part of the gates is a dropped gate. */
function waysOf(value, shape, path = []) {
  const { members, optional = [], title } = SHAPES[shape.ref] ?? shape;
  if (members === undefined || title === "gate-statuses") return [path];
  const required = Object.keys(members).filter((name) => !optional.includes(name));
  const inner = required.flatMap((name) => waysOf(value[name], members[name], [...path, name]));
  return path.length === 0 ? inner : [path, ...inner];
}

/** Adds the part at the end of a way; a part that is an object comes with its optional members, or whole. */
function add(draft, whole, way, isWhole) {
  let [target, source, shape] = [draft, whole, SHAPES["index-entry"]];
  way.forEach((name, at) => {
    source = source[name];
    shape = SHAPES[shape.members[name].ref] ?? shape.members[name];
    const isPart = shape.members !== undefined && shape.title !== "gate-statuses" && !(isWhole && at === way.length - 1);
    if (!isPart) target[name] = structuredClone(source);
    else target[name] ??= Object.fromEntries(Object.entries(structuredClone(source)).filter(([inner]) => shape.optional?.includes(inner)));
    target = target[name];
  });
}

test("a finding that weighs less than its rule leaves a manifest where it stands", () => {
  const manifestOf = (change) => {
    const { manifest } = complete().submission.packageArtifact;
    change(manifest);
    return { submission: { packageArtifact: { manifest } } };
  };
  const doubtful = manifestOf((manifest) => (manifest.entry.csp = { "style-src": ["'unsafe-inline'"] }));
  assert.equal(resolveSdkDistributionLifecycleStage(doubtful).stage, "showcase-preview");
  isRefused(manifestOf((manifest) => (manifest.entry.csp = { "script-src": ["'unsafe-inline'"] })), "SVC-P008", "an error");
  const claims = (manifest) => (manifest.summary = "The official weather board.");
  isRefused(manifestOf(claims), "SVC-L009", "a claim");
  const excepted = manifestOf((manifest) => {
    claims(manifest);
    manifest.exceptions = [{ path: "svc-app.json", reason: "We are the weather service.", rule: "SVC-L009" }];
  });
  assert.equal(resolveSdkDistributionLifecycleStage(excepted).stage, "showcase-preview");
});

test("more evidence never lowers the stage, whatever comes first", () => {
  const whole = complete();
  const ways = waysOf(whole, SHAPES["index-entry"]);
  const random = new Random(20261116);
  const seen = new Set();
  for (let round = 0; round < 60; round += 1) {
    const draft = {};
    let highest = 0;
    const toLast = round % 3;
    for (const way of orderOf(ways, random, toLast)) {
      add(draft, whole, way, random.chance(10));
      const { stage, brokenRules } = resolveSdkDistributionLifecycleStage(draft);
      const what = `${way.join("/")} in round ${round}`;
      assert.deepEqual(brokenRules, [], what);
      assert.ok(stages.indexOf(stage) >= highest, `${what} lowers to ${stage}`);
      highest = stages.indexOf(stage);
      seen.add(stage);
    }
    assert.equal(highest, stages.indexOf("collection-entry"), `round ${round}`);
  }
  assert.deepEqual([...seen].sort(), stages.slice(0, -1).sort());
});

/** The ways in an order of chance; in two of three rounds the scope or the report comes last, so that every stage is seen. */
function orderOf(ways, random, last) {
  const order = [...ways];
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = random.below(at + 1);
    [order[at], order[other]] = [order[other], order[at]];
  }
  const late = [() => false, (way) => way[0] === "scope", (way) => way[1] === "reviewReport"][last];
  return [...order.filter((way) => !late(way)), ...order.filter(late)];
}

test("what is left to do is told in words, and no hash is shown of what has no digest", () => {
  const blocked = complete();
  Object.assign(blocked.submission.packageArtifact.manifest, { categories: ["weather"], locales: { default: "fr", dir: "locales" } });
  const index = { entries: [blocked] };
  reseal(index);
  const step = (entry) => resolveSdkDistributionLifecycleStage(entry).nextSteps;
  assert.deepEqual(step({}), ["write a manifest: run `svc app init`"]);
  assert.deepEqual(step(complete()), ["no evidence clears the missing gates"]);
  assert.deepEqual(step({ submission: complete().submission }), ["put it into a collection: run `svc app registry`"]);
  assert.deepEqual(step(valueOf("lifecycle", "author-blocked")), ["the author has one blocker to clear: SVC-M022"]);
  assert.deepEqual(step(blocked), ["the author has 2 blockers to clear: SVC-L008, SVC-M022"]);
  const gates = GATES.map(({ gate }) => gate);
  const manifest = complete().submission.packageArtifact.manifest;
  for (const nothing of [{}, null, { submission: { packageArtifact: { manifest } } }, manifest, "[", undefined]) {
    const { missingGates, reviewed } = resolveSdkDistributionLifecycleStage(nothing);
    assert.deepEqual([missingGates, reviewed], [gates, "without-facts"]);
  }
  const { missingGates, reviewed } = resolveSdkDistributionLifecycleStage(complete());
  assert.deepEqual([missingGates, reviewed], [gates.slice(1), "as-claimed"]);
});

test("the gates are six, and five of them have no word for done", () => {
  assert.deepEqual(GATES.map(({ gate, status }) => [gate, status]), [
    ["artifact-hash", "evidenced"],
    ["publisher-verification", "unverified"],
    ["review-storage", "unstored"],
    ["artifact-signing", "unsigned"],
    ["host-install-policy", "not-applied"],
    ["renderer-isolation", "not-isolated"],
  ]);
});

test("a stage needs the evidence of every stage below it", () => {
  for (const listing of [false, true]) {
    for (const report of [false, true]) {
      for (const entry of [false, true]) {
        const rows = [true, listing, report, entry];
        const below = rows.indexOf(false) < 0 ? rows.length : rows.indexOf(false);
        assert.equal(stageOf({ listing, report, entry }), stages[below - 1], JSON.stringify({ listing, report, entry }));
      }
    }
  }
  for (const name of names("lifecycle")) {
    const { stage, brokenRules } = resolveSdkDistributionLifecycleStage(valueOf("lifecycle", name));
    if (brokenRules.length > 0) assert.equal(stage, "blueprint", name);
  }
});

test("what a host says around an entry changes nothing, unless it claims to be open", () => {
  const { stage, brokenRules } = resolveSdkDistributionLifecycleStage({ ...complete(), id: 7, addedBy: { name: "Ada" }, kind: "listing", manifestVersion: 2 });
  assert.deepEqual([stage, brokenRules], ["collection-entry", []]);
  const claims = {
    accepted: true,
    installable: "no",
    signed: 1,
    outcome: "accepted",
    stage: "signed-package",
    missingGates: [],
    gateStatuses: {},
    signature: "AA==",
    signatures: [],
    addedBy: { review: [{ signed: true }] },
    review: { gate: "artifact-signing", status: "signed" },
  };
  for (const [name, value] of Object.entries(claims)) isRefused({ ...complete(), [name]: value }, "SVC-B006", name);
});
