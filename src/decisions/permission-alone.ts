/** The permission layer of a set, as a permission-only set of the same files. */

import { type PolicySet, policySetOf } from "./compiled-set.js";
import { DecisionTables } from "./decision-tables.js";

export function permissionAlone({ permission, model, files, configuration }: PolicySet): PolicySet {
  return policySetOf({
    permission,
    platform: undefined,
    tables: new DecisionTables(permission, undefined),
    model,
    configuration: { ...configuration, platformVersion: null },
    files,
    warnings: [],
  });
}
