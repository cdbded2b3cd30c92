/** A request to begin with. */

import { hasUsage, type PolicyDomain } from "./domain.js";

/** An admin performs the first operation: the policies allow it. */
export function exampleRequest(domain: PolicyDomain): string {
  const { kind, operations, plans, counter } = domain;
  const usage = hasUsage(domain) ? { usage: { [counter]: 0 } } : {};
  const request = {
    key: { id: "key_1", roles: ["admin"], attr: { accountId: "acc_1", permissions: [] } },
    operation: operations[0]?.name,
    resource: { kind, id: `${kind}_1`, attr: { accountId: "acc_1", state: "active" } },
    account: { id: "acc_1", attr: { plan: plans[0]?.name, status: "active", ...usage } },
  };
  return `${JSON.stringify(request, undefined, 2)}\n`;
}
