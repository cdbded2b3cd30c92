/** `==`, the orderings and `in` in generated code. */

import type { Draft } from "./draft.js";
import { MAX_TEXT } from "./helpers.js";
import { type Js, joined, js, quoted } from "./js.js";
import { answer, BAIL, comparable, type Operand, type Scalar, safeInt, text } from "./operands.js";

type Coded = Extract<Operand, { readonly code: Js }>;

/** `left == right`. Values of different types are not equal, which is no error. */
export function equality(left: Operand, right: Operand, draft: Draft): Js | undefined {
  if (left.kind === "constant" || left.kind === "constants") {
    return right.kind === "constant" || right.kind === "constants" ? undefined : equality(right, left, draft);
  }
  if (right.kind === "constant") return equalsConstant(left, right.value);
  if (right.kind === "constants") return left.kind === "any" ? equalsList(left.code, right.values) : undefined;
  if (left.kind === "any" && right.kind === "any") return equalAttributes(left.code, right.code, draft);
  if (left.kind === "any") return equalsTyped(left.code, right, draft);
  if (right.kind === "any") return equalsTyped(right.code, left, draft);
  const numbers = isNumber(left) && isNumber(right);
  return numbers || left.kind === right.kind ? js`(${left.code} === ${right.code})` : undefined;
}

function isNumber({ kind }: Operand): boolean {
  return kind === "number" || kind === "int";
}

/** `false` for JSON data, a bail for anything else. */
function unlike(code: Js): Js {
  return js`(!D(${code}) && ${BAIL})`;
}

function equalsConstant({ kind, code }: Coded, value: string | number | bigint | boolean | null): Js | undefined {
  const fixed = typeof value === "bigint" ? safeInt(value) : literal(value);
  if (fixed === undefined) return undefined;
  if (kind === "any") return js`(${code} === ${fixed} || ${unlike(code)})`;
  const type = typeof value === "boolean" ? "bool" : typeof value === "bigint" ? "int" : typeof value;
  const alike = kind === type || (isNumber({ kind, code }) && (type === "int" || type === "number"));
  return alike ? js`(${code} === ${fixed})` : undefined;
}

function literal(value: Scalar | boolean | null): Js {
  return typeof value === "string" ? quoted(value) : js`${value}`;
}

/** A list of constants. */
function equalsList(code: Js, values: readonly Scalar[]): Js {
  const elements = values.map((value, i) => js`${code}[${i}] === ${literal(value)}`);
  const all = joined([js`${code}.length === ${values.length}`, ...elements], " && ");
  return js`(L(${code}) ? ${all} : ${unlike(code)})`;
}

function equalAttributes(a: Js, b: Js, draft: Draft): Js {
  const strings = js`typeof ${a} === "string" && typeof ${b} === "string" && ${a}.length < ${MAX_TEXT}`;
  return js`(${strings} ? ${a} === ${b} : ${answer(js`S(${a}, ${b})`, draft.temp())})`;
}

function equalsTyped(code: Js, typed: Coded, draft: Draft): Js {
  const value = draft.temp();
  const first = js`${value} = ${typed.code}`;
  switch (typed.kind) {
    case "string": {
      const same = js`(${code}.length < ${MAX_TEXT} ? ${code} === ${value} : ${BAIL})`;
      return js`(${first}, typeof ${code} === "string" ? ${same} : ${unlike(code)})`;
    }
    default:
      return js`(${first}, ${code} === ${value} || ${unlike(code)})`;
  }
}

/** `left < right` of numbers. `opposite` tells a NaN, which has no order. */
export function ordering(operator: Js, opposite: Js) {
  return (left: Operand, right: Operand, draft: Draft): Js | undefined => {
    const a = comparable(left);
    const b = comparable(right);
    if (a === undefined || b === undefined || (left.kind === "constant" && right.kind === "constant")) return undefined;
    const [x, y] = [draft.temp(), draft.temp()];
    return js`((${x} = ${a}) ${operator} (${y} = ${b}) || (!(${x} ${opposite} ${y}) && ${BAIL}))`;
  };
}

/** `left in right`: in a list of constants, or a string in a list. */
export function membership(left: Operand, right: Operand, draft: Draft): Js | undefined {
  if (left.kind === "constants") return undefined;
  if (right.kind === "constants") {
    return left.kind === "any" ? amongConstants(left.code, right.values) : undefined;
  }
  if (right.kind !== "any") return undefined;
  const item = left.kind === "constant" ? constantText(left.value) : text(left);
  return item === undefined ? undefined : answer(js`H(${right.code}, ${item})`, draft.temp());
}

function constantText(value: unknown): Js | undefined {
  return typeof value === "string" ? quoted(value) : undefined;
}

function amongConstants(code: Js, values: readonly Scalar[]): Js {
  const tests = values.map((value) => js`${code} === ${literal(value)}`);
  return js`(${joined([...tests, unlike(code)], " || ")})`;
}
