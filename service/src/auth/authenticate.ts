/** Who makes a request. */

import { ApiError, bearerKey, UNAUTHENTICATED } from "keyward/http";
import { type CallerRow, findCaller } from "../store/keys.js";
import type { Queries } from "../store/store.js";
import { matches, prefixOf } from "./secret.js";

/** The key that makes a request: proved, enabled, not expired. */
export type Caller = Omit<CallerRow, "usable">;

/** Found by nobody, matched by nothing. */
const NO_PREFIX = "no such prefix";
const NO_HASH = "0".repeat(64);

/**
 * The key that the `Authorization` field proves. Throws the same 401 for every field that does not, after the same work:
 * one look-up, one hash, one comparison.
 */
export async function authenticate(queries: Queries, headers: Pick<Headers, "get">): Promise<Caller> {
  const bearer = bearerKey(headers);
  const secret = bearer._tag === "Left" ? "" : bearer.right;
  const row = await findCaller(queries, { prefix: prefixOf(secret) ?? NO_PREFIX });
  const proved = matches(secret, row?.key.hash ?? NO_HASH);
  if (row === undefined || !proved) throw unauthenticated(bearer._tag === "Left" ? bearer.left : "unknown");
  return checked(row);
}

/** The caller as it is by now: within a transaction that holds the account's lock, as it stays. */
export async function callerNow(queries: Queries, { key }: Caller): Promise<Caller> {
  const row = await findCaller(queries, { id: key.id });
  if (row === undefined) throw unauthenticated("deleted");
  return checked(row);
}

function checked({ key, environment, usable }: CallerRow): Caller {
  if (!usable) throw unauthenticated(key.state === "enabled" ? "expired" : key.state);
  return { key, environment };
}

/** `why` is for logs alone. */
function unauthenticated(why: string): ApiError {
  return new ApiError(UNAUTHENTICATED, { message: `unauthenticated: ${why}` });
}
