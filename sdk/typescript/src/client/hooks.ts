/**
 * What a caller can watch: requests, answers and waits. Hooks see where a request goes and how it went, never the token,
 * a header or a body. They change nothing, and what one throws comes out of the call.
 */

/** A request that is about to be sent. */
export interface RequestEvent {
  readonly method: "GET" | "POST";
  readonly address: string;
  /** Which try it is, counted from one. */
  readonly attempt: number;
}

/** The head of an answer. Whether the answer can be used is not known yet. */
export interface ResponseEvent extends RequestEvent {
  readonly status: number;
  /** The registry's name for the request. */
  readonly requestId: string | undefined;
  /** From the request to the head of the answer. */
  readonly milliseconds: number;
}

/** A wait before a request is sent again. */
export interface RetryEvent extends RequestEvent {
  /** The registry was not reached, asked to come back, or ended a stream, as it ends every one. */
  readonly reason: "unreachable" | "asked-to-wait" | "ended";
  /** What was answered, by the registry or in its place: nothing where nobody answered, and at the end of a stream. */
  readonly status: number | undefined;
  readonly waitMs: number;
}

/** The hooks of a client. */
export interface RegistryClientHooks {
  readonly onRequest?: (event: RequestEvent) => void;
  readonly onResponse?: (event: ResponseEvent) => void;
  readonly onRetry?: (event: RetryEvent) => void;
}
