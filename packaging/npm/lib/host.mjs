// Whether the program of this package can run on a machine: what it needs, held against what is found.
//
// `refusal` is pure, so that tests can put any machine before it. Nothing here reads the environment.

/** What builds svc elsewhere, from a checkout of its repository. */
export const CARGO_LINE = "cargo install --locked --path crates/svc";

/** What this machine is, as Node tells it. Only a glibc gives its version in a report. */
export function found(node) {
  const os = node.platform;
  return { os, cpu: node.arch, glibc: os === "linux" ? glibcOf(node.report) : undefined };
}

/** Why the program cannot run on the machine that was found, or nothing when it can. */
export function refusal(needed, machine) {
  const wanted = `${needed.os} ${needed.cpu} with glibc ${needed.glibc} or later`;
  const here = describe(machine);
  if (machine.os === needed.os && machine.cpu === needed.cpu && isAtLeast(machine.glibc, needed.glibc)) return undefined;
  return (
    `error: this package carries svc for ${wanted}, and this is ${here}\n` +
    `  = help: build it from a checkout of the repository: ${CARGO_LINE}\n`
  );
}

function glibcOf(report) {
  if (!report) return undefined;
  // Without this, Node looks up the names of all addresses of the machine, which takes time and asks the network.
  report.excludeNetwork = true;
  return report.getReport().header?.glibcVersionRuntime;
}

function describe({ os, cpu, glibc }) {
  const machine = `${word(os)} ${word(cpu)}`;
  if (os !== "linux") return machine;
  return `${machine} with ${glibc === undefined ? "another C library than glibc, such as musl" : `glibc ${word(glibc)}`}`;
}

/** What the machine says of itself is shown, but never a character that a terminal would obey. */
function word(text) {
  return /^[\w.+-]{1,40}$/.test(text) ? text : JSON.stringify(String(text).slice(0, 40)).replace(/[^ -~]/g, "?");
}

/** Versions are compared number by number; one that is no version is below all. */
function isAtLeast(version, least) {
  const [there, wanted] = [numbers(version), numbers(least)];
  if (!there || !wanted) return false;
  for (let at = 0; at < Math.max(there.length, wanted.length); at += 1) {
    const difference = (there[at] ?? 0) - (wanted[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function numbers(version) {
  const isVersion = typeof version === "string" && /^\d{1,4}(\.\d{1,4}){1,3}$/.test(version);
  return isVersion ? version.split(".").map(Number) : undefined;
}
