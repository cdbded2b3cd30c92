/** Keys that no container can have. */

import { bareTypeOf } from "./equality.js";
import { type CelValue, isList, isMap, TypeValue, Uint } from "./values.js";

/** cel-go's message for a key that no container can have; undefined for other keys. */
export function invalidKeyMessage(key: CelValue): string | undefined {
  if (key !== null && typeof key !== "object") return undefined;
  if (key instanceof Uint) return undefined;
  return `invalid qualifier type: ${goType(key)}`;
}

/** The Go type of a value that cannot be a key. */
function goType(key: CelValue): string {
  if (key === null) return "types.Null";
  if (isList(key)) return "*types.baseList";
  if (isMap(key)) return "*types.baseMap";
  if (key instanceof TypeValue) return "*types.Type";
  return `types.${bareTypeOf(key).replace(/^./, (first) => first.toUpperCase())}`;
}
