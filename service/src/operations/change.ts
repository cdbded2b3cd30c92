/** Changing something: one transaction from the look-up to the write. */

import { callerNow } from "../auth/authenticate.js";
import { lockAccount } from "../store/accounts.js";
import type { Call, Change } from "./operation.js";

/**
 * Runs `work` in a transaction that holds the lock of the caller's account, with the caller as it is by then. So the
 * states, counters and permissions that a decision reads are those that the write meets, whatever else goes on, in this
 * process and in others. If `work` throws (a refusal, say), nothing was written.
 */
export function change<T>(call: Call, work: (change: Change) => Promise<T>): Promise<T> {
  return call.store.transaction(async (queries) => {
    await lockAccount(queries, call.caller.key.accountId);
    return await work({ ...call, queries, caller: await callerNow(queries, call.caller) });
  });
}
