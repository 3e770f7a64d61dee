// Serves the preview on this machine: node serve.mjs INDEX [--port PORT] [--registry ADDRESS]
//
// A registry sends no CORS headers, so a page of another origin cannot read its answers. With --registry this server
// hands requests below /api on to it, and the page asks its own origin. No page needs that only to show an index.

import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { createServer, request as ask } from "node:http";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = dirname(fileURLToPath(import.meta.url));
const sdk = dirname(fileURLToPath(import.meta.resolve("@svc/registry-sdk")));
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { port: { type: "string", default: "8080" }, registry: { type: "string" } },
});

const TYPES = { ".css": "text/css", ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".json": "application/json", ".mjs": "text/javascript" };
const PAGES = { "/": "index.html", "/page.mjs": "page.mjs", "/words.mjs": "words.mjs", "/style.css": "style.css" };
const MODULE = /^\/sdk\/((?:[a-z0-9-]+\/)*[a-z0-9-]+\.js)$/;

/** The one inline script of the page is its import map; the policy names it by its hash. */
const inline = /<script type="importmap">(.*?)<\/script>/s.exec(readFileSync(join(here, "index.html"), "utf8"))[1];
const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": `default-src 'none'; script-src 'self' 'sha256-${createHash("sha256").update(inline).digest("base64")}'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'`,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

const server = createServer((request, response) => {
  const path = new URL(request.url, "http://localhost").pathname;
  if (values.registry !== undefined && path.startsWith("/api/")) return handOn(request, response, path);
  const file = fileOf(path);
  if (request.method !== "GET" || file === undefined || !existsSync(file)) {
    response.writeHead(404, HEADERS).end();
    return;
  }
  response.writeHead(200, { ...HEADERS, "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
  createReadStream(file).pipe(response);
});

function fileOf(path) {
  if (Object.hasOwn(PAGES, path)) return join(here, PAGES[path]);
  if (path === "/index.json") return positionals[0];
  const module = MODULE.exec(path)?.[1];
  return module === undefined ? undefined : join(sdk, module);
}

function handOn(request, response, path) {
  const { accept, authorization, "content-type": type, "content-length": length } = request.headers;
  const headers = Object.fromEntries(Object.entries({ accept, authorization, "content-type": type, "content-length": length }).filter(([, value]) => value !== undefined));
  const onward = ask(new URL(path, values.registry), { method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  onward.on("error", () => response.writeHead(502, HEADERS).end());
  request.pipe(onward);
}

server.listen(Number(values.port), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));
