// A registry in a function: honest answers with receipts of a log of its own. Tests make it lie, one word at a time.

import { createHash } from "node:crypto";
import { BASE_PATH, digestJson, SVC_DEFAULT } from "../dist/index.js";
import { decision, problem, reply } from "./answers.mjs";
import { Log } from "./log.mjs";

export class Registry {
  log = new Log();
  /** The state that is served as the newest one that witnesses have seen; none unless a test has some. */
  witnessed;
  asked = [];
  #requests = 0;

  /** The `fetch` of a client that talks to it. `lie` may put another answer in the place of an honest one. */
  fetchWith(lie = (_, honest) => honest()) {
    return async (address, init) => {
      const path = address.slice(address.indexOf(BASE_PATH) + BASE_PATH.length);
      this.asked.push(path);
      return lie({ path, init, time: this.asked.length }, () => this.answer(path, init));
    };
  }

  answer(path, init) {
    if (init.method === "POST") return this.send(this.evaluate(init.body));
    const below = path.replace(/^\/journal\//, "");
    if (below === "checkpoint") return text(this.log.checkpoint());
    if (below === "witnessed-checkpoint" && this.witnessed !== undefined) return text(this.witnessed);
    if (/^proof\/\d+$/.test(below) && Number(below.slice(6)) < this.log.leaves.length) return text(this.log.textProof(Number(below.slice(6))));
    if (below === "keys") return text(`${this.log.publicKey}\n`);
    if (below.startsWith("entries")) return this.entries(new URLSearchParams(below.split("?")[1]));
    const tile = below.startsWith("tile/") ? this.log.tile(below) : undefined;
    return tile === undefined ? this.send(this.refusal("not-found", 404)) : new Response(tile, { headers: { "content-type": "application/octet-stream" } });
  }

  /** An answer as it is sent. */
  send(body) {
    const status = body.status ?? 200;
    return reply(body, status, { "svc-request-id": body.requestId });
  }

  /** The answer to a document, on record: a decision, or the refusal of a tampered one. */
  evaluate(body) {
    const isTampered = JSON.parse(new TextDecoder().decode(body)).accepted !== false;
    return isTampered ? this.refuse(body) : this.decide();
  }

  decide(change, rest = {}) {
    return this.put({ ...decision(change), requestId: this.#name() }, rest);
  }

  refuse(body, change) {
    const refusal = { ...problem(change), requestId: this.#name() };
    return this.put(refusal, { bodyDigest: `sha256:${createHash("sha256").update(body).digest("hex")}`, problem: refusal.code });
  }

  refusal(code, status) {
    return { ...problem((body) => Object.assign(body, { code, status, errors: [] })), requestId: this.#name() };
  }

  /** Puts an answer on record, and its receipt into it. */
  put(answer, rest, { log = this.log, change = (_) => {} } = {}) {
    const record = recordOf(answer, rest, log);
    change(record);
    log.add(record);
    return { ...answer, receipt: log.receipt() };
  }

  /** Records of others. */
  grow(count, log = this.log) {
    const answer = { ...decision(), requestId: "other" };
    for (let at = 0; at < count; at += 1) log.add(recordOf(answer, {}, log));
    return this;
  }

  entries(query) {
    const from = query.has("after") ? Number(query.get("after")) + 1 : 0;
    const records = this.log.records.slice(from, from + Number(query.get("limit") ?? 100));
    return reply({ entries: records.map((record) => ({ record })), size: this.log.leaves.length });
  }

  #name() {
    this.#requests += 1;
    return `request-${this.#requests}`;
  }
}

/** The record of an answer, at the end of a log. */
function recordOf(answer, rest, log) {
  return {
    accepted: false,
    answerDigest: digestJson(answer),
    ...(answer.outcome === undefined ? {} : { artifact: answer.artifact, decisionId: answer.decisionId, reviewed: answer.reviewed }),
    installable: false,
    kind: "svc-journal-record",
    missingGates: answer.missingGates,
    operation: "evaluate-acceptance-request",
    outcome: answer.outcome ?? "refused",
    requestId: answer.requestId,
    ruleset: SVC_DEFAULT.ruleset.digest,
    schemaVersion: "1.0",
    sequence: log.leaves.length,
    signed: false,
    time: "2026-11-15T06:00:00.000Z",
    ...rest,
  };
}

/** An answer as text. */
export const text = (body) => new Response(body, { headers: { "content-type": "text/plain; charset=utf-8" } });
