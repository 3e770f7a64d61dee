// The rival: one acceptance endpoint on fastify. `node server.mjs PROCESSES` prints where it listens. With `lax` as a
// second word it reads as JSON.parse reads, which notices no member that appears twice.

import cluster from "node:cluster";
import Fastify from "fastify";
import { checker, denial } from "./checks.mjs";
import { laxity } from "./strict.mjs";

const processes = Number(process.argv[2] ?? 1);
const lax = process.argv[3] === "lax";

if (processes > 1 && cluster.isPrimary) {
  let ready = 0;
  cluster.on("listening", (_, address) => {
    ready += 1;
    if (ready === processes) console.log(`listening on http://127.0.0.1:${address.port}`);
  });
  for (let number = 0; number < processes; number += 1) cluster.fork();
} else {
  const check = checker("acceptance-request");
  const server = Fastify({ bodyLimit: 16 * 1024 * 1024 });
  if (!lax) {
    server.addContentTypeParser("application/json", { parseAs: "buffer" }, async (_, body) => {
      const fault = laxity(body);
      if (fault !== undefined) throw Object.assign(new Error(fault), { statusCode: 400 });
      return JSON.parse(body.toString());
    });
  }
  server.post("/*", (request, reply) => {
    const fault = check(request.body);
    if (fault !== undefined) {
      reply.code(422);
      return { accepted: false, detail: fault, installable: false, signed: false };
    }
    return denial(request.body);
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  if (cluster.isPrimary) console.log(`listening on http://127.0.0.1:${server.server.address().port}`);
}
