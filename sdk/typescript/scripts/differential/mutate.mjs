// Changes documents: as values, with digests made to fit or not, as texts, and as bytes.

import { reseal } from "./reseal.mjs";
import { textOf } from "./text.mjs";

const NAMES = ["__proto__", "constructor", "prototype", "accepted", "signed", "installable", "status", "kind", "extra", "toString", "a/b~c", "é", ""];

const VALUES = [null, true, false, 0, 1, -1, 9007199254740991, "", "false", [], {}, [null], { a: 1 }, [[]], "sha256:", "evidenced", "signed-package"];

/** The document with one to three changes, its digests made to fit or not. */
export function mutated(document, random, texts) {
  const copy = changed(document, random, texts);
  if (random.chance(60)) reseal(copy);
  return copy;
}

/** The value with one to three changes. */
export function changed(value, random, texts) {
  const copy = structuredClone(value);
  for (let times = 1 + random.below(3); times > 0; times -= 1) changeOne(copy, random, texts);
  return copy;
}

function changeOne(document, random, texts) {
  const places = [];
  collect(document, places);
  if (places.length === 0) return;
  const { holder, key } = random.pick(places);
  const value = () => (random.chance(50) ? random.pick(texts) : structuredClone(random.pick(VALUES)));
  const change = random.below(8);
  if (Array.isArray(holder)) {
    if (change === 0) holder.splice(key, 1);
    else if (change === 1) holder.splice(key, 0, structuredClone(holder[key]));
    else if (change === 2) holder.reverse();
    else if (change === 3) holder.splice(key, 0, value());
    else if (change === 4) holder.length = 0;
    else holder[key] = value();
  } else if (change === 0) delete holder[key];
  else if (change === 1) define(holder, random.pick(NAMES), value());
  else if (change === 2) {
    define(holder, `${key}${random.pick(["s", "_", "A", ""])}`, holder[key]);
    delete holder[key];
  } else if (change === 3) holder[key] = structuredClone(random.pick(places).holder);
  else if (change === 4 && typeof holder[key] === "string") holder[key] = changedText(holder[key], random);
  else if (change === 5 && typeof holder[key] === "number") holder[key] += random.pick([1, -1, 1000]);
  else holder[key] = value();
}

function changedText(text, random) {
  const at = random.below(text.length + 1);
  const piece = random.pick(["", "a", "Z", "0", "-", ".", "/", " ", "é", "\u202e", "\u0000", "\ud83c\udf26", "~", "%", "\n"]);
  return random.chance(50) ? text.slice(0, at) + piece + text.slice(at) : text.slice(0, at) + piece + text.slice(at + 1);
}

function collect(holder, places) {
  for (const key of Object.keys(holder)) {
    places.push({ holder, key: Array.isArray(holder) ? Number(key) : key });
    if (typeof holder[key] === "object" && holder[key] !== null) collect(holder[key], places);
  }
}

function define(object, name, value) {
  Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
}

/** The text of a value with some members twice, other spaces, other escapes. */
export function spelled(value, random) {
  return new TextEncoder().encode(textOf(value, random));
}

/** Bytes with one to four changes. */
export function bytesChanged(bytes, random) {
  let now = [...bytes];
  for (let times = 1 + random.below(4); times > 0; times -= 1) {
    const at = random.below(now.length + 1);
    const byte = random.chance(70) ? random.pick([..."{}[]\",:\\/u0123456789-+.eEtrufalsn \n"]).charCodeAt(0) : random.below(256);
    switch (random.below(5)) {
      case 0:
        now.splice(at, 1);
        break;
      case 1:
        now.splice(at, 0, byte);
        break;
      case 2:
        if (random.chance(20)) now = now.slice(0, at);
        break;
      case 3:
        now.splice(at, 0, ...now.slice(at, at + random.below(40)));
        break;
      default:
        now[Math.min(at, now.length - 1)] = byte;
    }
  }
  return Uint8Array.from(now);
}
