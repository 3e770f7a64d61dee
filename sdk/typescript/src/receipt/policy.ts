/**
 * Policies (C2SP tlog-policy): which logs are meant, which witnesses there are, and which of them must have seen a state.
 *
 * A witness says so by a line of the checkpoint (C2SP tlog-cosignature, `cosignature/v1`): a time, and its Ed25519 signature
 * over that time and the state. Every name of a fault is the one that svc has for it.
 */

import { sameBytes } from "../bytes.js";
import { hex } from "../digest.js";
import { frozen } from "../frozen.js";
import { utf8Length } from "../unicode.js";
import { type Checkpoint, type CheckpointFault, describeCheckpoint, encode, type LogKey, openCheckpoint, readKey, type SignedCheckpoint, signaturesOf, verifies } from "./checkpoint.js";
import { givenKeys } from "./hand-over.js";

/** Why a text is not a policy. */
export type PolicyFault = `policy-${"too-long" | "text" | "line" | "key" | "same-key" | "url" | "name" | "same-name" | "unknown-name" | "same-member" | "threshold" | "too-many" | "second-quorum" | "no-quorum"}`;

/** Why a state is not one that a policy holds for. */
export type UnwitnessedFault = "policy-other-log" | "cosignature-wrong" | "quorum-lacking";

/** A witness that cosigned a state, as the policy calls it, and when, in seconds of POSIX. */
export interface CosignedBy {
  readonly name: string;
  readonly time: number;
}

/** Whether a policy holds for a state, or the first reason why not; `line` is that of a fault in the policy. */
export type WitnessCheck =
  | { readonly ok: true; readonly checkpoint: SignedCheckpoint; readonly cosigned: readonly CosignedBy[] }
  | { readonly ok: false; readonly fault: PolicyFault | UnwitnessedFault | "checkpoint-refused" | "unsupported"; readonly line?: number };

/** What a check of a policy needs to know. */
export interface WitnessCheckOptions {
  /** The policy, as its file has it. */
  readonly policy: string;
  /** The public keys of the log, one a line. */
  readonly publicKey: string;
  /** The notes from key to key, as `/journal/hand-overs` has them. */
  readonly handOvers?: string;
  /** The time that cosignatures are compared with, in seconds since 1970; the present unless given. */
  readonly now?: number;
}

/** A policy that was read: whether it is met follows from who cosigned. */
export interface Policy {
  readonly logs: readonly LogKey[];
  readonly witnesses: readonly { readonly name: string; readonly key: LogKey }[];
  readonly isMetBy: (cosigned: ReadonlySet<string>) => boolean;
}

type Group = (cosigned: ReadonlySet<string>) => boolean;

/** Why a text is not a policy, and in which line. */
export class PolicyProblem {
  readonly code: PolicyFault;
  readonly line: number;

  constructor(code: PolicyFault, line = 1) {
    this.code = code;
    this.line = line;
  }
}

const COSIGNATURE_V1 = 4;
const MOST_BYTES = 65_536;
const MOST_OF_A_KIND = 64;
const MOST_NAME_BYTES = 255;
const MOST_URL_BYTES = 2048;
const LATEST = 2n ** 63n - 1n;
/** How far apart the clocks of a witness and of a reader may be, in seconds. */
const CLOCK_SKEW = 600;
/** 2025-01-01: no log of svc is older. */
const EARLIEST = 1_735_689_600n;

/** Encodings of the points of small order, without their sign: anybody can sign anything for such a key. */
const WEAK = /^(0[01](00){31}|26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05|c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a|e[cde](ff){30}7f)$/;

/** Checks that a signed checkpoint is one of the log, and that the quorum of a policy has seen it. Only keys that are none throw. */
export async function checkWitnesses(checkpoint: string, { policy, now, ...log }: WitnessCheckOptions): Promise<WitnessCheck> {
  const keys = await givenKeys(log);
  const read = readPolicy(policy);
  if (read instanceof PolicyProblem) return frozen({ ok: false, fault: read.code, line: read.line });
  const seen = await witnessed(checkpoint, read, keys, now);
  if (typeof seen === "string") return frozen({ ok: false, fault: isUnwitnessed(seen) ? seen : "checkpoint-refused" });
  return frozen({ ok: true, checkpoint: describeCheckpoint(seen.checkpoint), cosigned: seen.cosigned });
}

function isUnwitnessed(fault: string): fault is UnwitnessedFault | "unsupported" {
  return ["policy-other-log", "cosignature-wrong", "quorum-lacking", "unsupported"].includes(fault);
}

/**
 * Who cosigned a state that a policy holds for, or the first reason why it does not. A cosignature that is dated ahead, or
 * from before there were logs, does not count.
 */
export async function witnessed(
  note: string,
  policy: Policy,
  keys: readonly LogKey[],
  now = Math.floor(Date.now() / 1000),
): Promise<{ readonly checkpoint: Checkpoint; readonly cosigned: readonly CosignedBy[] } | UnwitnessedFault | CheckpointFault> {
  const isNamed = policy.logs.some((log) => keys.some((key) => key.name === log.name && sameBytes(key.key, log.key)));
  if (policy.logs.length > 0 && !isNamed) return "policy-other-log";
  const checkpoint = await openCheckpoint(note, keys, keys[0]?.name ?? "");
  if (typeof checkpoint === "string") return checkpoint;
  const cosigned: CosignedBy[] = [];
  const latest = Number.isSafeInteger(now) ? BigInt(now + CLOCK_SKEW) : 0n;
  for (const { name, key } of policy.witnesses) {
    let newest = 0n;
    for (const found of signaturesOf(note) ?? []) {
      if (found.name !== key.name || !sameBytes(found.id, key.id)) continue;
      const time = await cosignedAt(found.signature, key.key, note);
      if (time === undefined) return "unsupported";
      if (time === 0n) return "cosignature-wrong";
      if (time >= EARLIEST && time <= latest && time > newest) newest = time;
    }
    if (newest > 0n) cosigned.push({ name, time: Number(newest) });
  }
  return policy.isMetBy(new Set(cosigned.map(({ name }) => name))) ? { checkpoint, cosigned } : "quorum-lacking";
}

/** When a witness signed, zero when it did not, and nothing when the platform cannot tell. */
async function cosignedAt(signed: Uint8Array, key: Uint8Array, note: string): Promise<bigint | undefined> {
  if (signed.length !== 72) return 0n;
  const time = BigInt(`0x${hex(signed.slice(0, 8))}`);
  if (time === 0n || time > LATEST) return 0n;
  const text = encode(`cosignature/v1\ntime ${time}\n${note.slice(0, note.lastIndexOf("\n\n") + 1)}`);
  const holds = await verifies(key, signed.slice(8), text);
  return holds === undefined ? undefined : holds ? time : 0n;
}

/** Reads a policy, or says what is wrong with it, and in which line. */
export function readPolicy(file: string): Policy | PolicyProblem {
  if (utf8Length(file) > MOST_BYTES) return new PolicyProblem("policy-too-long");
  const reader = new PolicyReader();
  const lines = (file.endsWith("\n") ? file.slice(0, -1) : file).split("\n");
  for (const [at, line] of lines.entries()) {
    const code = reader.line(line);
    if (code !== undefined) return new PolicyProblem(code, at + 1);
  }
  const { logs, witnesses, quorum } = reader;
  return quorum === undefined ? new PolicyProblem("policy-no-quorum", lines.length) : { logs, witnesses, isMetBy: quorum };
}

/** What the lines so far say. */
class PolicyReader {
  readonly logs: LogKey[] = [];
  readonly witnesses: { name: string; key: LogKey }[] = [];
  quorum: Group | undefined;
  readonly #groups = new Map<string, Group>();
  readonly #members = new Set<string>();
  readonly #keys = new Set<string>();
  #groupCount = 0;

  line(line: string): PolicyFault | undefined {
    if (/[\u0000-\u0008\u000a-\u001f\u007f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(line)) return "policy-text";
    const [kind, first = "", second = "", ...rest] = line.split(/[ \t]+/).filter((word) => word !== "");
    if (kind === undefined || kind.startsWith("#")) return undefined;
    if (kind === "log" && first !== "" && rest.length === 0) return this.#log(first, second);
    if (kind === "witness" && second !== "" && rest.length <= 1) return this.#witness(first, second, rest[0] ?? "");
    if (kind === "group" && rest.length > 0) return this.#group(first, second, rest);
    if (kind === "quorum" && first !== "" && second === "") return this.#quorum(first);
    return "policy-line";
  }

  #log(text: string, url: string): PolicyFault | undefined {
    const key = readKey(text);
    if (key === undefined || /\/(minimum-index|next-key)$/.test(key.name)) return "policy-key";
    return this.#claimKey(key) ?? urlFault(url) ?? push(this.logs, key);
  }

  #witness(name: string, text: string, url: string): PolicyFault | undefined {
    const key = readKey(text, COSIGNATURE_V1);
    if (key === undefined || utf8Length(key.name) > MOST_NAME_BYTES || /\p{Cc}/u.test(key.name) || isWeak(key.key)) return "policy-key";
    if (this.witnesses.some((other) => other.key.name === key.name && sameBytes(other.key.id, key.id))) return "policy-same-key";
    return this.#claimKey(key) ?? this.#claimName(name, (cosigned) => cosigned.has(name)) ?? urlFault(url) ?? push(this.witnesses, { name, key });
  }

  #group(name: string, wanted: string, names: readonly string[]): PolicyFault | undefined {
    const threshold = wanted === "any" ? 1 : wanted === "all" ? names.length : /^[1-9][0-9]{0,5}$/.test(wanted) ? Number(wanted) : 0;
    if (threshold < 1 || threshold > names.length) return "policy-threshold";
    const members: Group[] = [];
    for (const member of names) {
      const found = this.#groups.get(member);
      if (found === undefined) return "policy-unknown-name";
      if (this.#members.has(member)) return "policy-same-member";
      this.#members.add(member);
      members.push(found);
    }
    const isMet: Group = (cosigned) => members.filter((member) => member(cosigned)).length >= threshold;
    const fault = this.#claimName(name, isMet);
    if (fault !== undefined) return fault;
    this.#groupCount += 1;
    return this.#groupCount > MOST_OF_A_KIND ? "policy-too-many" : undefined;
  }

  #quorum(name: string): PolicyFault | undefined {
    if (this.quorum !== undefined) return "policy-second-quorum";
    this.quorum = name === "none" ? () => true : this.#groups.get(name);
    return this.quorum === undefined ? "policy-unknown-name" : undefined;
  }

  #claimName(name: string, group: Group): PolicyFault | undefined {
    if (name === "none" || utf8Length(name) > MOST_NAME_BYTES) return "policy-name";
    if (this.#groups.has(name)) return "policy-same-name";
    this.#groups.set(name, group);
    return undefined;
  }

  /** A key that is a log's and a witness's would witness itself. */
  #claimKey({ key }: LogKey): PolicyFault | undefined {
    if (this.#keys.has(hex(key))) return "policy-same-key";
    this.#keys.add(hex(key));
    return undefined;
  }
}

function push<T>(list: T[], one: T): PolicyFault | undefined {
  if (list.length >= MOST_OF_A_KIND) return "policy-too-many";
  list.push(one);
  return undefined;
}

function urlFault(url: string): PolicyFault | undefined {
  if (url === "") return undefined;
  const isAddress = /^https?:\/\/[^/@]+(\/|$)/.test(url) && /^[!-~]*$/.test(url) && !/[?#\\"<>^`{|}]/.test(url) && url.length <= MOST_URL_BYTES;
  return isAddress ? undefined : "policy-url";
}

function isWeak(key: Uint8Array): boolean {
  const unsigned = Uint8Array.from(key, (byte, at) => (at === 31 ? byte & 0x7f : byte));
  return WEAK.test(hex(unsigned));
}
