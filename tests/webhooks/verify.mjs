// Reads deliveries of svc with the npm package of Standard Webhooks. Each is also given to it changed, which it must refuse.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [packages, file] = process.argv.slice(2);
const { Webhook } = createRequire(`${packages}/`)("standardwebhooks");
const WRONG = `whsec_${Buffer.alloc(32).toString("base64")}`;

function takes(secret, body, headers) {
	try {
		new Webhook(secret).verify(body, headers);
		return true;
	} catch (error) {
		assert.equal(error.name, "WebhookVerificationError", String(error));
		return false;
	}
}

const deliveries = JSON.parse(readFileSync(file, "utf8"));
assert.ok(deliveries.length >= 3, "too few deliveries");
const seen = new Set();
for (const { body, secrets, not, ...headers } of deliveries) {
	assert.equal(headers["webhook-signature"].split(" ").length, secrets.length, "a signature for each secret");
	for (const secret of secrets) {
		assert.ok(takes(secret, body, headers), "a delivery of ours is refused");
		for (let at = 0; at < body.length; at += Math.max(1, Math.floor(body.length / 97))) {
			const other = body.slice(0, at) + (body[at] === "x" ? "y" : "x") + body.slice(at + 1);
			assert.ok(!takes(secret, other, headers), `byte ${at} was changed, and it is taken`);
		}
		assert.ok(!takes(secret, `${body} `, headers), "a byte was added, and it is taken");
		for (const name of Object.keys(headers)) {
			const { [name]: _, ...lacking } = headers;
			assert.ok(!takes(secret, body, lacking), `${name} is missing, and it is taken`);
		}
		assert.ok(!takes(secret, body, { ...headers, "webhook-id": `${headers["webhook-id"]}0` }));
		const later = String(Number(headers["webhook-timestamp"]) + 1);
		assert.ok(!takes(secret, body, { ...headers, "webhook-timestamp": later }));
		for (const minutes of [-6, 6]) {
			const moment = new Date(Date.now() + minutes * 60_000);
			const signature = new Webhook(secret).sign(headers["webhook-id"], moment, body);
			const timestamp = String(Math.floor(moment.getTime() / 1000));
			const moved = { ...headers, "webhook-timestamp": timestamp, "webhook-signature": signature };
			assert.ok(!takes(secret, body, moved), "an old or a future time is taken, with its own signature");
		}
	}
	assert.ok(!takes(WRONG, body, headers), "another secret takes it");
	for (const secret of not) assert.ok(!takes(secret, body, headers), "a secret that has ended takes it");
	seen.add(JSON.parse(body).type);
}
assert.deepEqual([...seen].sort(), ["registry.journal.records", "registry.test"]);
