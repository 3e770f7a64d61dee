/**
 * Which signed state of a log counts: its newest, or with a policy the newest that its quorum has seen.
 *
 * Under load the newest state has no cosignatures yet, so that a registry serves the one that has them beside it. Both are
 * signed, and both must be of the log that this client saw.
 */

import { type Checkpoint, type CheckpointFault, openCheckpoint } from "../receipt/checkpoint.js";
import type { KnownKeys } from "../receipt/known-keys.js";
import { type Policy, type UnwitnessedFault, witnessed } from "../receipt/policy.js";
import { type Answer, refusal } from "./answer.js";
import type { CallOptions, Connection } from "./connection.js";
import { ProofError } from "./errors.js";
import { getText, notesOf, textOf, tilesOf } from "./log-files.js";
import type { SeenLog } from "./seen-log.js";

/** The state that counts, and the newest one, which is the same or has grown from it. */
export interface LogStates {
  readonly counted: Checkpoint;
  readonly newest: Checkpoint;
  readonly requestId: string | undefined;
}

/** Whose states are read, and what is demanded of them. */
export interface LogReader {
  readonly connection: Connection;
  readonly keys: KnownKeys;
  readonly policy: Policy | undefined;
  readonly seen: SeenLog;
}

/** A signed state as it was served. */
interface Served {
  readonly state: Checkpoint;
  readonly requestId: string | undefined;
}

/** Asks how a log stands. */
export async function readLogStates(log: LogReader, call: CallOptions): Promise<Answer<LogStates>> {
  // Asked for first: when the newest state is asked for after, an honest log can only have grown from it.
  const seen = log.policy === undefined ? undefined : await readState(log, "witnessed-checkpoint", 0, call);
  if (seen?.ok === false && seen.problem.status !== 404) return seen;
  const newest = await readState(log, "checkpoint", log.seen.size, call);
  if (!newest.ok) return newest;
  const { state, requestId } = newest.value;
  const counted = await countedOf(log, seen?.ok === true ? [newest.value, seen.value] : [newest.value]);
  return { ok: true, value: { counted, newest: state, requestId } };
}

/** Throws unless the state that counts covers a record of the log. */
export function expectCounted(index: number, { counted, newest, requestId }: LogStates): void {
  if (index < counted.size) return;
  const message = `the witnesses have seen ${counted.size} of the log's ${newest.size} records, and not yet record ${index}, counted from zero`;
  throw new ProofError("proof-quorum-lacking", message, requestId);
}

/** A signed state that the registry serves, of the log that was seen. */
async function readState({ connection, keys, seen }: LogReader, name: string, floor: number, call: CallOptions): Promise<Answer<Served>> {
  const reply = await getText(connection, name, call);
  if (reply.status !== 200) return refusal(reply);
  const { requestId } = reply;
  const note = textOf(reply);
  const state = await keys.check((known, origin) => openCheckpoint(note, known, origin), notesOf(connection, call));
  if (typeof state === "string") throw notCounted(state, requestId);
  await seen.see({ state, floor, readTile: tilesOf(connection, call), requestId });
  return { ok: true, value: { state, requestId } };
}

/** The first of these states that the quorum has seen; without a policy, the first. */
async function countedOf({ policy, keys }: LogReader, served: readonly [newest: Served, ...older: Served[]]): Promise<Checkpoint> {
  const [{ state: newest, requestId: asked }] = served;
  if (policy === undefined) return newest;
  for (const { state, requestId } of served) {
    const seen = await witnessed(state.note, policy, keys.all);
    if (typeof seen !== "string") return seen.checkpoint;
    if (seen !== "quorum-lacking") throw notCounted(seen, requestId);
  }
  throw new ProofError("proof-quorum-lacking", `the log has ${newest.size} records, and serves no state that the quorum has seen`, asked);
}

function notCounted(fault: CheckpointFault | UnwitnessedFault | "forked-keys", requestId: string | undefined): ProofError {
  return new ProofError(`proof-${fault}`, `the checkpoint is not a state that counts: ${fault}`, requestId);
}
