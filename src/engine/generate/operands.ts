/** Values in generated code, by what is known of their types, and what turns one into another. */

import { MAX_TEXT } from "./helpers.js";
import { type Js, js } from "./js.js";

/**
 * A value of an expression.
 *
 * - `any`: an attribute, of any type or absent. Its code is a local variable.
 * - `string`, `number` (a double), `int` (as a number), `bool`: certainly that. The code may set the flag `z`, after
 *   which the value means nothing and the function bails in the end. Strings are no longer than a few thousand.
 * - constants of a policy: `value`.
 */
export type Operand =
  | { readonly kind: "any" | "string" | "number" | "int" | "bool"; readonly code: Js }
  | { readonly kind: "constant"; readonly value: string | number | bigint | boolean | null }
  | { readonly kind: "constants"; readonly values: readonly Scalar[] };

export type Scalar = string | number;

/** Sets the flag. Its value is `false`. */
export const BAIL = js`(z = 1, false)`;

export function bool(operand: Operand): Js | undefined {
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

export function double(operand: Operand): Js | undefined {
  switch (operand.kind) {
    case "number":
      return operand.code;
    case "any":
      return js`(typeof ${operand.code} === "number" ? ${operand.code} : (z = 1, 0))`;
    case "constant":
      return typeof operand.value === "number" ? js`${operand.value}` : undefined;
    default:
      return undefined;
  }
}

/** What `<` and its like compare: numbers of either type. An int beside a double is compared as a double. */
export function comparable(operand: Operand): Js | undefined {
  if (operand.kind === "int") return operand.code;
  return operand.kind === "constant" && typeof operand.value === "bigint" ? safeInt(operand.value) : double(operand);
}

/** An int that a double writes exactly, so that it compares alike with ints and doubles. */
export function safeInt(value: bigint): Js | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) ? js`${number}` : undefined;
}

export function text({ kind, code }: Extract<Operand, { readonly code: Js }>): Js | undefined {
  if (kind === "string") return code;
  if (kind !== "any") return undefined;
  return js`(typeof ${code} === "string" && ${code}.length < ${MAX_TEXT} ? ${code} : (z = 1, ""))`;
}

/** `yes` if a helper's answer is 1, `false` if it is 0, and a bail otherwise. `temp` holds the answer. */
export function answer(call: Js, temp: Js): Js {
  return js`((${temp} = ${call}) === 1 || (${temp} !== 0 && ${BAIL}))`;
}
