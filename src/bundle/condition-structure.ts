/**
 * Compares the code of a condition with the condition itself, node by node.
 *
 * The text of a judge has `#3` in place of the operand with mark 3. Then the rest of a condition's code can only be
 * `&&`, `||`, `!`, and reads of variables that were evaluated ahead. Where each node of the code is the node of the
 * condition, and each operand is at its own place, both have the same value for all outcomes of the operands: JavaScript
 * evaluates `&&` and `||` from left to right as the closures do, and an operand that errs and is evaluated sets the flag.
 * So the number of operands does not matter.
 */

import type { Expr } from "../cel/ast.js";
import { nameOf } from "../cel/expression-usage.js";
import { OPERATORS } from "../cel/operators.js";
import { type Js, js } from "../engine/frame/js.js";
import { WORD } from "../engine/generate/written.js";
import type { Conditional } from "../engine/plan/plan.js";
import type { Condition } from "../policy/model.js";

/** The statements of a judge. */
interface JudgeStatements {
  /** The code of each variable that is evaluated before the conditions, by the code that reads it. */
  readonly aheads: ReadonlyMap<string, string>;
  /** The code of each condition, by its index. */
  readonly conditions: ReadonlyMap<number, string>;
}

const LOCALS = /^let h = 0(?:, h\d+ = 0)*, z = 0, k = P\.k \+ v\.k(?:, t\d+)*;$/;
const AHEAD = /^(t\d+) = (.*);$/;
const FLAG = /^(t\d+) = z;$/;
const CONDITION = /^if \((?:t\d+ = )?(.*)\) h(\d*) \+= (\d+);$/;
const END = /^if \(z !== 0\) (?:return \(-1\);|\{)$/;
/** The read of a variable that was evaluated ahead. */
const READ = /^\(t\d+ === 0 \? t\d+ : \(z = 1, t\d+\)\)/;

/** The text of a judge for {@link isSameTree}. Undefined: it has another form than judges have. */
export function statementsOf(text: Js): JudgeStatements | undefined {
  const lines = text.unmarked((number) => js`#${number}`).text.split("\n");
  const start = lines.findIndex((line) => LOCALS.test(line)) + 1;
  if (start === 0) return undefined;
  const aheads = new Map<string, string>();
  const conditions = new Map<number, string>();
  const targets = new Set<string>();
  for (let at = start; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (END.test(line)) return { aheads, conditions };
    const [, code, word, bit] = CONDITION.exec(line) ?? [];
    if (code !== undefined) {
      const index = Number(word) * WORD + Math.log2(Number(bit));
      if (conditions.has(index)) return undefined;
      conditions.set(index, code);
      continue;
    }
    const [, value = "", ahead] = conditions.size === 0 ? (AHEAD.exec(line) ?? []) : [];
    const [, failed = ""] = FLAG.exec(lines[at + 1] ?? "") ?? [];
    if (ahead === undefined || failed === value || lines[at + 2] !== "z = 0;") return undefined;
    if (targets.has(value) || targets.has(failed)) return undefined;
    targets.add(value).add(failed);
    aheads.set(`(${failed} === 0 ? ${value} : (z = 1, ${value}))`, ahead);
    at += 2;
  }
  return undefined;
}

/** Whether the code of the condition with this index is the tree of the condition. `marks`: of each operand. */
export function isSameTree(
  { condition, definitions }: Conditional,
  index: number,
  { aheads, conditions }: JudgeStatements,
  marks: ReadonlyMap<Expr, readonly number[]>,
): boolean {
  const code = conditions.get(index);
  if (code === undefined || condition === undefined) return false;
  return new TreeComparison(definitions, aheads, marks).isCondition(condition, code);
}

/** Each method takes the code and a place in it, and returns the place after the node. -1: the node is another one. */
class TreeComparison {
  private readonly definitions: Conditional["definitions"];
  private readonly aheads: JudgeStatements["aheads"];
  private readonly marks: ReadonlyMap<Expr, readonly number[]>;
  /** The code that each definition was found to be. */
  private readonly found = new Map<Expr, string>();

  constructor(
    definitions: Conditional["definitions"],
    aheads: JudgeStatements["aheads"],
    marks: ReadonlyMap<Expr, readonly number[]>,
  ) {
    this.definitions = definitions;
    this.aheads = aheads;
    this.marks = marks;
  }

  isCondition(condition: Condition, code: string): boolean {
    return this.condition(condition, code, 0) === code.length;
  }

  private condition(condition: Condition, code: string, at: number): number {
    switch (condition.kind) {
      case "expr":
        return this.expression(condition.expr.expr, code, at);
      case "all":
        return this.members(condition.of, code, at, " && ");
      case "any":
        return this.members(condition.of, code, at, " || ");
      case "none":
        return this.members(condition.of, code, after("!", code, at), " || ");
    }
  }

  private members(of: readonly Condition[], code: string, at: number, operator: string): number {
    return junction(of, code, at, operator, (member, from) => this.condition(member, code, from));
  }

  private expression(expr: Expr, code: string, at: number): number {
    const own = this.marks.get(expr);
    if (own !== undefined) return this.operand(own, code, at);
    const name = nameOf(expr, "variable");
    if (name !== undefined) return this.variable(name, code, at);
    const operator = expr.kind === "call" ? OPERATORS.get(expr.fn) : undefined;
    if (expr.kind !== "call" || operator === undefined) return -1;
    if (operator.kind === "not") {
      const [of] = expr.args;
      return of === undefined ? -1 : this.expression(of, code, after("!", code, at));
    }
    if (operator.kind !== "junction") return -1;
    const symbol = operator.decisive ? " || " : " && ";
    return junction(expr.args, code, at, symbol, (arg, from) => this.expression(arg, code, from));
  }

  private operand(own: readonly number[], code: string, at: number): number {
    if (at < 0) return -1;
    const [found = "", number] = /^#(\d+)/.exec(code.slice(at, at + 12)) ?? [];
    return number !== undefined && own.includes(Number(number)) ? at + found.length : -1;
  }

  private variable(name: string, code: string, at: number): number {
    const definition = this.definitions.variables.get(name)?.expr;
    if (definition === undefined || at < 0) return -1;
    const [read = ""] = READ.exec(code.slice(at, at + 64)) ?? [];
    if (read === "") return this.expression(definition, code, at);
    const ahead = this.aheads.get(read);
    return ahead !== undefined && this.isDefinition(ahead, definition) ? at + read.length : -1;
  }

  /** True for the code of the definition, which is evaluated ahead. */
  private isDefinition(code: string, definition: Expr): boolean {
    if (this.found.get(definition) === code) return true;
    const is = this.expression(definition, code, 0) === code.length;
    if (is) this.found.set(definition, code);
    return is;
  }
}

function junction<T>(
  members: readonly T[],
  code: string,
  at: number,
  operator: string,
  member: (one: T, from: number) => number,
): number {
  if (members.length === 0) return -1;
  let end = after("(", code, at);
  for (const [i, one] of members.entries()) end = member(one, i === 0 ? end : after(operator, code, end));
  return after(")", code, end);
}

/** The place after a fixed text. */
function after(text: string, code: string, at: number): number {
  return at >= 0 && code.startsWith(text, at) ? at + text.length : -1;
}
