// Which of the records that were read are shown.

import { EVENT_TYPES } from "../../../sdk/typescript/src/generated/events.ts";
import { PROBLEM_STATUSES } from "../../../sdk/typescript/src/generated/problems.ts";
import { OPERATIONS } from "../../../sdk/typescript/src/generated/table.ts";
import type { JournalRecord } from "../../../sdk/typescript/src/receipt/record.ts";
import { element } from "../dom.ts";
import { labelled } from "./page.ts";

/** What is looked for; an empty word is any. */
export interface Wanted {
  readonly type: string;
  readonly operation: string;
  readonly outcome: string;
  readonly problem: string;
  readonly probes: boolean;
}

/** Problems of the one status that is recorded. */
const RECORDED = Object.entries(PROBLEM_STATUSES).filter(([, status]) => status === 422).map(([code]) => code);

export function fits(record: JournalRecord, type: string, wanted: Wanted): boolean {
  const is = (word: string, found: string | undefined): boolean => word === "" || word === found;
  const isWanted = is(wanted.type, type) && is(wanted.operation, record.operation) && is(wanted.outcome, record.outcome) && is(wanted.problem, record.problem);
  return isWanted && (wanted.probes || record.probe === undefined);
}

export function filterFields(changed: () => void): { readonly form: HTMLElement; readonly wanted: () => Wanted } {
  const choice = (words: readonly string[]): HTMLSelectElement => {
    const made = element("select", "", option("", "any"), ...words.map((word) => option(word, word)));
    made.addEventListener("change", changed);
    return made;
  };
  const type = choice(Object.keys(EVENT_TYPES));
  const operation = choice(Object.values(OPERATIONS).map((row) => row.operation));
  const outcome = choice(["denied", "refused"]);
  const problem = choice(RECORDED);
  const probes = element("input", "");
  probes.type = "checkbox";
  probes.addEventListener("change", changed);
  const form = element(
    "fieldset",
    "filters",
    element("legend", "", "Show"),
    labelled("filter-type", "Type", type),
    labelled("filter-operation", "Operation", operation),
    labelled("filter-outcome", "Outcome", outcome),
    labelled("filter-problem", "Problem", problem),
    labelled("filter-probes", "Probes of svc verify too", probes),
  );
  return { form, wanted: () => ({ type: type.value, operation: operation.value, outcome: outcome.value, problem: problem.value, probes: probes.checked }) };
}

function option(value: string, words: string): HTMLOptionElement {
  const made = element("option", "", words);
  made.value = value;
  return made;
}
