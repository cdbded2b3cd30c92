/** Expressions compiled part by part, so that each can say what its value was. */

import { children, type Expr } from "../../cel/ast.js";
import { type Code, type CompileEnv, compile } from "../../cel/compile.js";
import { chainOf, factsOf } from "../../cel/facts.js";
import { CONSTANT_ROOTS, ROOTS, VARIABLE_ROOTS } from "../../cel/roots.js";
import { Spans } from "../../cel/spans.js";
import type { Expression } from "../../policy/model.js";
import type { OpenPoint } from "./points.js";

/** How the value of a part comes about. Those of `&&`, `||`, `!` and `?:` follow from their parts. */
export type PartKind = "and" | "or" | "not" | "if" | "leaf";

export interface TracedPart {
  readonly id: number;
  readonly kind: PartKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly code: Code;
  readonly parts: readonly TracedPart[];
  /** The variable that the part is. */
  readonly variable: number | undefined;
  /** The variables that it reads, itself or in a part. */
  readonly reads: readonly number[];
  /** The fields of an attribute, from its root: `["P", "attr", "limits"]`. */
  readonly path: readonly string[] | undefined;
}

/** What an expression stands in. */
export interface TraceEnv {
  readonly env: CompileEnv;
  /** Indexes of variables, by name. */
  readonly variables: ReadonlyMap<string, number>;
  add(point: Pick<OpenPoint, "kind" | "text" | "condition" | "at">): number;
}

export function traceExpression(expression: Expression, env: TraceEnv): TracedPart {
  return new Tracing(expression, env).part(expression.expr, true);
}

class Tracing {
  private readonly expression: Expression;
  private readonly spans: Spans;
  private readonly env: TraceEnv;

  constructor(expression: Expression, env: TraceEnv) {
    this.expression = expression;
    this.spans = new Spans(expression.source);
    this.env = env;
  }

  /** `condition`: the part decides, by itself or by way of logic. */
  part(expr: Expr, condition: boolean): TracedPart {
    const { start, end } = this.spans.of(expr);
    const text = this.expression.source.slice(start, end);
    const at = () => this.expression.position(start);
    const id = this.env.add({ kind: "expression", text, condition, at });
    const kind = kindOf(expr);
    const parts =
      kind === "leaf"
        ? partsOf(expr).map((part) => this.part(part, false))
        : operands(expr, kind).map((part) => this.part(part, condition));
    const chain = chainOf(expr);
    const isVariable = chain !== undefined && VARIABLE_ROOTS.has(chain.root) && chain.fields.length === 1;
    const reads = [...factsOf(expr).variables].flatMap((name) => this.env.variables.get(name) ?? []);
    return {
      id,
      kind,
      text,
      start,
      end,
      code: compile(expr, this.env.env),
      parts,
      variable: isVariable ? reads[0] : undefined,
      reads,
      path: chain !== undefined && ROOTS.has(chain.root) ? [chain.root, ...chain.fields] : undefined,
    };
  }
}

function kindOf(expr: Expr): PartKind {
  if (expr.kind !== "call") return "leaf";
  switch (expr.fn) {
    case "_&&_":
      return "and";
    case "_||_":
      return "or";
    case "!_":
      return "not";
    case "_?_:_":
      return "if";
    default:
      return "leaf";
  }
}

/** The operands of a logical operator; a chain of one operator, which the parser nests, is one. */
function operands(expr: Expr, kind: PartKind): readonly Expr[] {
  if (expr.kind !== "call") return [expr];
  if (kind !== "and" && kind !== "or") return expr.args;
  return expr.args.flatMap((arg) => (kindOf(arg) === kind ? operands(arg, kind) : [arg]));
}

/** The parts of an operation that have values to show. What is in the body of a macro has many, or none. */
function partsOf(expr: Expr): readonly Expr[] {
  if (chainOf(expr) !== undefined || expr.kind === "has") return [];
  if (expr.kind === "macro") return shown(expr.range);
  if (expr.kind === "bind") return shown(expr.init);
  if (expr.kind === "call" && expr.fn === "_+_") return addends(expr).flatMap(shown);
  return children(expr).flatMap(shown);
}

/** What a chain of `+` adds up, which the parser nests. */
function addends(expr: Expr): readonly Expr[] {
  return expr.kind === "call" && expr.fn === "_+_" ? expr.args.flatMap(addends) : [expr];
}

function shown(expr: Expr): readonly Expr[] {
  const chain = chainOf(expr);
  if (chain !== undefined) {
    const named = ROOTS.has(chain.root) || VARIABLE_ROOTS.has(chain.root) || CONSTANT_ROOTS.has(chain.root);
    return named || chain.fields.length > 0 ? (readable(expr) ? [expr] : []) : [];
  }
  if (expr.kind === "literal") return [];
  if (expr.kind === "list" || expr.kind === "map") {
    // A list is a value of its own if there is something to work out in it.
    return isConstant(expr) ? [] : [expr];
  }
  return [expr];
}

/** A chain that starts from a name of the environment, and not from a type or a function's namespace. */
function readable(expr: Expr): boolean {
  const { reads, variables, constants } = factsOf(expr);
  return reads.length + variables.size + constants.size > 0;
}

function isConstant(expr: Expr): boolean {
  return expr.kind === "literal" || ((expr.kind === "list" || expr.kind === "map") && children(expr).every(isConstant));
}
