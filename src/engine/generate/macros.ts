/** `exists` and `all` in generated code; see `cel/compile/macros.ts`. */

import { type Expr, iterationCost, type Macro } from "../../cel/ast.js";
import { MAX_COUNTED } from "../frame/budget.js";
import { type Js, joined, js } from "../frame/js.js";
import type { FunctionDraft } from "./draft.js";
import { answer, type Coded, type ConstantScalar, type JsOperand } from "./operands.js";
import type { ReadAttributes } from "./reads.js";

type MacroOperands = (expr: Expr, draft: FunctionDraft) => JsOperand | undefined;
type MacroCondition = (expr: Expr, draft: FunctionDraft) => Js | undefined;

/** A quantifier over the list of an attribute, or over constants. For each constant its predicate is written once. */
export function quantifier(
  expr: Macro,
  draft: FunctionDraft,
  operand: MacroOperands,
  condition: MacroCondition,
): Js | undefined {
  const { macro, v2, filter } = expr;
  if ((macro !== "exists" && macro !== "all") || v2 !== undefined || filter === undefined) return undefined;
  const range = operand(expr.range, draft);
  switch (range?.kind) {
    case "any":
      return overList(range, expr, filter, draft, condition);
    case "constants":
      return overConstants(range.values, expr, filter, draft, condition);
    default:
      return undefined;
  }
}

/** The most constants that a predicate is written for. */
const MAX_COPIES = 8;

function overConstants(
  values: readonly ConstantScalar[],
  { macro, v1 }: Macro,
  filter: Expr,
  draft: FunctionDraft,
  condition: MacroCondition,
): Js | undefined {
  if (values.length > MAX_COPIES || !draft.pays(values.length * Math.ceil(iterationCost(filter)))) return undefined;
  const tests: Js[] = [];
  for (const value of values) {
    // A number of the list may be an int, and would be a double here.
    const test = typeof value === "string" ? draft.withConstant(v1, value, () => condition(filter, draft)) : undefined;
    if (test === undefined) return undefined;
    tests.push(test);
  }
  if (tests.length === 0) return js`${macro === "all"}`;
  return js`(${joined(tests, macro === "all" ? " && " : " || ")})`;
}

function overList(
  list: Coded,
  { macro, v1 }: Macro,
  filter: Expr,
  draft: FunctionDraft,
  condition: MacroCondition,
): Js | undefined {
  const element = draft.reads.local();
  const inside: ReadAttributes = new Map();
  const body = draft.withElement(v1, element, inside, () => condition(filter, draft));
  if (body?.made === undefined) return undefined;
  if (inside.size > 0) draft.reads.search(list.code, { element, inside });
  const decisive = macro === "exists";
  const cost = Math.ceil(iterationCost(filter)) + body.steps;
  const name = draft.helper(js`(l, k${after(body.needs)}) {
if (!L(l)) return 2;
const c = l.length;
const o = k;
k += c * ${cost};
if (k > ${MAX_COUNTED}) return 2;
let ${joined([js`z = 0`, ...body.temps], ", ")};
for (let i = 0; i < c; i++) {
const ${element} = l[i];
${joined(draft.reads.element(element, inside, js`2`), "\n")}
const v = ${body.made};
if (z !== 0) return 2;
if (v === ${decisive}) return (k - o) * 4 + ${decisive ? 1 : 0};
}
return (k - o) * 4 + ${decisive ? 0 : 1};
}`);
  return answer(js`${name}(${list.code}, k${after(body.needs)})`, draft.temp());
}

function after(needs: readonly Js[]): Js {
  return joined([js``, ...needs], ", ");
}
