// Another web application, with a registry inside: pages of its own, and some requests handed on.
//
//   node application.mjs REGISTRY PREFIX BELOW
//
// REGISTRY is where the registry listens. PREFIX, which may be empty, is where this application stands; its pages are
// below it. What is at PREFIX + BELOW, or below that, goes to the registry, without PREFIX.

import { createServer, request } from "node:http";

const PAGES = { "/": "Home", "/healthz": "Healthy", "/version": "Version 7" };

/** Headers about one connection, which nobody hands on. */
const OF_ONE_CONNECTION = ["connection", "keep-alive", "transfer-encoding", "upgrade"];

const [registry, prefix, below] = process.argv.slice(2);
const mount = prefix + below;

const server = createServer((asked, answer) => {
  const [path] = asked.url.split("?", 1);
  if (path === mount || path.startsWith(`${mount}/`)) {
    handOn(asked, answer);
  } else {
    const title = path.startsWith(prefix) ? PAGES[path.slice(prefix.length)] : undefined;
    showPage(answer, title ? 200 : 404, title ?? "No such page");
  }
});

function showPage(answer, status, title) {
  answer.writeHead(status, { "Content-Type": "text/html" });
  answer.end(`<!doctype html><title>${title}</title><h1>${title}</h1>`);
}

function handOn(asked, answer) {
  const { method, url } = asked;
  const onward = request(registry + url.slice(prefix.length), { method, headers: ofMessage(asked.rawHeaders) });
  onward.on("response", (said) => {
    answer.writeHead(said.statusCode, ofMessage(said.rawHeaders));
    said.pipe(answer);
  });
  onward.on("error", () => (answer.headersSent ? answer.destroy() : showPage(answer, 502, "The registry is gone")));
  asked.pipe(onward);
}

/** Names and values in turn, as they came. */
function ofMessage(rawHeaders) {
  const isHandedOn = (_, at) => !OF_ONE_CONNECTION.includes(rawHeaders[at - (at % 2)].toLowerCase());
  return rawHeaders.filter(isHandedOn);
}

server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}${prefix}`));
