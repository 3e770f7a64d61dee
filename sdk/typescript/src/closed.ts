/** The closed outcome as data: the flags that are never anything but `false`, and the gates that are missing. */

import { frozen } from "./frozen.js";
import type { Gate } from "./generated/artifacts.js";
import { GATE_ROWS } from "./generated/gates.js";

/** The flags of every artifact and every answer. */
export const FLAGS: readonly string[] = frozen(["accepted", "installable", "signed"]);

/** Every gate, in order. */
export const ALL_GATES: readonly Gate[] = frozen(GATE_ROWS.map((row) => row.gate));

/** The gates that are missing whatever a file shows: evidence in it can satisfy the artifact hash alone. */
export const MISSING_GATES: readonly Gate[] = frozen(ALL_GATES.filter((gate) => gate !== "artifact-hash"));

/** The status of every gate in an artifact. */
export const GATE_STATUSES: { readonly [gate: string]: string } = frozen(
  Object.fromEntries(GATE_ROWS.map((row) => [row.gate, row.status])),
);
