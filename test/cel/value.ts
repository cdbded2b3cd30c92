/** Expressions and their values in a readable form. */

import type { CelValue, JsonMap } from "../../src/cel/values.js";
import { OptionalValue, TypeValue } from "../../src/cel/values.js";
import { answer, toJson } from "./support.js";

export const ATTR: JsonMap = {
  n: 1,
  list: [1, 2, 3],
  nul: null,
  s: "abc",
  map: { a: 1, b: { c: "x" } },
  ip: "192.168.0.5",
  teams: ["design", "communications", "product", "commercial"],
};

function shown(value: CelValue): unknown {
  if (value instanceof OptionalValue) return value.value === undefined ? "none" : { of: shown(value.value) };
  if (value instanceof TypeValue) return { type: value.name };
  return Array.isArray(value) ? value.map(shown) : toJson(value);
}

/** The value; `error`, or `refused: …`. Optionals are `none` or `{ of: … }`. */
export function value(source: string): unknown {
  const result = answer(source, ATTR);
  if (result === undefined) return "error";
  return isRefusal(result) ? `refused: ${result.refused}` : shown(result);
}

function isRefusal(result: ReturnType<typeof answer>): result is { readonly refused: string } {
  return typeof result === "object" && result !== null && "refused" in result;
}
