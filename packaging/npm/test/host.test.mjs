// The launcher's judgement of a machine, with machines that are not at hand.

import assert from "node:assert/strict";
import test from "node:test";

import { CARGO_LINE, found, refusal } from "../lib/host.mjs";

const NEEDED = { os: "linux", cpu: "x64", libc: "glibc", glibc: "2.34" };

const node = (platform, arch, header) => ({ platform, arch, report: { getReport: () => ({ header }) } });
const linux = (glibcVersionRuntime) => node("linux", "x64", { glibcVersionRuntime });

test("every other machine is refused with what it is, what is needed and the way to build", () => {
  const others = [
    [node("darwin", "arm64", {}), "this is darwin arm64\n"],
    [node("win32", "x64", {}), "this is win32 x64\n"],
    [node("linux", "arm64", { glibcVersionRuntime: "2.41" }), "this is linux arm64 with glibc 2.41\n"],
    [node("linux", "x64", {}), "with another C library than glibc, such as musl\n"],
    [linux("2.33"), "this is linux x64 with glibc 2.33\n"],
    [linux("2.4"), "with glibc 2.4\n"],
    [linux("1.99"), "with glibc 1.99\n"],
  ];
  for (const [machine, told] of others) {
    const text = refusal(NEEDED, found(machine));
    assert.ok(text?.startsWith("error: this package carries svc for linux x64 with glibc 2.34 or later, and "), text);
    assert.ok(text.includes(told), text);
    assert.ok(text.endsWith(`: ${CARGO_LINE}\n`), text);
  }
});

test("a report that lies is no way in, and nothing of it reaches a terminal as it is", () => {
  const lies = ["", "2", "2.x", "2.34 or later", "9".repeat(400), "2.40\u001b[2J", "2.40\n", ["2.40"], { major: 3 }, 3, true, null];
  for (const lie of lies) {
    const text = refusal(NEEDED, found(linux(lie)));
    assert.ok(text, String(lie));
    assert.match(text, /^[ -~]+\n[ -~]+\n$/);
    assert.ok(text.length < 300, text);
  }
  assert.ok(refusal(NEEDED, found({ platform: "linux", arch: "x64" })), "no report at all");
  assert.ok(refusal(NEEDED, found(node("linux\u001b[2J", "x64", {}))).includes("\"linux\\u001b[2J\""));
});

test("a package that does not say what it needs runs nowhere", () => {
  for (const needed of [{}, { ...NEEDED, glibc: undefined }, { ...NEEDED, glibc: "new" }]) {
    assert.ok(refusal(needed, found(linux("2.41"))));
  }
});

test("the same machine and newer ones pass", () => {
  for (const version of ["2.34", "2.34.0", "2.34.1", "2.36", "2.100", "3.0"]) {
    assert.equal(refusal(NEEDED, found(linux(version))), undefined, version);
  }
});

test("this machine is read without a look at its network", () => {
  const machine = found(process);
  assert.deepEqual([machine.os, machine.cpu], [process.platform, process.arch]);
  assert.equal(process.report.excludeNetwork, true);
});
