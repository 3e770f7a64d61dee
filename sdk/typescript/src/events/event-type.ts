/** The type of event that a record is: one for each, by the table that the registry has. */

import { EVENT_TYPES } from "../generated/events.js";
import type { JournalRecord } from "../receipt/record.js";

/** The type of an event. Each is a no. */
export type EventType = keyof typeof EVENT_TYPES;

/** What a refusal is for whose problem no row has a type of its own; a code of a later version is one of them. */
const ANY_OTHER: EventType = "registry.artifact.rejected";

/** Whether a word is the type of an event. */
export function isEventType(word: unknown): word is EventType {
  return typeof word === "string" && Object.hasOwn(EVENT_TYPES, word);
}

/** The type of a record. */
export function eventTypeOf(record: JournalRecord): EventType {
  if (record.outcome === "denied") return "registry.decision.denied";
  const row = Object.values(EVENT_TYPES).find(({ problems }) => (problems as readonly string[]).includes(record.problem));
  return row?.type ?? ANY_OTHER;
}
