// The gates: what the ledger, the contract and this page say of each, and the stages. Everybody may read them.

import { GATES } from "../../../sdk/typescript/src/generated/gates.ts";
import { SDK_DISTRIBUTION_LIFECYCLE_CATALOG } from "../../../sdk/typescript/src/generated/catalog.ts";
import { OPERATIONS, BASE_PATH } from "../../../sdk/typescript/src/generated/table.ts";
import { canonicalize } from "../../../sdk/typescript/src/canonical.ts";
import { FLAGS, MISSING_GATES } from "../../../sdk/typescript/src/closed.ts";
import type { Answer } from "../../../sdk/typescript/src/client/answer.ts";
import type { ApiContract, LifecycleCatalog, ReadinessLedger } from "../../../sdk/typescript/src/client/documents.ts";
import { code, element, foreign, paragraph, section, table, type Child } from "../dom.ts";
import { plain } from "../model/text.ts";
import { GATE_LINES, stageLines } from "../model/package-status.ts";
import { stageList } from "../report/status-section.ts";
import { Failure, failed, isAlarm } from "./failure.ts";
import { AGAIN_MS, ASKED_AGAIN, clock, isLookedAt, type Page, pending, type Visit } from "./page.ts";

export const gates: Page = {
  name: "Gates",
  title: "Gates and stages",
  show(visit) {
    visit.main.append(
      paragraph("", "A package would need every gate. One can be shown by a file; no file, no setting and no token clears the others, and this registry has no word for a gate that is."),
      section("same", "Ledger, contract and server", pending("Asking the server…", visit, async () => [await asked(visit)])),
      section(
        "gates",
        "Who clears each",
        table("Gates", ["Gate", "Word", "What is missing", "Cleared by"], GATE_LINES.map(({ gate, evidenced, word, missing, clearedBy }) => [code(gate), element("span", evidenced ? "good" : "bad", word), missing, clearedBy])),
      ),
      section("five-stages", "The five stages", paragraph("", "A stage follows from evidence in a document, and from nothing else. The last one has no evidence that anybody could show: it is out of reach."), stageList(stageLines(-1), { reached: "", "not-reached": "follows from evidence", "out-of-reach": "out of reach" })),
    );
  },
};

/** What the server says, asked again until it has given everything. */
async function asked(visit: Visit): Promise<HTMLElement> {
  const place = element("div", "asked");
  const fill = async (): Promise<void> => {
    const { parts, isOver } = await compared(visit);
    place.replaceChildren(...parts);
    if (!isOver) void isLookedAt(AGAIN_MS, visit.signal).then((isStillThere) => (isStillThere ? fill() : undefined));
  };
  await fill();
  return place;
}

/** The three documents beside the table of this page; it is over when all came, or one of them is an alarm. */
async function compared({ session, signal }: Visit): Promise<{ readonly parts: Child[]; readonly isOver: boolean }> {
  const client = session.client();
  const ask = async <T>(call: Promise<Answer<T>>): Promise<T> => {
    const answer = await call;
    if (!answer.ok) throw Failure.of(answer.problem, session.token);
    return answer.value;
  };
  const results = await Promise.allSettled([ask(client.readiness({ signal })), ask(client.contract({ signal })), ask(client.lifecycle({ signal }))]);
  // An answer that claims to be open weighs more than one that did not come.
  const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : [])).sort((left, right) => Number(isAlarm(right)) - Number(isAlarm(left)));
  const [ledger, contract, catalog] = results.map((result) => (result.status === "fulfilled" ? result.value : undefined)) as [ReadinessLedger?, ApiContract?, LifecycleCatalog?];
  const rows = GATES.map(({ gate, status }) => {
    const served = ledger?.gates.find((row) => row.gate === gate);
    const inContract = contract === undefined ? undefined : contract.missingGates.includes(gate);
    const isMissing = MISSING_GATES.includes(gate);
    return [
      code(gate),
      status,
      served === undefined ? unknown(ledger !== undefined) : same(served.status, served.status === status),
      inContract === undefined ? unknown(false) : same(inContract ? "missing" : "not missing", inContract === isMissing),
    ];
  });
  const faults = [
    ...(ledger === undefined ? [] : differences("The readiness ledger", sameList(ledger.missingGates, MISSING_GATES) && canonicalize(ledger.gates) === canonicalize(GATES))),
    ...(contract === undefined ? [] : differences("The API contract", sameContract(contract))),
    ...(catalog === undefined ? [] : differences("The lifecycle catalog", canonicalize(catalog) === canonicalize(SDK_DISTRIBUTION_LIFECYCLE_CATALOG))),
  ];
  const asked = [ledger, contract, catalog].filter((document) => document !== undefined).length;
  const isOver = asked === 3 || failures.some(isAlarm);
  const parts = [
    ...failures.slice(0, 1).map(failed),
    paragraph(asked < 3 ? "doubt" : "fine", asked < 3 ? `The server gave ${asked} of three documents at ${clock()}. What is not known stands so below.${isOver ? "" : ` ${ASKED_AGAIN}`}` : `The server was asked at ${clock()}. Load the page again to ask again.`),
    ...faults.map((text) => paragraph("bad alarm", text)),
    ...(asked === 3 && faults.length === 0 ? [paragraph("good", "All three say the same: the table of this page, the ledger that the server serves, and its contract.")] : []),
    table("Gates in three places", ["Gate", "This page", "Ledger of the server", "Contract of the server"], rows),
  ];
  return { parts, isOver };
}

const unknown = (wasAsked: boolean): Child => (wasAsked ? element("span", "bad", "not there") : "not known");

const same = (word: string, isSame: boolean): Child => element("span", isSame ? "" : "bad", foreign(plain(word)), isSame ? "" : " differs");

const differences = (what: string, isSame: boolean): string[] => (isSame ? [] : [`${what} of this server is another one than that of this page. One of them is not of this version of svc.`]);

const sameList = (left: readonly string[], right: readonly string[]): boolean => left.length === right.length && left.every((one, at) => one === right[at]);

function sameContract({ basePath, missingGates, operations, outcome }: ApiContract): boolean {
  const paths = operations.map(({ kind, operation, path }) => `${kind} ${operation} ${path}`).sort();
  const own = Object.entries(OPERATIONS).map(([kind, { operation, path }]) => `${kind} ${operation} ${path}`).sort();
  const isClosed = FLAGS.every((flag) => Object.entries(outcome).some(([name, value]) => name === flag && value === false));
  return basePath === BASE_PATH && sameList(missingGates, MISSING_GATES) && isClosed && sameList(paths, own);
}
