/** Authenticates requests. */

import { ApiError, bearerKey, UNAUTHENTICATED } from "keyward/http";
import type { KeyProof } from "../store/rows.js";
import { hashOf, prefixOf, provesKey } from "./secret.js";

/** A prefix that no key has. */
const NO_PREFIX = "no such prefix";

/** The credentials in a request, before the key is looked up. */
export interface Credentials {
  /** Identifies the key. */
  readonly prefix: string;
  readonly secret: string;
  /** Of the secret. */
  readonly hash: string;
  /** The reason of a failure, for logs. */
  readonly fault: string;
}

/** The credentials in the `Authorization` field. Without a valid field: credentials that no key has. */
export function credentialsOf(headers: Pick<Headers, "get">): Credentials {
  const bearer = bearerKey(headers);
  const secret = bearer._tag === "Left" ? "" : bearer.right;
  const fault = bearer._tag === "Left" ? bearer.left : "unknown";
  return { prefix: prefixOf(secret) ?? NO_PREFIX, secret, hash: hashOf(secret), fault };
}

/**
 * Throws unless the credentials prove the key `found`, which was looked up by its prefix, and the key may be used.
 * Every failure gives the same 401 after the same work: one look-up, one hash, two comparisons.
 */
export function authenticate<Row extends Omit<KeyProof, "prefix">>(
  { hash, fault }: Pick<Credentials, "hash" | "fault">,
  found: Row | undefined,
): Row {
  const proved = provesKey(hash, found);
  if (found === undefined || !proved) throw unauthenticated(fault);
  if (!found.usable) throw unauthenticated(found.state === "enabled" ? "expired" : found.state);
  return found;
}

/** `why` appears in logs only. */
function unauthenticated(why: string): ApiError {
  return new ApiError(UNAUTHENTICATED, { message: `unauthenticated: ${why}` });
}
