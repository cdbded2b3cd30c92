/** Tells changes of schemas that no decision can depend on. */

import { declarationData } from "../cel/type-declaration-data.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { LAYERS } from "../space/dimension.js";
import { isSchemaFile, type MutantPlace } from "./mutants.js";

/** Limit on the declarations that are compared for one schema. */
const MAX_TYPES = 10_000;

/**
 * Does a mutant change only a schema, and no type that the schema declares? Decisions depend on schemas by their types
 * alone, unless the schemas are enforced.
 */
export function isWithoutEffect({ file }: Pick<MutantPlace, "file">, before: PolicySet, after: PolicySet): boolean {
  if (!isSchemaFile(file)) return false;
  const layers = LAYERS.flatMap((name) => before[name] ?? []);
  if (layers.some(({ enforcesSchemas }) => enforcesSchemas)) return false;
  const { schemas } = before.model;
  return [...schemas.keys()].every((ref) => {
    const [older, newer] = [before, after].map((set) => declaredTypes(set, ref));
    return older !== undefined && older === newer;
  });
}

/** The types that a schema declares, as text; undefined if they are too many. */
function declaredTypes({ model, permission }: PolicySet, ref: string): string | undefined {
  const count = { left: MAX_TYPES };
  const data = declarationData(permission.equipment.types?.(model).at(ref), count);
  return count.left < 0 ? undefined : JSON.stringify(data);
}
