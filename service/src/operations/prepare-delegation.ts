/**
 * The first comparisons of keys under new policies are slow: the form of each rule is found for the first time. So the
 * service compares some keys of its own before callers wait for it.
 */

import type { PolicySet } from "keyward";
import { knownPermissions } from "keyward/audit";
import type { KeyPowers } from "../store/rows.js";
import { ROLES } from "../store/schema.js";
import { coverage } from "./delegation.js";

/** Compares keys with each role, with and without permissions, in one workspace and in all. */
export async function prepareDelegation(policies: PolicySet): Promise<void> {
  const known = knownPermissions(policies);
  const permissions = [[], known.map((pieces) => pieces.join("*")), known.map((pieces) => pieces.join("id"))];
  for (const roles of [...ROLES.map((role) => [role]), [...ROLES]]) {
    for (const some of permissions) {
      for (const workspaceIds of [["*"], ["ws"]]) {
        const powers = { roles, permissions: some, workspaceIds, accountId: "acc", environment: "production" } as const;
        const [maker, after]: readonly [KeyPowers, KeyPowers] = [
          { id: "maker", ...powers },
          { id: "key", ...powers },
        ];
        await coverage(policies, maker, { after });
      }
    }
  }
}
