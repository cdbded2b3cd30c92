/** A request to an operation as it arrives. */

import type { Context } from "@opentelemetry/api";
import type { Credentials } from "../auth/authenticate.js";

/** Called as soon as the caller is known, for the log line of the request. */
export type OnCaller = (caller: { readonly keyId: string; readonly accountId: string }) => void;

/** The parts of a request before anything is looked up. */
export interface IncomingCall {
  readonly requestId: string;
  /** The parent of the request's spans. */
  readonly within: Context;
  readonly credentials: Credentials;
  /** The account of the key, which was proved by this request or lately. */
  readonly accountId: string;
  /** The caller's address; `""` if it is not known. */
  readonly address: string;
  /** Returns the JSON value of the body, or throws its fault. */
  readonly body: () => unknown;
  /** The field `Idempotency-Key`. */
  readonly idempotencyKey: string | undefined;
  /** The field `If-Match`. */
  readonly ifMatch: string | undefined;
  /** True if the snapshots may be a short time old. */
  readonly isCached: boolean;
  /** Throws if the caller has closed the connection. */
  readonly requireCaller: () => void;
  readonly onCaller: OnCaller;
}
