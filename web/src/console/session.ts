// What one visit knows: the token, the keys and the policy that were typed in. All of it is in the memory of the page alone.

import { type CallOptions, Connection } from "../../../sdk/typescript/src/client/connection.ts";
import { createRegistryClient, type RegistryClient } from "../../../sdk/typescript/src/client/client.ts";
import type { JournalOptions } from "../../../sdk/typescript/src/client/journal.ts";
import { type LogKey, readKeys } from "../../../sdk/typescript/src/receipt/checkpoint.ts";
import { REGISTRY } from "./address.ts";
import { Failure, type TokenGiven } from "./failure.ts";

/** The public keys of the log, and where they came from. */
export interface LogKeys {
  readonly keys: readonly LogKey[];
  readonly lines: readonly string[];
  readonly from: "server" | "reader";
  readonly origin: string;
}

export class Session {
  #token: string | undefined;
  #keys = "";
  #policy = "";

  /** Takes what was typed in. Nothing of it is written anywhere. */
  set({ token, keys, policy }: { readonly token: string; readonly keys: string; readonly policy: string }): void {
    if (keys !== "" && readKeys(keys) === undefined) throw new Failure("Those are not public keys of one log. Enter one per line, as in journal.pub of the log's data folder.");
    this.#token = token === "" ? undefined : token;
    this.#keys = keys;
    this.#policy = policy;
    // A token that cannot be one is told here and not with every request.
    this.connection();
  }

  get policy(): string {
    return this.#policy;
  }

  get authorization(): { readonly [name: string]: string } {
    return this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
  }

  get token(): TokenGiven {
    return this.#token === undefined ? "no-token" : "token";
  }

  connection(): Connection {
    return new Connection(this.#way());
  }

  client(journal?: JournalOptions): RegistryClient {
    return createRegistryClient({ ...this.#way(), ...(journal === undefined ? {} : { journal }) });
  }

  /** The keys that the reader gave, else those that the server serves. */
  async keys(call: CallOptions): Promise<LogKeys> {
    if (this.#keys !== "") return logKeys(this.#keys, "reader");
    const answer = await this.client().journal.keys(call);
    if (!answer.ok) throw Failure.of(answer.problem, this.token);
    return logKeys(answer.value.join("\n"), "server");
  }

  #way(): { readonly baseUrl: string; readonly token?: string } {
    return { baseUrl: REGISTRY, ...(this.#token === undefined ? {} : { token: this.#token }) };
  }
}

function logKeys(text: string, from: LogKeys["from"]): LogKeys {
  const keys = readKeys(text) ?? [];
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
  return { keys, lines, from, origin: keys[0]?.name ?? "" };
}

/** How much a check with these keys shows. */
export function trustOf({ from }: LogKeys): string {
  return from === "reader"
    ? "Checked in this page with the keys that you gave."
    : "Checked in this page with keys that this same server served: that shows a log which agrees with itself, not whose log it is. Give a key that you have from elsewhere under Token and keys.";
}
