/** Residual conditions of rules and derived roles, as statements about unknown resources. */

import type { Expr } from "../../cel/ast.js";
import type { Condition, Definitions } from "../../policy/model.js";
import type { Conditional, PlanStep } from "../plan/plan.js";
import type { KnownRequest } from "../residual/known-request.js";
import { FALSE, literal, TRUE } from "../residual/residual-expression.js";
import { ServerResiduals } from "./server-residual.js";
import { call, exprOf, NEVER, negated, nested, type QueryStatement, stated, truthOf } from "./statement.js";
import type { VariableInliner } from "./variable-inliner.js";

const ALWAYS: QueryStatement = stated(TRUE);

/** The statements of one question, which may have several actions. */
export class QueryConditions {
  /** Whether the condition that is being evaluated has erred for every resource. */
  private hasErred = false;
  private hasFailed: string | undefined = undefined;
  private readonly known: KnownRequest;
  private readonly inlined: (definitions: Definitions) => VariableInliner;
  private readonly made = new Map<Conditional, QueryCondition>();
  private readonly remainders = new Map<string, Map<Definitions, ServerResiduals>>();
  private readonly roles = new Map<string, Expr>();

  constructor(known: KnownRequest, inlined: (definitions: Definitions) => VariableInliner) {
    this.known = known;
    this.inlined = inlined;
  }

  /** The reason why the question has no plan. */
  get fault(): string | undefined {
    return this.hasFailed;
  }

  /**
   * When a condition holds, at any of its steps: the invariant "one scope a rule". `errs`: it errs for every resource.
   */
  statement(what: Conditional, step: PlanStep): QueryCondition {
    const known = this.made.get(what);
    if (known !== undefined) return known;
    this.hasErred = false;
    const policy = step.derivedRoles[0]?.policy ?? "";
    const remainders = this.remaindersOf(policy, what.definitions, () => this.activeRoles(policy, step));
    const statement = this.left(what.condition, what.definitions, remainders);
    const made = { statement, errs: this.hasErred };
    this.made.set(what, made);
    return made;
  }

  private remaindersOf(policy: string, definitions: Definitions, roles: () => Expr): ServerResiduals {
    const all = this.remainders.get(policy) ?? new Map<Definitions, ServerResiduals>();
    this.remainders.set(policy, all);
    const made = all.get(definitions) ?? new ServerResiduals(this.known, definitions, roles);
    all.set(definitions, made);
    return made;
  }

  private left(
    condition: Condition | undefined,
    definitions: Definitions,
    remainders: ServerResiduals,
  ): QueryStatement {
    if (condition === undefined) return ALWAYS;
    if (condition.kind === "expr") return this.leaf(condition.expr.expr, definitions, remainders);
    const ends = condition.kind !== "all";
    const parts: QueryStatement[] = [];
    for (const member of condition.of) {
      const part = this.left(member, definitions, remainders);
      const truth = truthOf(part);
      if (truth === ends) return condition.kind === "any" ? ALWAYS : NEVER;
      if (truth === undefined) parts.push(condition.kind === "none" ? negated(part) : part);
    }
    const [only = condition.kind === "any" ? NEVER : ALWAYS] = parts;
    return parts.length < 2 ? only : { kind: condition.kind === "any" ? "or" : "and", of: parts };
  }

  private leaf(expr: Expr, definitions: Definitions, remainders: ServerResiduals): QueryStatement {
    const left = remainders.of(this.inlined(definitions).of(expr));
    this.hasFailed ??= remainders.fault;
    if (left === undefined) this.hasErred = true;
    return stated(left ?? FALSE);
  }

  /**
   * The known part of `runtime.effectiveDerivedRoles` at a step. Conditions of derived roles see an empty list of
   * active roles.
   */
  private activeRoles(policy: string, { derivedRoles }: PlanStep): Expr {
    const known = this.roles.get(policy);
    if (known !== undefined) return known;
    const byName = [...derivedRoles].sort((a, b) => (a.name < b.name ? -1 : 1));
    const lists = byName.map(({ name, condition, definitions }) => {
      const remainders = this.remaindersOf(`${policy} roles`, definitions, () => literal([]));
      const holds = exprOf(this.left(condition, definitions, remainders));
      return call("_?_:_", [holds, literal([name]), literal([])]);
    });
    const made = lists.length === 0 ? literal([]) : nested("_+_", lists);
    this.roles.set(policy, made);
    return made;
  }
}

export interface QueryCondition {
  readonly statement: QueryStatement;
  readonly errs: boolean;
}
