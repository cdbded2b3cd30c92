/**
 * What a decision on a question depends on, in statements that are as small as can be said in words: that the key has a
 * role, that a part of a condition is true. Variables, and what joins parts, are taken apart.
 */

import { type Expr, operandsOf } from "../../cel/ast.js";
import { OPERATORS } from "../../cel/operators.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { Formula } from "../../engine/formula/formula.js";
import type { RoleClass } from "../../engine/formula/plans.js";
import type { Reading } from "../../engine/formula/reads.js";
import type { Three } from "../../engine/formula/terms.js";
import type { Definitions, Expression } from "../../policy/model.js";
import { definitionOf } from "../../policy/walk.js";
import { LAYERS, type Layer, SUBJECTS, type Subject } from "../../space/dimension.js";
import { layerPolicies, type QuestionProver } from "../question-prover.js";

/** A part of a condition that is true or false, or errs. */
export interface ConditionPart {
  readonly kind: "part";
  readonly layer: Layer;
  readonly expr: Expr;
  /** What it is a part of. */
  readonly of: Expression;
  readonly definitions: Definitions;
  /** Where it is evaluated. */
  readonly reading: Reading;
}

/** The key has a role: this one, one of those that policies take for the same (`likes`), or any that they do not name. */
export interface RoleHeld {
  readonly kind: "role";
  readonly role: string;
  readonly stands: "itself" | "likes" | "others";
  /** Whether it is so of a key that has these roles. */
  isAmong(roles: readonly string[]): boolean;
}

export type About =
  | ConditionPart
  | RoleHeld
  /** The scope or the id of a subject is this one. */
  | { readonly kind: "field"; readonly subject: Subject; readonly field: "scope" | "id"; readonly value: string }
  /** Where schemas are enforced: the attributes that a layer is given satisfy them. */
  | { readonly kind: "schemas" };

/** What is so, not so, or neither: where a part of a condition errs. */
export interface Statement {
  readonly about: About;
  /** Of requests: when it is so, and when not. */
  readonly holds: Formula;
  readonly fails: Formula;
  /** What stands for it in {@link Statements.allow}. */
  readonly sign: Three;
}

/** What is required of a statement: that it is so, that it is not, or only that it can be told which (`either`). */
export interface Requirement {
  readonly statement: Statement;
  readonly is: "so" | "not so" | "either";
}

/** When a set allows, as a formula over signs: it says how the decision follows from statements, and nothing of these. */
export class Statements {
  readonly allow: Formula;
  /** What holds of signs. */
  readonly facts: readonly Formula[];
  /** Each once, roles first. */
  readonly all: readonly Statement[];
  private readonly prover: QuestionProver;
  private readonly parts = new Map<string, Statement>();

  constructor(set: PolicySet, prover: QuestionProver) {
    this.prover = prover;
    const { formulas } = prover.world;
    const allowing = LAYERS.flatMap((name) => {
      const layer = set[name];
      if (layer === undefined) return [];
      const truthOf = (of: Expression, definitions: Definitions, reading: Reading) =>
        // What always errs says nothing.
        of.expr.doom === undefined
          ? this.truth({ kind: "part", layer: name, expr: of.expr, of, definitions, reading })
          : { holds: formulas.no, fails: formulas.no };
      return [prover.allowsBy(layerPolicies(set, layer), name, truthOf)];
    });
    this.allow = formulas.and(...allowing);
    const parts = [...this.parts.values()];
    this.facts = parts.map(({ sign }) => formulas.not(formulas.and(sign.holds, sign.fails)));
    this.all = [...this.others(parts), ...parts];
  }

  /** When an expression is true, and when it is false, by the signs of its parts. */
  private truth(part: ConditionPart): Three {
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

  private sign(about: ConditionPart): Three {
    const { plans, world } = this.prover;
    const { holds, fails } = plans.truth(about, about.definitions, about.reading);
    // What is the same formula is the same statement, wherever it stands.
    const key = `${holds.id} ${fails.id}`;
    const known = this.parts.get(key);
    if (known !== undefined) return known.sign;
    const signOf = (formula: Formula, what: string) =>
      formula.op === "constant" ? formula : world.formulas.unknown("bool", `part ${this.parts.size} ${what}`);
    const sign = { holds: signOf(holds, "holds"), fails: signOf(fails, "fails") };
    if (holds.op !== "constant" || fails.op !== "constant") this.parts.set(key, { about, holds, fails, sign });
    return sign;
  }

  /** What the formula reads beside signs of parts, which is its own sign. */
  private others(parts: readonly Statement[]): readonly Statement[] {
    const { plans, world } = this.prover;
    const signs = new Set(parts.flatMap(({ sign }) => [sign.holds, sign.fails]));
    const roles = new Map(plans.roles.map((role) => [plans.hasRole(role.name), role]));
    const found: Statement[] = [];
    const seen = new Set<Formula>();
    const rest = [this.allow];
    for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
      if (one.op === "constant" || signs.has(one) || seen.has(one)) continue;
      seen.add(one);
      const role = roles.get(one);
      const about: About | undefined = role === undefined ? this.aboutOf(one) : this.role(role);
      if (about === undefined) {
        rest.push(...one.args);
        continue;
      }
      const three = { holds: one, fails: world.formulas.not(one) };
      found.push({ about, ...three, sign: three });
    }
    return found.sort((a, b) => ORDER.indexOf(a.about.kind) - ORDER.indexOf(b.about.kind) || a.holds.id - b.holds.id);
  }

  private role({ name, isOpen }: RoleClass): RoleHeld {
    const classes = this.prover.plans.roles;
    const named = new Set(classes.flatMap((one) => (one.isOpen ? [] : [one.name])));
    const isOnly = classes.filter((one) => one.isOpen).length === 1;
    return {
      kind: "role",
      role: name,
      stands: isOpen ? (isOnly ? "others" : "likes") : "itself",
      isAmong: (roles) => roles.includes(name) || (isOpen && isOnly && roles.some((role) => !named.has(role))),
    };
  }

  private aboutOf(formula: Formula): About | undefined {
    if (formula.op === "unknown") return formula.sort === "bool" ? { kind: "schemas" } : undefined;
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
