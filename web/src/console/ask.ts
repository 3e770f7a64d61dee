// "Ask the registry": the six documents that it answers, and its answers with their receipts checked in this page.

import type { CallOptions } from "../../../sdk/typescript/src/client/connection.ts";
import type { Answer, EvaluatedKind, RegistryClient } from "../../../sdk/typescript/src/client/client.ts";
import type { Decision, Problem } from "../../../sdk/typescript/src/generated/artifacts.ts";
import { ARTIFACTS } from "../../../sdk/typescript/src/generated/table.ts";
import { code, element, foreign, grouped, paragraph, prose, section, type Child } from "../dom.ts";
import { plain } from "../model/text.ts";
import type { GivenBundle } from "./bundle-files.ts";
import { explained } from "./explained.ts";
import { Failure, failed, sentenceOf } from "./failure.ts";
import { button, liveRegion, type Visit } from "./page.ts";
import { type LogKeys, trustOf } from "./session.ts";

type Ask = (client: RegistryClient, document: Uint8Array, call: CallOptions) => Promise<Answer<Decision>>;

/** How each kind is asked about. The submission has no endpoint. */
const QUESTIONS: Readonly<Record<EvaluatedKind, Ask>> = {
  "svc-registry-index": (client, document, call) => client.validateIndex(document, call),
  "svc-registry-acceptance-request": (client, document, call) => client.evaluateAcceptanceRequest(document, call),
  "svc-registry-publisher-verification": (client, document, call) => client.evaluatePublisherVerification(document, call),
  "svc-registry-review-evidence": (client, document, call) => client.evaluateReviewEvidence(document, call),
  "svc-registry-signing-request": (client, document, call) => client.evaluateSigningRequest(document, call),
  "svc-registry-install-policy": (client, document, call) => client.evaluateInstallPolicy(document, call),
};

/** The most errors of one answer that are shown. */
const MOST_ERRORS = 20;

export function asking(visit: Visit, bundle: GivenBundle): HTMLElement {
  const said = liveRegion();
  const answers = element("ul", "list");
  const start = button("Ask the registry", () => {
    start.disabled = true;
    ask(visit, bundle, answers, said)
      .catch((error: unknown) => said.replaceChildren(failed(error)))
      .finally(() => (start.disabled = visit.signal.aborted));
  });
  return section(
    "ask",
    "Ask the registry",
    paragraph("", "Sends the six documents that a registry answers to this server. Every answer is no. Where the registry keeps a journal, each question and its answer become a record of it, as digests; the documents themselves are not kept."),
    element("p", "buttons", start),
    said,
    answers,
  );
}

async function ask({ session, signal }: Visit, { files }: GivenBundle, list: HTMLElement, said: HTMLElement): Promise<void> {
  list.replaceChildren();
  said.replaceChildren("Asking…");
  const keys = await journalKeys(session.keys({ signal }));
  const client = keys instanceof Failure ? session.client() : session.client({ publicKeys: keys.lines });
  let [asked, proven] = [0, 0];
  for (const { file, kind } of ARTIFACTS) {
    const document = files[file];
    if (kind === "svc-registry-submission" || document === undefined || typeof document === "string") continue;
    asked += 1;
    try {
      const answer = await QUESTIONS[kind](client, document, { signal });
      const told = answer.ok ? answer.value : answer.problem;
      if (told.receipt !== undefined && !(keys instanceof Failure)) proven += 1;
      list.append(item(kind, answer.ok ? denied(answer.value) : refused(answer.problem), receiptWords(told, keys)));
    } catch (error) {
      list.append(item(kind, [failed(error)], []));
    }
    if (signal.aborted) return;
  }
  said.replaceChildren(`Asked ${asked} times; ${proven} of the answers have a receipt that holds. `, keys instanceof Failure ? "" : trustOf(keys));
}

/** The keys of the log, or why there are none: an answer without a journal is still an answer. */
async function journalKeys(asked: Promise<LogKeys>): Promise<LogKeys | Failure> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

const item = (kind: string, ...parts: readonly (readonly Child[])[]): HTMLElement => element("li", "", element("h3", "", kind), ...parts.flat());

function denied({ decisionId, missingGates, stage }: Decision): Child[] {
  return [
    paragraph("", element("strong", "bad", "denied"), ` Missing gates: ${missingGates.join(", ")}.${stage === undefined ? "" : ` Stage by its evidence: ${stage}.`}`),
    paragraph("fine", "Decision ", code(decisionId)),
  ];
}

function refused({ code: problem, detail, errors, status, title }: Problem): Child[] {
  return [
    paragraph("", element("strong", "bad", "refused"), " ", code(`${status} ${problem}`), " ", foreign(plain(title)), ". ", prose(plain(detail))),
    element("ul", "", ...errors.slice(0, MOST_ERRORS).map((error) => element("li", "", code(plain(error.rule)), " ", prose(plain(error.detail)), " at ", code(plain(error.pointer)), ...explained(error.rule)))),
    ...(errors.length > MOST_ERRORS ? [paragraph("", `and ${grouped(errors.length - MOST_ERRORS)} more; `, element("code", "", "svc app verify"), " lists all.")] : []),
  ];
}

function receiptWords({ receipt, requestId }: Decision | Problem, keys: LogKeys | Failure): Child[] {
  if (receipt === undefined) return [paragraph("fine", "No receipt: this answer is not on record. Request ", code(plain(requestId)))];
  if (keys instanceof Failure) return [paragraph("doubt", "The receipt was not checked. ", prose(sentenceOf(keys)))];
  return [paragraph("good", `On record ${grouped(receipt.index)} of ${grouped(receipt.treeSize)}: the receipt holds, to the last word of the answer.`)];
}
