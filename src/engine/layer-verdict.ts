/** One layer's verdict on one request, with the policies' JSON Schemas enforced where the layer is compiled so. */

import type { Timestamp } from "../cel/values.js";
import type { PrincipalInput, ResourceInput } from "./activation.js";
import type { AttributeSchemas } from "./attribute-schemas.js";
import { evaluate } from "./evaluate.js";
import type { LayerTable } from "./table.js";
import type { LayerVerdict } from "./verdict.js";
import { refusedVerdict } from "./verdicts.js";

/** Never throws: what cannot be evaluated is denied. */
export function layerVerdict(
  table: LayerTable,
  principal: PrincipalInput,
  resource: ResourceInput,
  action: string,
  now: Timestamp | undefined,
): LayerVerdict {
  const verdict = evaluate(table, principal, resource, action, now);
  return table.schemas === undefined ? verdict : enforced(table.schemas, verdict, principal, resource, action);
}

/** The verdict on attributes that must satisfy the policies' schemas. */
function enforced(
  schemas: AttributeSchemas,
  verdict: LayerVerdict,
  principal: PrincipalInput,
  resource: ResourceInput,
  action: string,
): LayerVerdict {
  try {
    return schemas.enforce(verdict, principal, resource, action);
  } catch {
    return refusedVerdict("the attributes cannot be read to their end");
  }
}
