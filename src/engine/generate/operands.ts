/** Values in generated code, by their known types, and conversions between them. */

import { LONG_TEXT } from "../frame/budget.js";
import { type Js, js, quoted } from "../frame/js.js";

/**
 * A value of an expression.
 *
 * - `any`: an attribute, of any type or absent. Its code is a local variable.
 * - `string`, `number` (a double), `int` (as a number), `bool`: certainly of that type. The code may set the flag `z`.
 *   Then the value means nothing, and the function bails at its end. Strings are no longer than a few thousand code
 *   units.
 * - `time`, `span`: a timestamp, and a duration written like one (see `times.ts`). The code may set the flag, likewise.
 * - constants of a policy: `value`.
 */
export type JsOperand =
  | { readonly kind: "any" | "string" | "number" | "int" | "bool" | "time" | "span"; readonly code: Js }
  | { readonly kind: "constant"; readonly value: string | number | bigint | boolean | null }
  | { readonly kind: "constants"; readonly values: readonly ConstantScalar[] };

export type Coded = Extract<JsOperand, { readonly code: Js }>;
export type ConstantScalar = string | number;

/** Sets the flag. Its value is `false`. */
export const BAIL = js`(z = 1, false)`;

export function bool(operand: JsOperand): Js | undefined {
  switch (operand.kind) {
    case "bool":
      return operand.code;
    case "any":
      return js`(${operand.code} === true || (${operand.code} !== false && ${BAIL}))`;
    case "constant":
      return typeof operand.value === "boolean" ? js`${operand.value}` : undefined;
    default:
      return undefined;
  }
}

export function double(operand: JsOperand): Js | undefined {
  switch (operand.kind) {
    case "number":
      return operand.code;
    case "any":
      return js`(typeof ${operand.code} === "number" && ${operand.code} - ${operand.code} === 0 ? ${operand.code} : (z = 1, 0))`;
    case "constant":
      return typeof operand.value === "number" ? js`${operand.value}` : undefined;
    default:
      return undefined;
  }
}

/** An operand of `<` and the like: a number of either type. An int beside a double is compared as a double. */
export function comparable(operand: JsOperand): Js | undefined {
  if (operand.kind === "int") return operand.code;
  return operand.kind === "constant" && typeof operand.value === "bigint" ? safeInt(operand.value) : double(operand);
}

/** An int that a double writes exactly, so that it compares alike with ints and doubles. */
export function safeInt(value: bigint): Js | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) ? js`${number}` : undefined;
}

/** A text. The text of an attribute must be short. */
export function text({ kind, code }: Coded): Js | undefined {
  if (kind === "string") return code;
  if (kind !== "any") return undefined;
  return js`(typeof ${code} === "string" && ${code}.length < ${LONG_TEXT} ? ${code} : (z = 1, ""))`;
}

/** A text of any length, for operations with a cost that does not grow with the length. */
export function anyText(operand: JsOperand): Js | undefined {
  switch (operand.kind) {
    case "string":
      return operand.code;
    case "any":
      return js`(typeof ${operand.code} === "string" ? ${operand.code} : (z = 1, ""))`;
    case "constant":
      return typeof operand.value === "string" ? quoted(operand.value) : undefined;
    default:
      return undefined;
  }
}

/**
 * `true` if a helper's answer is 1, `false` if it is 0. An answer can also carry the flag (2) and steps to count (from
 * 4 up, see `answers.ts`). `temp` holds it.
 */
export function answer(call: Js, temp: Js): Js {
  return js`((${temp} = ${call}) === 1 || (${temp} !== 0 && (z |= ${temp} & 2, k += ${temp} >> 2, (${temp} & 1) === 1)))`;
}

/**
 * The result of a helper. If it is undefined, the flag is set, and the value is `otherwise`. `temp` holds the result.
 */
export function madeOr(call: Js, otherwise: Js, temp: Js): Js {
  return js`((${temp} = ${call}) !== undefined ? ${temp} : (z = 1, ${otherwise}))`;
}
