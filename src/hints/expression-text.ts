/** Expressions in a canonical form: variables inlined, and equal texts for equal trees. */

import { children, type Expr } from "../cel/ast.js";
import { nameOf, usageOf } from "../cel/expression-usage.js";
import type { JsonValue } from "../cel/json.js";
import { showValue } from "../cel/show.js";
import { mapParts } from "../engine/residual/map-parts.js";
import { substitute } from "../engine/residual/substitute.js";
import type { Definitions } from "../policy/model.js";
import { constantNamedBy } from "../policy/policy-expressions.js";

/** An inlined expression with more nodes is not read: variables that each read another one twice grow without bound. */
const MAX_NODES = 4_000;

/** Inlines the variables of one policy, or of one set of derived roles, and its constants that are texts. */
export class DefinitionInliner {
  private readonly definitions: Definitions;
  private readonly variables = new Map<string, Expr | undefined>();

  constructor(definitions: Definitions) {
    this.definitions = definitions;
  }

  /** Undefined if the inlined expression is too large. */
  inlined(expr: Expr): Expr | undefined {
    try {
      return this.counted(this.of(expr));
    } catch (error) {
      if (error instanceof TooLarge) return undefined;
      throw error;
    }
  }

  private of(expr: Expr): Expr {
    const name = nameOf(expr, "variable");
    if (name !== undefined) return this.variable(name) ?? expr;
    const constant = literalOf(constantNamedBy(expr, this.definitions));
    if (constant !== undefined) return constant;
    if (expr.kind !== "bind") return mapParts(expr, (part) => this.of(part));
    return this.counted(withValue(expr.name, this.of(expr.init), this.of(expr.body)));
  }

  /** A variable is counted where it is defined, so that the work is bounded too. */
  private variable(name: string): Expr | undefined {
    if (this.variables.has(name)) return this.variables.get(name);
    const found = this.definitions.variables.get(name)?.expr;
    const made = found && this.counted(this.of(found));
    this.variables.set(name, made);
    return made;
  }

  private counted(expr: Expr): Expr {
    if (nodesOf(expr, MAX_NODES) > MAX_NODES) throw new TooLarge();
    return expr;
  }
}

class TooLarge extends Error {}

function nodesOf(expr: Expr, limit: number): number {
  let count = 0;
  const pending: Expr[] = [expr];
  for (let node = pending.pop(); node !== undefined && count <= limit; node = pending.pop()) {
    count += 1;
    pending.push(...children(node));
  }
  return count;
}

function literalOf(value: JsonValue | undefined): Expr | undefined {
  if (typeof value === "string") return { kind: "literal", at: 0, value };
  if (!Array.isArray(value)) return undefined;
  const elements = value.flatMap((item) => literalOf(item) ?? []);
  return elements.length === value.length ? { kind: "list", at: 0, elements } : undefined;
}

/** The body with a variable replaced by its value, or bound to it where another variable could be taken for it. */
export function withValue(name: string, init: Expr, body: Expr): Expr {
  return bindsVariables(body) ? { kind: "bind", at: 0, name, init, body } : substitute(body, name, init);
}

function bindsVariables(expr: Expr): boolean {
  return expr.kind === "macro" || expr.kind === "bind" || children(expr).some(bindsVariables);
}

/** The text of an inlined expression, without its positions. `constants` are those that were not inlined. */
export function textOf(expr: Expr, constants: Definitions["constants"]): string {
  const text = written(expr);
  const named = [...usageOf(expr).constants].sort().map((name) => [name, constants.get(name)]);
  return named.length === 0 ? text : `${text} ${JSON.stringify(named)}`;
}

function written(expr: Expr): string {
  const parts = children(expr).map(written).join();
  return `${label(expr)}(${parts})`;
}

function label(expr: Expr): string {
  switch (expr.kind) {
    case "literal":
      return `${typeof expr.value} ${showValue(expr.value, Number.POSITIVE_INFINITY)}`;
    case "ident":
      return `${expr.of} ${expr.name}`;
    case "select":
    case "has":
      return `${expr.kind} ${expr.field}`;
    case "call":
    case "member":
      return `${expr.kind} ${expr.fn}`;
    case "macro":
      return `${expr.macro} ${expr.v1} ${expr.v2} ${expr.filter !== undefined}`;
    case "bind":
      return `bind ${expr.name}`;
    default:
      return expr.kind;
  }
}

/** The roots that a caller may learn of: the request's own words. All others count as attributes of the resource. */
const OPEN_ROOTS: ReadonlySet<string> = new Set(["R.id", "R.kind", "R.scope", "G"]);

/** Whether an inlined expression may read attributes of the resource, directly or through active derived roles. */
export function readsResourceAttributes(expr: Expr): boolean {
  const { reads, variables } = usageOf(expr);
  return (
    variables.size > 0 || reads.some(({ root }) => !OPEN_ROOTS.has(root) && root !== "P" && !root.startsWith("P."))
  );
}
