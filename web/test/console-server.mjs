// What the console's tests talk to: a running registry, and before it a server that hands everything on, headers too, and lies
// where a test asks it to.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "./bundles.mjs";
import { svcRegistry } from "./pages.mjs";

/** Headers that are of one connection, or of a coding that was undone. */
const PER_CONNECTION = ["connection", "content-encoding", "content-length", "keep-alive", "transfer-encoding"];

/** A running registry with an admin address, in a folder of its own. */
export async function startService(...settings) {
  const data = mkdtempSync(join(tmpdir(), "svc-console-data-"));
  const child = spawn(svcRegistry, ["serve", "--bind", "127.0.0.1:0", "--admin-bind", "127.0.0.1:0", "--data-dir", data, "--log-level", "error", ...settings], { cwd: repository, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((done) => child.on("close", done));
  const [address, admin] = await new Promise((resolve, reject) => {
    let said = "";
    const hear = (chunk) => {
      said += chunk;
      const found = [/listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1], /metrics on (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1]];
      if (!found.includes(undefined)) resolve(found);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("error", reject);
    child.on("close", (code) => reject(new Error(`svc-registry serve ended with ${code}: ${said}`)));
  });
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    rmSync(data, { recursive: true, force: true });
  };
  return { address, admin, data, stop };
}

/**
 * A server of the console before a service. `lies` may answer in its place: each takes the path with its query and a function
 * that asks honestly, and gives an answer or nothing.
 */
export async function startConsole(service, { isAdmin = false } = {}) {
  const state = { lies: [], asked: [] };
  const server = createServer((request, response) => {
    answer(request, service, isAdmin, state).then(
      ({ status = 200, headers = {}, body = "", stream }) => {
        response.writeHead(status, headers);
        if (stream === undefined) response.end(body);
        else stream(response);
      },
      (error) => {
        response.writeHead(502);
        response.end(String(error));
      },
    );
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const address = `http://127.0.0.1:${server.address().port}`;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  };
  return { address, state, stop, lie: (lie) => state.lies.push(lie), beHonest: () => (state.lies.length = 0) };
}

async function answer(request, service, isAdmin, state) {
  state.asked.push({ method: request.method, url: request.url, headers: request.headers });
  const body = await new Promise((done) => {
    const parts = [];
    request.on("data", (part) => parts.push(part)).on("end", () => done(Buffer.concat(parts)));
  });
  const honest = (url = request.url) => ask(service, isAdmin, request, url, body);
  for (const lie of state.lies) {
    const told = await lie(request.url, honest);
    if (told !== undefined) return told;
  }
  return honest();
}

async function ask(service, isAdmin, request, url, body) {
  const { host: _, connection: __, "content-length": ___, "accept-encoding": ____, ...headers } = request.headers;
  const reply = await fetch((isAdmin ? service.admin : service.address) + url, { method: request.method, headers, ...(body.length > 0 ? { body } : {}), redirect: "manual" });
  const type = reply.headers.get("content-type") ?? "";
  const told = Object.fromEntries([...reply.headers].filter(([name]) => !PER_CONNECTION.includes(name)));
  if (reply.status === 200 && type.startsWith("text/event-stream")) return { headers: told, stream: (response) => pipe(reply, response) };
  return { status: reply.status, headers: told, body: reply.status === 304 ? "" : Buffer.from(await reply.arrayBuffer()) };
}

async function pipe(reply, response) {
  try {
    for await (const part of reply.body) response.write(part);
  } catch {
    // Whoever reads has gone.
  }
  response.end();
}

const TYPES = { "digest-mismatch": "registry.digest.mismatch", "posture-violation": "registry.posture.violation" };

/** A record as the stream sends it. Members of records are ASCII and flat enough for this to be their canonical form. */
export function eventOf(record) {
  const type = record.outcome === "denied" ? "registry.decision.denied" : (TYPES[record.problem] ?? "registry.artifact.rejected");
  return `id: ${record.sequence}\nevent: ${type}\ndata: ${canonical(record)}\n\n`;
}

export const checkpointEvent = (note) => `event: checkpoint\n${note.replace(/\n$/, "").split("\n").map((line) => (line === "" ? "data:\n" : `data: ${line}\n`)).join("")}\n`;

export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

/** Sends a document to a service. */
export async function evaluate(service, path, document, headers = {}) {
  const reply = await fetch(`${service.address}/api/sdk/registry${path}`, { method: "POST", body: document, headers: { "content-type": "application/json", ...headers } });
  return { status: reply.status, body: await reply.json() };
}
