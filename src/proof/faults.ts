/** What requests lack of the schemas of a set. */

import type { PolicySet } from "../decisions/policy-set.js";
import type { ValidationError } from "../engine/evaluate/attribute-schemas.js";
import type { RequestJson } from "../space/draft.js";

export function schemaFaultsOf(
  { permission, platform }: PolicySet,
  { key, account, resource, operation }: RequestJson,
): readonly ValidationError[] {
  const target = { scope: "", ...resource };
  return [
    ...permission.schemaFaults(key, target, operation),
    ...(account === undefined ? [] : (platform?.schemaFaults(account, target, operation) ?? [])),
  ];
}
