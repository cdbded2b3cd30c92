/** The attributes that the closures of a plan may read. */

import type { Expr } from "../../cel/ast.js";
import { usageOf } from "../../cel/expression-usage.js";
import type { Definitions, Expression } from "../../policy/model.js";
import { expressionsOfCondition } from "../../policy/policy-expressions.js";
import type { Conditional, Plan } from "../plan/plan.js";
import type { AttributeOwner } from "../plan/subjects.js";
import type { PendingOutput } from "./strict-verdict.js";

/** By name; undefined: any. */
type NamesByOwner = { readonly [subject in AttributeOwner]: readonly string[] | undefined };

export interface NamesRead extends NamesByOwner {
  /** True if an expression reads the clock. */
  readonly clock: boolean;
}

/** The attributes that conditions, outputs and the conditions of derived roles read, variables included. */
export function namesRead(plan: Plan): NamesRead {
  const reader = new AttributeNameCollector();
  for (const { whenActivated, whenNotMet, ...rule } of plan.rules) {
    reader.conditional(rule);
    for (const output of [whenActivated, whenNotMet]) if (output !== undefined) reader.read(output, rule.definitions);
  }
  for (const step of [...plan.personal, ...plan.roles.flatMap(({ steps }) => steps)]) {
    for (const role of step.derivedRoles) reader.conditional(role);
    for (const { guard } of step.rows) if (guard !== undefined) reader.conditional(guard);
  }
  return reader.names;
}

/**
 * The same for outputs that are still to be evaluated. `runtime.effectiveDerivedRoles` evaluates the conditions of
 * derived roles, so their reads are included.
 */
export function namesReadBy(outputs: readonly PendingOutput[]): NamesRead {
  const reader = new AttributeNameCollector();
  for (const { rule, step, expression } of outputs) {
    reader.read(expression, rule.definitions);
    for (const role of step.derivedRoles) reader.conditional(role);
  }
  return reader.names;
}

/** The attributes that an expression without variables reads. */
export function namesReadIn(expr: Expr): NamesRead {
  const reader = new AttributeNameCollector();
  reader.readsOf(expr);
  return reader.names;
}

class AttributeNameCollector {
  private readonly known = new Map<Definitions, Set<Expression>>();
  private readonly found: { [subject in AttributeOwner]: Set<string> | undefined } = {
    principal: new Set(),
    resource: new Set(),
  };
  private clock = false;

  get names(): NamesRead {
    const { principal, resource } = this.found;
    return { principal: principal && [...principal], resource: resource && [...resource], clock: this.clock };
  }

  conditional({ condition, definitions }: Pick<Conditional, "condition" | "definitions">): void {
    for (const expression of expressionsOfCondition(condition)) this.read(expression, definitions);
  }

  read(expression: Expression, definitions: Definitions): void {
    const known = this.known.get(definitions) ?? new Set();
    this.known.set(definitions, known);
    if (known.has(expression)) return;
    known.add(expression);
    const variables = this.readsOf(expression.expr);
    for (const [name, expr] of definitions.variables) if (variables.has(name)) this.read(expr, definitions);
  }

  /** Adds the reads of an expression itself. Returns the names of its variables. */
  readsOf(expr: Expr): ReadonlySet<string> {
    const { reads, variables, needsTime } = usageOf(expr);
    this.clock ||= needsTime;
    for (const { root, path } of reads) this.add(root, path[0]);
    return variables;
  }

  /** A value that is read as a whole may be read in any of its attributes. */
  private add(root: string, name: string | undefined): void {
    for (const { owner, name: attribute } of attributesReadBy(root, name)) {
      if (attribute === undefined) this.found[owner] = undefined;
      else this.found[owner]?.add(attribute);
    }
  }
}

/** The canonical names of roots, as facts have them: see `cel/roots.ts`. */
const ROOTS = {
  principal: { whole: "P", attributes: "P.attr" },
  resource: { whole: "R", attributes: "R.attr" },
} as const;
const REQUEST = "request";

/** Any attribute of both owners. */
export const ANY_NAMES: NamesRead = { principal: undefined, resource: undefined, clock: true };

export const OWNERS: readonly AttributeOwner[] = ["principal", "resource"];

/** An attribute, or any attribute of its owner if it has no name. */
export interface AttributeName {
  readonly owner: AttributeOwner;
  readonly name: string | undefined;
}

/** The attributes behind a read of a root and of its first field. */
export function attributesReadBy(root: string, first: string | undefined): readonly AttributeName[] {
  return OWNERS.flatMap((owner) => {
    const { whole, attributes } = ROOTS[owner];
    if (root === attributes) return [{ owner, name: first }];
    return root === whole || root === REQUEST ? [{ owner, name: undefined }] : [];
  });
}
