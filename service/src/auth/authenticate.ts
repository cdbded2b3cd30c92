/** Who makes a request. */

import { ApiError, bearerKey, UNAUTHENTICATED } from "keyward/http";
import type { CallerRow } from "../store/rows.js";
import { matches, prefixOf } from "./secret.js";

/** Found by nobody, matched by nothing. */
const NO_PREFIX = "no such prefix";
const NO_HASH = "0".repeat(64);

/** What a request says of who makes it, before it is looked up. */
export interface Credentials {
  /** Finds the key. */
  readonly prefix: string;
  readonly secret: string;
  /** For logs. */
  readonly fault: string;
}

/** The credentials of the `Authorization` field; of one that has none, those that no key has. */
export function credentialsOf(headers: Pick<Headers, "get">): Credentials {
  const bearer = bearerKey(headers);
  if (bearer._tag === "Left") return { prefix: NO_PREFIX, secret: "", fault: bearer.left };
  return { prefix: prefixOf(bearer.right) ?? NO_PREFIX, secret: bearer.right, fault: "unknown" };
}

/**
 * Throws unless `found`, which was looked up by the prefix, is the key that the credentials prove, and may be used. The
 * error is the same 401 for all, after the same work: one look-up, one hash, one comparison.
 */
export function authenticate({ secret, fault }: Credentials, found: CallerRow | undefined): CallerRow {
  const proved = matches(secret, found?.hash ?? NO_HASH);
  if (found === undefined || !proved) throw unauthenticated(fault);
  if (!found.usable) throw unauthenticated(found.state === "enabled" ? "expired" : found.state);
  return found;
}

/** `why` is for logs alone. */
function unauthenticated(why: string): ApiError {
  return new ApiError(UNAUTHENTICATED, { message: `unauthenticated: ${why}` });
}
