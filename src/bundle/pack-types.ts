/** Attribute types that schemas declare, written out so that a program needs no schema reader. */

import { declarationData } from "../cel/type-declaration-data.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { SchemaTypes } from "../schema/declared-type.js";
import type { PackedTypes } from "./packed.js";

/** Most types written out for one set. A schema that contains itself would never end. */
const MAX_TYPES = 1_000;

/** The types by the policies' schema references; `null` if there are too many. */
export function packTypes({ model, permission }: PolicySet): PackedTypes {
  if (!permission.typedReads) return [];
  const types = new SchemaTypes(model.schemas);
  const refs = new Set(
    model.resourcePolicies.flatMap(({ principalSchema, resourceSchema }) =>
      [principalSchema, resourceSchema].flatMap((use) => (use === undefined ? [] : [use.ref])),
    ),
  );
  const count = { left: MAX_TYPES };
  const packed = [...refs].sort().map((ref) => [ref, declarationData(types.at(ref), count)] as const);
  return count.left < 0 ? null : packed;
}
