/** Keys that no container can have. */

import { bareTypeOf } from "./equality.js";
import { type CelValue, isList, isMap, TypeValue, Uint } from "./values.js";

/** What cel-go says of a key that can be one of no container; undefined of others. */
export function unqualified(key: CelValue): string | undefined {
  if (key !== null && typeof key !== "object") return undefined;
  if (key instanceof Uint) return undefined;
  return `invalid qualifier type: ${goType(key)}`;
}

/** The Go type of a value that is no key. */
function goType(key: CelValue): string {
  if (key === null) return "types.Null";
  if (isList(key)) return "*types.baseList";
  if (isMap(key)) return "*types.baseMap";
  if (key instanceof TypeValue) return "*types.Type";
  return `types.${bareTypeOf(key).replace(/^./, (first) => first.toUpperCase())}`;
}
