/**
 * The values of outputs in generated code, as JSON. A value of the request must be a text, a number, a boolean, null,
 * or a short list of these. Other values are left to closures, and so are values without a JSON form.
 */

import type { Expr } from "../../cel/ast.js";
import { OPERATORS } from "../../cel/operators.js";
import { LONG_TEXT } from "../frame/budget.js";
import { type Js, joined, js, quoted } from "../frame/js.js";
import { ITEM_COST } from "./answers.js";
import type { FunctionDraft } from "./draft.js";
import { condition, MAX_TERMS, operand } from "./expressions.js";
import { BAIL, type JsOperand, safeInt } from "./operands.js";

/** The value of an output; undefined if some part of its expression has no generated form. */
export function output(expr: Expr, draft: FunctionDraft): Js | undefined {
  if (expr.doom !== undefined || !draft.pays(1)) return undefined;
  if (expr.kind === "list") {
    const elements = all(expr.elements, draft);
    return elements && js`[${joined(elements, ", ")}]`;
  }
  if (expr.kind === "map") {
    const map = draft.temp();
    const members: Js[] = [];
    for (const { key, value } of expr.entries) {
      const name = key.kind === "literal" ? key.value : undefined;
      if (typeof name !== "string") return undefined;
      const code = output(value, draft);
      if (code === undefined) return undefined;
      members.push(js`${map}[${quoted(name)}] = ${code}`);
    }
    // Several times as fast as a literal with `__proto__: null`.
    return js`(${joined([js`${map} = ON(null)`, ...members, map], ", ")})`;
  }
  const [test, yes, no] = expr.kind === "call" ? expr.args : [];
  if (expr.kind === "call" && OPERATORS.get(expr.fn)?.kind === "conditional" && test && yes && no) {
    const when = condition(test, draft);
    const either = when && all([yes, no], draft);
    return either && js`(${when} ? ${joined(either, " : ")})`;
  }
  const found = operand(expr, draft);
  return found && json(found, draft);
}

/** The most that closures pay for a text, beside the step that each value costs (`toJson` of `cel/json.ts`). */
const TEXT_COST = LONG_TEXT >> 6;

function all(exprs: readonly Expr[], draft: FunctionDraft): readonly Js[] | undefined {
  const codes: Js[] = [];
  for (const expr of exprs) {
    const code = output(expr, draft);
    if (code === undefined) return undefined;
    codes.push(code);
  }
  return codes;
}

function json(found: JsOperand, draft: FunctionDraft): Js | undefined {
  switch (found.kind) {
    case "any": {
      const { code } = found;
      const isText = js`typeof ${code} === "string" && ${code}.length < ${LONG_TEXT}`;
      const isOther = js`typeof ${code} === "boolean" || typeof ${code} === "number" && ${code} - ${code} === 0`;
      const list = draft.temp();
      const itself = js`${isText} || ${isOther} || ${code} === null ? ${code}`;
      const listed = js`(${list} = Q(${code}, k)) !== undefined ? (k += ${list}.length * ${ITEM_COST}, ${list})`;
      return draft.pays(TEXT_COST) ? js`(${itself} : ${listed} : ${BAIL})` : undefined;
    }
    case "number": {
      const value = draft.temp();
      return js`((${value} = ${found.code}) - ${value} === 0 ? ${value} : ${BAIL})`;
    }
    case "string":
      return draft.pays(MAX_TERMS * TEXT_COST) ? found.code : undefined;
    case "int":
    case "bool":
      return found.code;
    case "constant":
      return draft.pays(TEXT_COST) ? scalar(found.value) : undefined;
    case "constants": {
      const values = found.values.flatMap((value) => scalar(value) ?? []);
      return draft.pays(ITEM_COST * values.length) ? js`[${joined(values, ", ")}]` : undefined;
    }
    default:
      return undefined;
  }
}

function scalar(value: string | number | bigint | boolean | null): Js | undefined {
  if (typeof value === "string") return quoted(value);
  return typeof value === "bigint" ? safeInt(value) : js`${value}`;
}
