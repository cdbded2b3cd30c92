/** The constants that policies compare attributes with, by attribute. */

import { children, type Expr } from "../../cel/ast.js";
import { type Chain, chainOf, factsOf } from "../../cel/facts.js";
import { isList, isObject, type JsonValue } from "../../cel/json.js";
import { OPERATORS } from "../../cel/operators.js";
import { Uint } from "../../cel/values.js";
import type { Definitions } from "../../policy/model.js";
import { substitute } from "./substitute.js";
import { ELEMENT } from "./usage.js";

export interface Constants {
  readonly strings: readonly string[];
  readonly numbers: readonly number[];
}

export const NO_CONSTANTS: Constants = { strings: [], numbers: [] };

/** Collects, for each attribute that expressions read, the constants that stand beside it. */
export class ConstantIndex {
  private readonly byRead = new Map<string, { strings: Set<string>; numbers: Set<number> }>();

  /** The constants beside `root.path` (`P.attr`, `["limits", "keys"]`). */
  at(root: string, path: readonly string[]): Constants {
    const found = this.byRead.get(keyOf(root, path));
    return found === undefined ? NO_CONSTANTS : { strings: [...found.strings], numbers: [...found.numbers] };
  }

  /**
   * Adds an expression. What `&&`, `||`, `!` and `?:` join is looked at apart; a variable is looked at where it stands
   * beside something else, as if it were written out.
   */
  add(expr: Expr, definitions: Definitions): void {
    if (expr.kind === "macro") {
      const item: Expr = { kind: "select", at: expr.at, operand: expr.range, field: ELEMENT };
      for (const body of [expr.filter, expr.transform]) {
        if (body !== undefined) this.add(substitute(body, expr.v2 ?? expr.v1, item), definitions);
      }
    }
    if (expr.kind === "call" && LOGIC.has(OPERATORS.get(expr.fn)?.kind)) {
      for (const part of expr.args) this.add(part, definitions);
      return;
    }
    const strings = new Set<string>();
    const numbers = new Set<number>();
    const reads = new Map<string, true>();
    const seen = new Set<string>();
    const visit = (node: Expr): void => {
      for (const { root, path } of factsOf(node).reads) reads.set(keyOf(root, path), true);
      collect(node, definitions, strings, numbers, (name) => {
        const variable = definitions.variables.find((one) => one.name === name);
        if (variable === undefined || seen.has(name)) return;
        seen.add(name);
        visit(variable.expr.expr);
      });
    };
    visit(expr);
    for (const key of reads.keys()) {
      const known = this.byRead.get(key) ?? { strings: new Set<string>(), numbers: new Set<number>() };
      this.byRead.set(key, known);
      for (const text of strings) known.strings.add(text);
      for (const number of numbers) known.numbers.add(number);
    }
  }
}

const LOGIC: ReadonlySet<string | undefined> = new Set(["junction", "not", "conditional"]);

function keyOf(root: string, path: readonly string[]): string {
  return JSON.stringify([root, ...path.filter((name) => name !== ELEMENT)]);
}

function collect(
  node: Expr,
  definitions: Definitions,
  strings: Set<string>,
  numbers: Set<number>,
  variable: (name: string) => void,
): void {
  if (node.kind === "literal") {
    const { value } = node;
    if (typeof value === "string") strings.add(value);
    if (typeof value === "number" || typeof value === "bigint") numbers.add(Number(value));
    if (value instanceof Uint) numbers.add(Number(value.value));
    return;
  }
  const chain = chainOf(node);
  if (chain !== undefined) {
    follow(chain, definitions, strings, numbers, variable);
    return;
  }
  for (const child of children(node)) collect(child, definitions, strings, numbers, variable);
}

function follow(
  { of, fields: [name] }: Chain,
  { constants }: Definitions,
  strings: Set<string>,
  numbers: Set<number>,
  variable: (name: string) => void,
): void {
  if (name === undefined) return;
  if (of === "variable") variable(name);
  if (of === "constant") addJson(constants.get(name), strings, numbers);
}

function addJson(value: JsonValue | undefined, strings: Set<string>, numbers: Set<number>): void {
  if (typeof value === "string") strings.add(value);
  else if (typeof value === "number") numbers.add(value);
  else if (isList(value)) for (const item of value) addJson(item, strings, numbers);
  else if (isObject(value)) for (const inner of Object.values(value)) addJson(inner, strings, numbers);
}
