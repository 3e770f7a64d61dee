// Gates, tokens and the page of the operator.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { asJson, asText, expectQuiet, lied, settled, startEverything, words } from "./console-pages.mjs";
import { startConsole, startService } from "./console-server.mjs";
import { runSvcRegistry } from "./pages.mjs";

let all;
before(async () => {
  all = await startEverything();
});
after(() => all?.stop());

test("a token is used from memory alone", async () => {
  const { folder } = all.work;
  const token = runSvcRegistry(folder, "token", "create", "reader", "--scope", "read", "--file", join(folder, "tokens.json")).trim();
  assert.match(token, /^svcr_\S{20,}$/);
  const service = await startService("--tokens", join(folder, "tokens.json"));
  const web = await startConsole(service);
  try {
    const page = await all.open("/console/gates", { from: web });
    await settled(page);
    assert.match(await words(page), /Give a token of the scope read.*0 of three documents/);
    await page.getByText("Token and keys", { exact: true }).click();
    await page.fill("#token", "no token\u0001");
    await page.press("#token", "Enter");
    assert.match(await words(page, ".session-fold"), /characters that no token has/);
    await page.fill("#token", token);
    await page.press("#token", "Enter");
    await page.waitForFunction(() => document.querySelector("#same .good") !== null);
    await page.getByRole("link", { name: "Log" }).click();
    await settled(page);
    assert.match(await words(page), /no signed state yet|0 records/, "the token goes from page to page");
    assert.ok(!web.state.asked.some(({ url }) => url.includes(token)), "it is in no address");
    assert.ok(web.state.asked.some(({ headers }) => headers.authorization === `Bearer ${token}`));
    assert.ok(web.state.asked.every(({ headers }) => headers.cookie === undefined && headers.referer === undefined));
    const kept = await page.evaluate(() => JSON.stringify([location.href, document.cookie, { ...localStorage }, { ...sessionStorage }, history.state]));
    assert.ok(!kept.includes(token));
    await page.reload();
    await settled(page);
    assert.match(await words(page), /401 unauthenticated/);
    await page.context().close();
  } finally {
    await web.stop();
    await service.stop();
  }
});

test("a ledger that differs is told", async () => {
  const bend = (change) => async (url, honest) => (url.endsWith("/registry/readiness") ? asJson(change(JSON.parse((await honest()).body))) : undefined);
  await lied(all, "/console/gates", bend((ledger) => ({ ...ledger, gates: ledger.gates.map((gate) => (gate.gate === "artifact-signing" ? { ...gate, clearedBy: "anybody" } : gate)) })), async (page) => assert.match(await words(page, "#same"), /ledger of this server is another one/));
  await lied(all, "/console/gates", bend((ledger) => ({ ...ledger, gates: ledger.gates.map((gate) => (gate.gate === "artifact-signing" ? { ...gate, status: "signed" } : gate)) })), async (page) => assert.match(await words(page, "#same"), /This does not hold\..*fail-open/));
});

test("the service is read at its admin address, and elsewhere there is no such page", async () => {
  const page = await all.open("/console/service", { from: all.admin });
  await settled(page);
  await page.waitForFunction(() => !document.querySelector("#answers").textContent.includes("…"), undefined, { timeout: 20_000 });
  const text = await words(page);
  assert.match(text, /Ready yes/);
  assert.match(text, /Free disk \d+\.\d [MGT]iB/);
  assert.match(text, /Records \d+ Growth \d+\.\d a second/);
  await page.context().close();
  for (const [web, path] of [[all.web, "/console/service"], [all.admin, "/console/log"]]) {
    const reply = await fetch(web.address + path, { headers: { accept: "text/html" } });
    assert.deepEqual([reply.status, reply.headers.get("content-type")], [404, "text/html; charset=utf-8"], path);
    assert.match(reply.headers.get("content-security-policy"), /default-src 'none'/);
  }
});

test("a token that is refused is told apart from none", async () => {
  const { folder } = all.work;
  runSvcRegistry(folder, "token", "create", "somebody", "--scope", "read", "--file", join(folder, "refused.json"));
  const service = await startService("--tokens", join(folder, "refused.json"));
  const web = await startConsole(service);
  try {
    const page = await all.open("/console/log", { from: web });
    await settled(page);
    assert.match(await words(page), /Give a token of the scope read under Token and keys/);
    await page.getByText("Token and keys", { exact: true }).click();
    await page.fill("#token", `svcr_${"a".repeat(43)}`);
    await page.press("#token", "Enter");
    await page.waitForFunction(() => document.querySelector("main").textContent.includes("The token that you gave was refused"));
    await page.context().close();
  } finally {
    await web.stop();
    await service.stop();
  }
});

test("a server that is gone is told so, in our words, with what was read before and when", async () => {
  const service = await startService();
  const [web, admin] = [await startConsole(service), await startConsole(service, { isAdmin: true })];
  try {
    const page = await all.open("/console/service", { from: admin, clock: true });
    await settled(page);
    assert.match(await words(page, ".read"), /Read at \d\d:\d\d:\d\d UTC\. It is read again every 5 seconds/);
    const gates = await all.open("/console/gates", { from: web });
    await settled(gates);
    assert.match(await words(gates, "#same"), /The server was asked at \d\d:\d\d:\d\d UTC/);
    for (const server of [web, admin]) await server.stop();
    await page.clock.runFor(6_000);
    await page.waitForFunction(() => document.querySelector(".read").textContent.includes("The registry does not answer."));
    assert.match(await words(page), /What stands below was read at \d\d:\d\d:\d\d UTC.*Ready yes/);
    await gates.getByRole("link", { name: "Log" }).click();
    await settled(gates);
    assert.match(await words(gates), /The registry does not answer \(unreachable\)/);
    await gates.getByRole("link", { name: "Gates" }).click();
    await settled(gates);
    assert.match(await words(gates, "#same"), /The registry does not answer \(unreachable\)\. The server gave 0 of three documents at/);
    assert.doesNotMatch(await words(gates) + (await words(page)), /Failed to fetch/);
    await page.context().close();
    await gates.context().close();
  } finally {
    await service.stop();
  }
});

test("endpoints that nothing is delivered to are told, also where none can be read", async () => {
  const of = (faults) => (url) => (url === "/metrics" ? asText(`svc_ready 1\nsvc_events_faults ${faults}`) : undefined);
  const told = /nothing is delivered there\. svc-registry events list says which\./;
  await lied(all, "/console/service", of(2), async (page) => assert.match(await words(page, "#events"), told), all.admin);
  await lied(all, "/console/service", of(0), async (page) => assert.doesNotMatch(await words(page, "#events"), told), all.admin);
});

test("a table that is longer than a page bears says how many more rows there are", async () => {
  const metrics = ["svc_ready 1", ...Array.from({ length: 130 }, (_, at) => `svc_answers_total{operation="operation-${at}",status="200"} ${at}`), ...Array.from({ length: 101 }, (_, at) => `svc_token_end_seconds{token="t${at}"} 1e300`)].join("\n");
  await lied(all, "/console/service", (url) => (url === "/metrics" ? asText(metrics) : undefined), async (page) => {
    assert.equal(await page.locator("#answers tbody tr").count(), 100);
    assert.match(await words(page, "#answers"), /operation-129 .* and 30 more; \/metrics has all\./);
    assert.match(await words(page, "#ends"), /not a time.* and 1 more; /);
  }, all.admin);
});

test("no request left any page for elsewhere, and the browser complained about nothing", () => expectQuiet(all));
