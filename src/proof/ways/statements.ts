/**
 * The statements that a decision on a question depends on, each as small as words can express: the key has a role, a
 * part of a condition is true. Variables and logical operators are split into their parts.
 */

import { type Expr, operandsOf } from "../../cel/ast.js";
import { OPERATORS } from "../../cel/operators.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { FormulaReading } from "../../engine/formula/attribute-formulas.js";
import type { Formula, Formulas } from "../../engine/formula/formula.js";
import type { RoleClass } from "../../engine/formula/plan-formulas.js";
import type { TruthFormulas } from "../../engine/formula/terms.js";
import type { Definitions, Expression } from "../../policy/model.js";
import { definitionOf } from "../../policy/policy-expressions.js";
import { type SpaceLayer, type SpaceSubject, SUBJECTS } from "../../space/dimension.js";
import type { Outcomes, QuestionProver } from "../question-prover.js";
import type { SchemaEnforcement } from "../schema-formulas.js";
import type { KnownKey, Specialize } from "./known-key.js";

/** A part of a condition that is true, false or errs. */
export interface ConditionStatement {
  readonly kind: "part";
  readonly layer: SpaceLayer;
  readonly expr: Expr;
  /** The expression that contains the part. */
  readonly of: Expression;
  readonly definitions: Definitions;
  /** Where it is evaluated. */
  readonly reading: FormulaReading;
}

/** The key has a role of this class. */
export interface RoleHeld {
  readonly kind: "role";
  readonly role: RoleClass;
}

export type About =
  | ConditionStatement
  | RoleHeld
  /** The scope or the id of a subject has this value. */
  | { readonly kind: "field"; readonly subject: SpaceSubject; readonly field: "scope" | "id"; readonly value: string }
  /** With enforced schemas: the attributes given to a layer satisfy them. Undefined: it is not known which schemas. */
  | { readonly kind: "schemas"; readonly enforcement: SchemaEnforcement | undefined };

/** A statement that is true, false or, if a part of a condition errs, neither. */
export interface AtomicStatement {
  readonly about: About;
  /** The requests for which it is true, and those for which it is false. */
  readonly holds: Formula;
  readonly fails: Formula;
  /** The placeholder for it in {@link Statements.goal}. */
  readonly sign: TruthFormulas;
}

/**
 * A requirement on a statement: it is true (`so`), it is false, it does not err (`either`), it errs, or it is true or
 * errs (`so or errs`), or is false or errs.
 */
export interface Requirement {
  readonly statement: AtomicStatement;
  readonly is: "so" | "not so" | "either" | "errs" | "so or errs" | "not so or errs";
}

/** When a requirement is met, by the formulas of its statement or of its sign. */
export function requiredOf(formulas: Formulas, { holds, fails }: TruthFormulas, is: Requirement["is"]): Formula {
  switch (is) {
    case "so":
      return holds;
    case "not so":
      return fails;
    case "either":
      return formulas.or(holds, fails);
    case "errs":
      return formulas.not(formulas.or(holds, fails));
    case "so or errs":
      return formulas.not(fails);
    case "not so or errs":
      return formulas.not(holds);
  }
}

/** The requests that are asked about, given how each set decides. */
export type GoalOf = (outcomesOf: (set: PolicySet) => Outcomes) => Formula;

/**
 * A goal about decisions, as a formula over signs (placeholders of statements). It says how the goal follows from
 * statements, not what they mean.
 */
export class Statements {
  readonly goal: Formula;
  /** The facts about signs. */
  readonly facts: readonly Formula[];
  /** Each once, roles first. */
  readonly all: readonly AtomicStatement[];
  private readonly prover: QuestionProver;
  private readonly parts = new Map<string, AtomicStatement>();

  /** `key`: the key of all requests, if it is known. */
  constructor(goalOf: GoalOf, prover: QuestionProver, key: KnownKey | undefined) {
    this.prover = prover;
    const { formulas } = prover.world;
    this.goal = goalOf((set) => {
      const specialize: Specialize = key?.specialize(set) ?? ((_, given) => given);
      return prover.outcomes(set, (layer) => (expression, known, reading) => {
        const { of, definitions } = specialize(layer, { of: expression, definitions: known }, reading);
        // An expression that always errs adds no statement.
        return of.expr.doom === undefined
          ? this.truth({ kind: "part", layer, expr: of.expr, of, definitions, reading })
          : { holds: formulas.no, fails: formulas.no };
      });
    });
    const parts = [...this.parts.values()];
    this.facts = parts.map(({ sign }) => formulas.not(formulas.and(sign.holds, sign.fails)));
    this.all = [...this.others(parts), ...parts];
  }

  /** When an expression is true and when it is false, by the signs of its parts. */
  private truth(part: ConditionStatement): TruthFormulas {
    const { expr, definitions } = part;
    const variable = definitionOf(expr, definitions);
    if (variable !== undefined) return this.truth({ ...part, expr: variable.expr, of: variable });
    const operator = expr.kind === "call" ? OPERATORS.get(expr.fn) : undefined;
    if (expr.kind === "call" && operator?.kind === "junction") {
      const truths = operandsOf(expr).map((operand) => this.truth({ ...part, expr: operand }));
      return this.prover.world.terms.junction(operator.decisive, truths);
    }
    const [operand] = expr.kind === "call" && operator?.kind === "not" ? expr.args : [];
    if (operand !== undefined) {
      const { holds, fails } = this.truth({ ...part, expr: operand });
      return { holds: fails, fails: holds };
    }
    return this.sign(part);
  }

  private sign(about: ConditionStatement): TruthFormulas {
    const { plans, world } = this.prover;
    const { holds, fails } = plans.truth(about, about.definitions, about.reading);
    // Equal formulas are one statement, wherever they stand.
    const key = `${holds.id} ${fails.id}`;
    const known = this.parts.get(key);
    if (known !== undefined) return known.sign;
    const signOf = (formula: Formula, what: string) =>
      formula.op === "constant" ? formula : world.formulas.unknown("bool", `part ${this.parts.size} ${what}`);
    const sign = { holds: signOf(holds, "holds"), fails: signOf(fails, "fails") };
    if (holds.op !== "constant" || fails.op !== "constant") this.parts.set(key, { about, holds, fails, sign });
    return sign;
  }

  /** The statements for the other unknowns in the formula; each of these unknowns is its own sign. */
  private others(parts: readonly AtomicStatement[]): readonly AtomicStatement[] {
    const { plans, world } = this.prover;
    const signs = new Set(parts.flatMap(({ sign }) => [sign.holds, sign.fails]));
    const roles = new Map(plans.roles.map((role) => [plans.hasRole(role.name), role]));
    const found: AtomicStatement[] = [];
    const seen = new Set<Formula>();
    const rest = [this.goal];
    for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
      if (one.op === "constant" || signs.has(one) || seen.has(one)) continue;
      seen.add(one);
      const role = roles.get(one);
      const about: About | undefined = role === undefined ? this.aboutOf(one) : { kind: "role", role };
      if (about === undefined) {
        rest.push(...one.args);
        continue;
      }
      const three = { holds: one, fails: world.formulas.not(one) };
      found.push({ about, ...three, sign: three });
    }
    return found.sort((a, b) => ORDER.indexOf(a.about.kind) - ORDER.indexOf(b.about.kind) || a.holds.id - b.holds.id);
  }

  private aboutOf(formula: Formula): About | undefined {
    if (formula.op === "unknown")
      return formula.sort === "bool" ? { kind: "schemas", enforcement: this.prover.enforcementOf(formula) } : undefined;
    if (formula.op !== "=") return undefined;
    const { world } = this.prover;
    const value = formula.args.find(({ op }) => op === "constant");
    for (const subject of SUBJECTS) {
      for (const field of ["scope", "id"] as const) {
        if (!formula.args.includes(world.field(subject, field)) || value?.op !== "constant") continue;
        return { kind: "field", subject, field, value: String(value.value) };
      }
    }
    return undefined;
  }
}

const ORDER: readonly About["kind"][] = ["role", "field", "schemas", "part"];
