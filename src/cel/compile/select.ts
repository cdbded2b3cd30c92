/** `operand.field`. */

import type { Select } from "../ast.js";
import { lookup } from "../equality.js";
import { type Evaluation, type EvaluationResult, failAt } from "../evaluation.js";
import { MessageValue } from "../message-value.js";
import { optionalMember } from "../optional-access.js";
import { isData, isMap, isPlain, type JsonMap, OptionalValue } from "../values.js";
import type { Code } from "./code.js";

export function selectFrom(expr: Pick<Select, "field" | "at">, operand: Code): Code {
  const { field, at } = expr;
  const missing = missingText(field);
  return (ev) => readField(ev, operand(ev), field, missing, at);
}

export const NO_INDEX = "unsupported index type 'string' in list";

export function missingText(field: string): string {
  return `no such key: ${field}`;
}

export function readField(
  ev: Evaluation,
  operand: EvaluationResult,
  field: string,
  missing: string,
  at: number,
): EvaluationResult {
  if (operand === undefined) return undefined;
  if (typeof operand === "object" && operand !== null) {
    if (isPlain(operand)) return ownData(ev, operand, field, missing, at);
    if (isMap(operand)) {
      const value = lookup(operand, field);
      return value === undefined ? failAt(ev, missing, at) : value;
    }
    if (operand instanceof MessageValue) return operand.fields.get(field) ?? failAt(ev, missing, at);
    if (operand instanceof OptionalValue) return optionalMember(ev, operand, field);
    if (Array.isArray(operand)) return failAt(ev, NO_INDEX, at);
  }
  return failAt(ev, missing, at);
}

/** The own property `field` of a JSON object. It must be JSON data. */
export function ownData(ev: Evaluation, map: JsonMap, field: string, missing: string, at: number): EvaluationResult {
  if (!Object.hasOwn(map, field)) return failAt(ev, missing, at);
  const value = map[field];
  return isData(value) ? value : failAt(ev, `the value of ${field} is not JSON data`, at);
}
