/** Whether the settings of a manifest agree with themselves. */

import type { Manifest } from "../parts.js";
import { type Found, foundIf, type Package } from "./package.js";

type Setting = NonNullable<Manifest["configuration"]>[number];

/** Settings that share a key, and those that no user could leave as they are. */
export function contradictions({ manifest: { configuration = [] } }: Package): Found[] {
  const isKeyTwice = repeated(configuration.map(({ key }) => key));
  return configuration.flatMap((setting, at) => {
    const place = `/configuration/${at}`;
    return [
      ...about(isKeyTwice[at] === true, `${place}/key`, "key-twice"),
      ...choicesOf(setting, `${place}/choices`),
      ...defaultOf(setting, place),
    ];
  });
}

function choicesOf({ choices, type }: Setting, place: string): Found[] {
  if (type !== "choice") return about(choices !== undefined, place, "choices-unused");
  if (choices === undefined || choices.length === 0) return about(true, place, "no-choices");
  return repeated(choices).flatMap((isTwice, at) => about(isTwice, `${place}/${at}`, "choice-twice"));
}

/** For each word, whether it was there before. */
function repeated(words: readonly string[]): boolean[] {
  const seen = new Set<string>();
  return words.map((word) => seen.size === seen.add(word).size);
}

function defaultOf(setting: Setting, place: string): Found[] {
  const { choices = [], required = false, type } = setting;
  const given = setting.default;
  if (given === undefined) return [];
  const at = `${place}/default`;
  const isNoChoice = type === "choice" && choices.length > 0 && !choices.includes(given);
  const isRequired = required && type !== "secret";
  return [
    ...about(isNoChoice, at, "default-no-choice"),
    ...about(type === "toggle" && given !== "true" && given !== "false", at, "default-no-toggle"),
    ...about(type === "secret", at, "default-secret"),
    ...about(isRequired, `${place}/required`, "required-default").map((found) => ({ ...found, severity: "warning" as const })),
  ];
}

function about(isWrong: boolean, pointer: string, subject: string): Found[] {
  return foundIf(isWrong, pointer).map((found) => ({ ...found, subject }));
}
