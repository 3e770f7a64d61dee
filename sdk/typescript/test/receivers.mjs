// The programs of docs/guides/following.md that receive webhooks, started as they stand there, and what each must do with the
// same deliveries.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { canonicalize } from "../dist/index.js";
import { problem } from "./answers.mjs";
import { filesOf, OTHER_SECRET, rangeOf, registryOf, SECRET, signed } from "./events.mjs";
import { repository } from "./kit.mjs";
import { exampleFolder } from "./readme.mjs";

const PAGE = "docs/guides/following.md";
export const { log } = registryOf(12);
/** A page without a problem would be of somebody on the way. */
const NOT_FOUND = JSON.stringify(problem((body) => Object.assign(body, { code: "not-found", errors: [], status: 404 })));

/** The one block of a language on the page. */
export function blockOf(language) {
  const text = readFileSync(join(repository, PAGE), "utf8");
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))];
  assert.equal(blocks.length, 1, `${PAGE} has one block of ${language}`);
  return blocks[0][1];
}

/** A folder with what the page says that is in it, and the address of a registry with the log, which `lie` may change. */
export async function prepare(context, lie = (_, body) => body) {
  const { folder, remove } = exampleFolder();
  const server = createServer(async (request, response) => {
    const path = request.url.replace("/api/sdk/registry/journal/", "");
    const body = lie(path, path === "checkpoint" ? log.checkpoint() : await filesOf(log).tile(path));
    if (body !== undefined) return response.writeHead(200).end(body);
    response.writeHead(404, { "content-type": "application/problem+json" }).end(NOT_FOUND);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  context.after(() => {
    server.close();
    remove();
  });
  writeFileSync(join(folder, "webhook-secrets.txt"), `${SECRET}\n`);
  writeFileSync(join(folder, "journal.pub"), log.publicKey);
  return { folder, registry: `127.0.0.1:${server.address().port}` };
}

/** A port that nobody has. */
export async function freePort() {
  const server = createServer();
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** Starts a receiver and waits until it says that it receives. */
export function start(program, parameters, cwd, environment = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { cwd, env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const ended = new Promise((done) => child.on("close", done));
    let said = "";
    const stop = () => {
      if (child.exitCode === null) process.kill(-child.pid, "SIGKILL");
      return ended;
    };
    child.stdout.on("data", (chunk) => {
      said += chunk;
      if (said.includes("receiving")) resolve({ stop });
    });
    child.stderr.on("data", (chunk) => (said += chunk));
    child.on("error", reject);
    child.on("close", (code) => reject(new Error(`${program} ended with ${code}: ${said}`)));
  });
}

/** The records that a receiver wrote to a file. */
export function keptIn(folder, file = "events.jsonl") {
  const path = join(folder, file);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1).map((line) => JSON.parse(line)) : [];
}

/** Sends a delivery; the status of the answer. */
export async function send(port, { body, headers }, method = "POST") {
  const answer = await fetch(`http://127.0.0.1:${port}/hook`, { method, headers, ...(method === "POST" ? { body } : {}) });
  await answer.arrayBuffer();
  return answer.status;
}

const now = () => Math.floor(Date.now() / 1000);

/** A delivery of a range, sent now; `change` says what is not as it should be. */
export function delivery(from, to, { change = (body) => body, ...options } = {}) {
  return signed(canonicalize(change(structuredClone(rangeOf(log, from, to)))), { id: `msg_2fKq_${from}-${to}`, seconds: now(), ...options });
}

/** Sends what an endpoint gets that asks for some types alone: every record that came is kept, once and in order. */
export async function holdFiltered({ launch, folder, port, file = "events.jsonl" }) {
  let receiver = await launch();
  const filtered = (from, to, wanted) => delivery(from, to, { change: (body) => ({ ...body, data: { ...body.data, filtered: true, records: wanted.map((index) => rangeOf(log, index, index + 1).data.records[0]) } }) });
  const expect = async (name, sent, status, indices) => {
    const answered = await send(port, sent);
    assert.ok(status === "refused" ? answered >= 400 : answered === status, `${name}: ${answered}`);
    assert.deepEqual(keptIn(folder, file).map(({ index }) => index), indices, name);
  };
  try {
    await expect("the first match", filtered(0, 4, [1]), 204, [1]);
    await expect("no match", filtered(4, 6, []), 204, [1]);
    await expect("a match further on", filtered(6, 9, [7, 8]), 204, [1, 7, 8]);
    await expect("the same again", filtered(6, 9, [7, 8]), 204, [1, 7, 8]);
    await expect("another order", filtered(9, 12, [11, 9]), "refused", [1, 7, 8]);
    await expect("a record twice", filtered(9, 12, [9, 9]), "refused", [1, 7, 8]);
    await expect("a record from elsewhere", filtered(9, 11, [11]), "refused", [1, 7, 8]);
    await receiver.stop();
    receiver = await launch();
    await expect("a range that overlaps, after a restart", filtered(7, 12, [8, 11]), 204, [1, 7, 8, 11]);
    assert.deepEqual(keptIn(folder, file).map(({ record }) => record), [1, 7, 8, 11].map((index) => log.records[index]));
  } finally {
    await receiver.stop();
  }
}

/** Sends everything that a receiver must take or refuse. `fillsGaps` is one that fetches what is missing. */
export async function hold({ launch, folder, port, fillsGaps = false }) {
  let receiver = await launch();
  const kept = () => keptIn(folder);
  const expect = async (name, sent, status, count, method) => {
    const answered = await send(port, sent, method);
    assert.ok(status === "refused" ? answered >= 400 : answered === status, `${name}: ${answered}`);
    assert.deepEqual(kept().map(({ index }) => index), Array.from({ length: count }, (_, at) => at), name);
  };
  const without = (sent, name) => ({ ...sent, headers: Object.fromEntries(Object.entries(sent.headers).filter(([each]) => each !== name)) });
  const open = (body) => {
    body.data.records[1].record.accepted = true;
    return body;
  };
  try {
    await expect("a delivery of nobody", delivery(0, 3, { secrets: [OTHER_SECRET] }), 400, 0);
    await expect("a test", signed(canonicalize({ data: { endpoint: "audit" }, timestamp: "2026-11-15T06:00:00.000Z", type: "registry.test" }), { id: "msg_test", seconds: now() }), 204, 0);
    await expect("the first range", delivery(0, 3), 204, 3);
    await expect("the first range again", delivery(0, 3), 204, 3);
    await expect("an old try", delivery(3, 6, { seconds: now() - 600 }), 400, 3);
    await expect("a try of tomorrow", delivery(3, 6, { seconds: now() + 600 }), 400, 3);
    const changed = delivery(3, 6);
    await expect("a changed body", { ...changed, body: Buffer.from(changed.body).fill(0x20, 40, 41) }, 400, 3);
    for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) await expect(`without ${name}`, without(delivery(3, 6), name), 400, 3);
    const twice = delivery(3, 6);
    await expect("a header twice", { ...twice, headers: [...Object.entries(twice.headers), ["webhook-id", twice.headers["webhook-id"]]] }, 400, 3);
    await expect("a signature that is none", { ...twice, headers: { ...twice.headers, "webhook-signature": "v1,%% v1" } }, 400, 3);
    await expect("a yes", delivery(3, 6, { change: open }), 400, 3);
    await expect("a record left out", delivery(3, 6, { change: (body) => (body.data.records.splice(1, 1), body) }), 400, 3);
    await expect("another order", delivery(3, 6, { change: (body) => (body.data.records.reverse(), body) }), 400, 3);
    await expect("another method", { headers: {} }, 405, 3, "GET");
    await expect("two signatures while the secret rotates", delivery(3, 6, { secrets: [OTHER_SECRET, SECRET] }), 204, 6);
    await receiver.stop();
    receiver = await launch();
    await expect("a range that overlaps, after a restart", delivery(4, 8), 204, 8);
    if (fillsGaps) await expect("a range further on", delivery(10, 12), 204, 12);
    else {
      await expect("a range further on", delivery(10, 12), "refused", 8);
      await expect("the range that was missing", delivery(8, 12), 204, 12);
    }
    assert.deepEqual(kept().map(({ record }) => record), log.records);
  } finally {
    await receiver.stop();
  }
}
