// The receivers of the guide in other languages. `SVC_PYTHON` names a Python with `standardwebhooks`, `SVC_GO` the program go;
// `cargo xtask gates receivers` has both.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { blockOf, freePort, hold, holdFiltered, prepare, start } from "../receivers.mjs";

const [python, go] = ["SVC_PYTHON", "SVC_GO"].map((name) => {
  assert.ok(process.env[name], `${name} is needed; \`cargo xtask gates receivers\` sets it`);
  return process.env[name];
});

/** Each in a folder of its own: what is signed, then what a filtered endpoint sends. */
for (const [name, sends] of [["takes what is signed, once and in order", hold], ["takes what a filtered endpoint sends", holdFiltered]]) {
  test(`the receiver in Python ${name}`, async (context) => {
    const { folder } = await prepare(context);
    const port = await freePort();
    writeFileSync(join(folder, "receiver.py"), blockOf("py").replace("9401", String(port)));
    await sends({ launch: () => start(python, ["receiver.py"], folder), folder, port });
  });

  test(`the receiver in Go ${name}`, async (context) => {
    const { folder } = await prepare(context);
    const port = await freePort();
    writeFileSync(join(folder, "receiver.go"), blockOf("go").replace("9402", String(port)));
    const environment = { GOFLAGS: "-mod=mod", GOPROXY: "off", GOTOOLCHAIN: "local", GOCACHE: process.env.GOCACHE ?? join(folder, "cache"), GOPATH: join(folder, "path") };
    for (const parameters of [["vet", "receiver.go"], ["build", "-o", "receiver", "receiver.go"]]) {
      const { status, stderr } = spawnSync(go, parameters, { cwd: folder, encoding: "utf8", env: { ...process.env, ...environment } });
      assert.equal(status, 0, stderr);
    }
    await sends({ launch: () => start(join(folder, "receiver"), [], folder), folder, port });
  });
}
