/** `==`, the orderings and `in` in generated code. */

import { LONG_LIST, LONG_TEXT } from "../frame/budget.js";
import { type Js, joined, js, quoted } from "../frame/js.js";
import type { FunctionDraft } from "./draft.js";
import {
  answer,
  BAIL,
  type Coded,
  type ConstantScalar,
  comparable,
  type JsOperand,
  safeInt,
  text,
} from "./operands.js";
import { compared, isTime } from "./times.js";

/** `left == right`. Values of different types are unequal, without an error. */
export function equality(left: JsOperand, right: JsOperand, draft: FunctionDraft): Js | undefined {
  if (left.kind === "constant" || left.kind === "constants") {
    return right.kind === "constant" || right.kind === "constants" ? undefined : equality(right, left, draft);
  }
  if (isTime(left) || isTime(right)) return compared(js`===`, left, right);
  if (right.kind === "constant") return equalsConstant(left, right.value, draft);
  if (right.kind === "constants") return left.kind === "any" ? equalsList(left.code, right.values, draft) : undefined;
  if (left.kind === "any" && right.kind === "any") return equalAttributes(left.code, right.code, draft);
  if (left.kind === "any") return equalsTyped(left.code, right, draft);
  if (right.kind === "any") return equalsTyped(right.code, left, draft);
  const numbers = isNumber(left) && isNumber(right);
  if (left.kind === "string" && !draft.pays(COMPARING)) return undefined;
  return numbers || left.kind === right.kind ? js`(${left.code} === ${right.code})` : undefined;
}

/** The most that closures pay to compare two joined texts of 8 short ones (`sameText` of `cel/equality.ts`). */
const COMPARING = 8;

function isNumber({ kind }: JsOperand): boolean {
  return kind === "number" || kind === "int";
}

/** `false` for JSON data, a bail for any other value. */
function unlike(code: Js, draft: FunctionDraft): Js {
  return draft.reads.isScalar(code) ? js`(${code} === undefined && ${BAIL})` : js`(!D(${code}) && ${BAIL})`;
}

function equalsConstant(
  { kind, code }: Coded,
  value: string | number | bigint | boolean | null,
  draft: FunctionDraft,
): Js | undefined {
  const fixed = typeof value === "bigint" ? safeInt(value) : literal(value);
  if (fixed === undefined) return undefined;
  if (kind === "any") return js`(${code} === ${fixed} || ${unlike(code, draft)})`;
  const type = typeof value === "boolean" ? "bool" : typeof value === "bigint" ? "int" : typeof value;
  const alike = kind === type || (isNumber({ kind, code }) && (type === "int" || type === "number"));
  return alike ? js`(${code} === ${fixed})` : undefined;
}

function literal(value: ConstantScalar | boolean | null): Js {
  return typeof value === "string" ? quoted(value) : js`${value}`;
}

/** Compares with a list of constants. Closures pay before they look into the list (`walkList` of `cel/equality.ts`). */
function equalsList(code: Js, values: readonly ConstantScalar[], draft: FunctionDraft): Js | undefined {
  if (!draft.pays(1 + (values.length >> 2))) return undefined;
  const list = draft.temp();
  const isList = js`L(${list} = ${code})`;
  const elements = values.map((value, i) => js`${list}[${i}] === ${literal(value)}`);
  if (elements.length === 0) return js`(${isList} ? ${list}.length === 0 : ${unlike(list, draft)})`;
  // Closures err at an element that is not data.
  const unusual = js`(!A(${list}) && ${BAIL})`;
  const same = js`${list}.length === ${values.length} && (${joined(elements, " && ")} || ${unusual})`;
  return js`(${isList} ? ${same} : ${unlike(list, draft)})`;
}

function equalAttributes(a: Js, b: Js, draft: FunctionDraft): Js {
  const strings = js`typeof ${a} === "string" && typeof ${b} === "string" && ${a}.length < ${LONG_TEXT}`;
  return js`(${strings} ? ${a} === ${b} : ${answer(js`S(${a}, ${b}, k)`, draft.temp())})`;
}

function equalsTyped(code: Js, typed: Coded, draft: FunctionDraft): Js {
  const value = draft.temp();
  const first = js`${value} = ${typed.code}`;
  switch (typed.kind) {
    case "string": {
      const same = js`(${code}.length < ${LONG_TEXT} ? ${code} === ${value} : ${BAIL})`;
      return js`(${first}, typeof ${code} === "string" ? ${same} : ${unlike(code, draft)})`;
    }
    default:
      return js`(${first}, ${code} === ${value} || ${unlike(code, draft)})`;
  }
}

type GeneratedOrder = "<" | "<=" | ">" | ">=";

/** Each comparison, and its opposite. If both are false, one value is NaN, which has no order. */
const ORDERS: { readonly [order in GeneratedOrder]: readonly [operator: Js, opposite: Js] } = {
  "<": [js`<`, js`>=`],
  "<=": [js`<=`, js`>`],
  ">": [js`>`, js`<=`],
  ">=": [js`>=`, js`<`],
};

/** `left < right` of numbers. */
export function ordering(symbol: GeneratedOrder) {
  const [operator, opposite] = ORDERS[symbol];
  return (left: JsOperand, right: JsOperand, draft: FunctionDraft): Js | undefined => {
    if (isTime(left) || isTime(right)) return compared(operator, left, right);
    const a = comparable(left);
    const b = comparable(right);
    if (a === undefined || b === undefined || (left.kind === "constant" && right.kind === "constant")) return undefined;
    const [x, y] = [draft.temp(), draft.temp()];
    return js`((${x} = ${a}) ${operator} (${y} = ${b}) || (!(${x} ${opposite} ${y}) && ${BAIL}))`;
  };
}

/** `left in right`: in a list of constants, or a string in a list. */
export function membership(left: JsOperand, right: JsOperand, draft: FunctionDraft): Js | undefined {
  if (left.kind === "constants") return undefined;
  if (right.kind === "constants") {
    return left.kind === "any" ? amongConstants(left.code, right.values, draft) : undefined;
  }
  if (right.kind !== "any" || !draft.pays(LONG_LIST >> 3)) return undefined;
  if (left.kind !== "constant") {
    const item = text(left);
    return item && draft.search(js`H`, right.code, [], [item]);
  }
  return typeof left.value === "string" ? draft.search(js`H`, right.code, [quoted(left.value)], []) : undefined;
}

/**
 * Closures pay for constants that are not all written in place (`memberOf` of `cel/functions/operators.ts`). They pay
 * more for a long text, which is left to them: no constant is one.
 */
function amongConstants(code: Js, values: readonly ConstantScalar[], draft: FunctionDraft): Js | undefined {
  if (!draft.pays(1 + (values.length >> 2))) return undefined;
  const tests = values.map((value) => js`${code} === ${literal(value)}`);
  const isUnusual = js`((typeof ${code} === "string" ? ${code}.length >= ${LONG_TEXT} : !D(${code})) && ${BAIL})`;
  const isLong = !draft.reads.isShort(code);
  return js`(${joined([...tests, isLong ? isUnusual : unlike(code, draft)], " || ")})`;
}
