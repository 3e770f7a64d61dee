// What the console's tests talk to: a running registry, and before it a server that serves the committed bundle as the registry
// will, hands everything else on, and lies where a test asks it to.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "./bundles.mjs";
import { svc } from "./pages.mjs";

const BUNDLE = join(repository, "web/bundle");
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const HEADERS = { "content-security-policy": POLICY, "x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin" };
const FILES = { "/console/console.js": ["console.js", "text/javascript; charset=utf-8"], "/console/console.css": ["console.css", "text/css; charset=utf-8"] };
const PAGES = ["/console/", "/console/decisions", "/console/log", "/console/gates", "/console/service"];
const JOURNAL = "/api/sdk/registry/journal/";

/** A running registry with an admin address, in a folder of its own. */
export async function startService(...settings) {
  const data = mkdtempSync(join(tmpdir(), "svc-console-data-"));
  const child = spawn(svc, ["serve", "--bind", "127.0.0.1:0", "--admin-bind", "127.0.0.1:0", "--data-dir", data, "--log-level", "error", ...settings], { cwd: repository, stdio: ["ignore", "pipe", "pipe"] });
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
    child.on("close", (code) => reject(new Error(`svc serve ended with ${code}: ${said}`)));
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
  const { pathname } = new URL(request.url, "http://x");
  state.asked.push({ method: request.method, url: request.url, headers: request.headers });
  if (PAGES.includes(pathname)) return file("console.html", "text/html; charset=utf-8");
  if (pathname in FILES) return file(...FILES[pathname]);
  if (pathname.startsWith("/console/")) return { headers: { ...HEADERS, "content-type": "text/html; charset=utf-8" }, body: "<!doctype html><title>A page that needs no script</title>" };
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

const file = (name, type) => ({ headers: { ...HEADERS, "content-type": type, "cache-control": "no-cache" }, body: readFileSync(join(BUNDLE, name)) });

async function ask(service, isAdmin, request, url, body) {
  const upstream = async (path) => {
    const { host: _, connection: __, "content-length": ___, ...headers } = request.headers;
    const reply = await fetch((isAdmin ? service.admin : service.address) + path, { method: request.method, headers, ...(body.length > 0 ? { body } : {}), redirect: "manual" });
    const type = reply.headers.get("content-type") ?? "";
    if (reply.status === 200 && type.startsWith("text/event-stream")) return { headers: { "content-type": type }, stream: (response) => pipe(reply, response) };
    const kept = ["content-type", "svc-request-id", "retry-after"].flatMap((name) => (reply.headers.has(name) ? [[name, reply.headers.get(name)]] : []));
    return { status: reply.status, headers: Object.fromEntries(kept), body: Buffer.from(await reply.arrayBuffer()) };
  };
  const told = await upstream(url);
  if (told.status !== 404 || isAdmin) return told;
  // A registry that has neither `before` nor the stream yet: the same by what it has.
  const before = /^(.*\/journal\/entries)\?before=(\d+)&limit=(\d+)$/.exec(url);
  if (before !== null) {
    const first = Math.max(0, Number(before[2]) - Number(before[3]));
    return upstream(`${before[1]}?${first === 0 ? "" : `after=${first - 1}&`}limit=${Number(before[2]) - first}`);
  }
  if (url.startsWith(`${JOURNAL}stream`)) return { headers: { "content-type": "text/event-stream", "cache-control": "no-store" }, stream: standIn(upstream, url) };
  return told;
}

async function pipe(reply, response) {
  try {
    for await (const part of reply.body) response.write(part);
  } catch {
    // Whoever reads has gone.
  }
  response.end();
}

/** The stream as the interface describes it, by asking again and again. */
function standIn(upstream, url) {
  const after = /after=(\d+)/.exec(url)?.[1];
  return async (response) => {
    let next = after === undefined ? 0 : Number(after) + 1;
    let size = -1;
    response.on("error", () => {});
    while (!response.destroyed && !response.closed) {
      const note = (await upstream(`${JOURNAL}checkpoint`)).body.toString();
      const now = Number(note.split("\n")[1]);
      while (next < now) {
        const { entries } = JSON.parse((await upstream(`${JOURNAL}entries?${next === 0 ? "" : `after=${next - 1}&`}limit=${now - next}`)).body);
        for (const { record } of entries) response.write(eventOf(record));
        next += entries.length;
      }
      if (now !== size) response.write(checkpointEvent(note));
      size = now;
      await new Promise((done) => setTimeout(done, 200));
    }
  };
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
