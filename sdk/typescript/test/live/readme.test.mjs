// Every example of the README and of the guide is run against a registry, with the files that svc writes, and says what its
// page says.

import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { exampleFolder, runExamples } from "../readme.mjs";
import { runSvc, startRegistry } from "./service.mjs";

test("every example says what its page says", async (context) => {
  const { folder, remove } = exampleFolder();
  context.after(remove);
  runSvc("app", "preflight", "examples/weather-board", "--visibility", "unlisted", "--owner-id", "acme", "--owner-name", "Acme Ltd", "--out-dir", folder, "--quiet");
  const registry = await startRegistry();
  context.after(registry.stop);
  copyFileSync(join(registry.data, "journal.pub"), join(folder, "journal.pub"));
  await runExamples(folder, registry.address);
});
