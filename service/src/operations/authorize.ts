/** The decision that an operation starts with. */

import type { DecisionRequest } from "keyward";
import type { AccountRow } from "../store/accounts.js";
import type { Call } from "./operation.js";
import { accountOf, principalOf } from "./resources.js";

/** Decides whether the caller may do the operation to a resource of the account; see `Call.authorize`. */
export function authorize(
  { authorize: decide, caller }: Pick<Call, "authorize" | "caller">,
  operation: string,
  resource: DecisionRequest["resource"],
  account: AccountRow,
): Promise<void> {
  return decide({ key: principalOf(caller), operation, resource, account: accountOf(account) });
}
