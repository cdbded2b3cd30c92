/** What schemas declare of attributes, written out, so that a program need not bring what reads schemas. */

import { declarationData } from "../cel/type-declaration-data.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { SchemaTypes } from "../schema/declared-type.js";
import type { PackedTypes } from "./packed.js";

/** Types that are written out of one set: schemas that contain themselves have no end. */
const MAX_TYPES = 1_000;

/** By the references of the policies; `null` if they are too many. */
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
