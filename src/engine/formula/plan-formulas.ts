/**
 * When a layer allows a question, as a formula: for every request about an operation on a kind of resource, with any
 * principal and any scope. Only `plan/walk.ts` combines effects.
 */

import type { Expr } from "../../cel/ast.js";
import type { JsonMap } from "../../cel/values.js";
import { classesOf, otherThan } from "../../policy/glob-classes.js";
import { addTo } from "../../policy/groups.js";
import type { Condition, Definitions, Expression, PolicyModel, ResourcePolicy } from "../../policy/model.js";
import { ANY_ROLE, type Conditional, type Plan, type PlanRow, type PlanStep } from "../plan/plan.js";
import type { PolicyIndex } from "../plan/policy-index.js";
import type { DeclaredAttributeTypes } from "../plan/subjects.js";
import {
  allowedWhen,
  deniedByWhen,
  erredWhen,
  type PlanStatements,
  rowWhen,
  type StatementLogic,
  type TruthsWhen,
} from "../plan/walk.js";
import type { FormulaReading } from "./attribute-formulas.js";
import { ExpressionFormulas } from "./expressions.js";
import type { Formula } from "./formula.js";
import { type IndexedQuestion, PlanCases } from "./plan-cases.js";
import type { TruthFormulas } from "./terms.js";
import type { FormulaWorld, RequestSubject } from "./world.js";

/** The parts of a layer that formulas need. */
export interface FormulaLayer {
  readonly index: PolicyIndex;
  readonly model: PolicyModel;
  readonly version: string;
  /** Undefined: they are unknown, and formulas hold for every value. */
  readonly globals: JsonMap | undefined;
  readonly enforcesSchemas: boolean;
  typesOf(plan: Plan): DeclaredAttributeTypes;
}

/** A condition, with the definitions that its expressions can read. */
type DefinedCondition = Pick<Conditional, "condition" | "definitions">;

/** A plan, and the formula for the requests that it decides. */
export interface PlanWithRequests {
  readonly plan: Plan;
  readonly is: Formula;
}

/** When an expression of a condition is true, and when it is false. Where neither holds, the expression errs. */
export type TruthOf = (expression: Expression, definitions: Definitions, reading: FormulaReading) => TruthFormulas;

/** A class of roles that policies do not distinguish. */
export interface RoleClass {
  readonly name: string;
  /** The class stands for all roles that policies treat alike, not for `name` alone. */
  readonly isOpen: boolean;
  /** The globs other than `*` that match the roles of the class. */
  readonly matchedBy: readonly string[];
  /** The globs and names that tell the class from all other roles that `matchedBy` matches. */
  readonly unmatchedBy: readonly string[];
  has(role: string): boolean;
}

export class PlanFormulas {
  readonly expressions: ExpressionFormulas;
  private readonly world: FormulaWorld;
  readonly roles: readonly RoleClass[];
  private readonly keys = new Map<string, string>();
  private readonly numbers = new Map<object | undefined, number>();
  private readonly documents = new Map<PolicyModel, string>();
  /** Translated conditions, by their definitions and the keys of their readings. */
  private readonly conditions = new Map<Condition, Map<Definitions, Map<string, TruthFormulas>>>();

  /** `roles`: see {@link roleClassesOf}, called with all layers of this world. */
  constructor(world: FormulaWorld, roles: readonly RoleClass[]) {
    this.world = world;
    this.roles = roles;
    this.expressions = new ExpressionFormulas(world);
  }

  /**
   * When the layer allows. `truthOf` says when the expressions of conditions are true and when false. Default: their
   * translation.
   */
  allows(layer: FormulaLayer, principal: RequestSubject, question: IndexedQuestion, truthOf?: TruthOf): Formula {
    return this.byEachPlan(layer, principal, question, (plan) => this.ofPlan(plan, layer, principal, truthOf));
  }

  /** When the verdict of the layer is a denial with a fault (docs/verdicts.md). `truthOf`: see {@link allows}. */
  errs(layer: FormulaLayer, principal: RequestSubject, question: IndexedQuestion, truthOf?: TruthOf): Formula {
    return this.byEachPlan(layer, principal, question, (plan) => this.planErrs(plan, layer, principal, truthOf));
  }

  /**
   * Where the layer denies without a fault: when its verdict gives a reason for which `isChosen` is true. `other`: the
   * reason of a verdict that no rule gives one.
   */
  gives(
    layer: FormulaLayer,
    principal: RequestSubject,
    question: IndexedQuestion,
    isChosen: (reason: string) => boolean,
    other: string,
  ): Formula {
    const { formulas } = this.world;
    const logic = { ...this.logic, not: (part: Formula) => formulas.not(part) };
    return this.byEachPlan(layer, principal, question, (plan) => {
      const statements = this.statementsOf(plan, layer, principal, undefined);
      const isNamed = ({ rule }: PlanRow) => rule.kind !== "role";
      const held = (row: PlanRow) => isNamed(row) && isChosen(row.rule.reason.reason);
      const given = deniedByWhen(plan, logic, statements, { held, erred: () => false });
      if (!isChosen(other)) return given;
      const any = deniedByWhen(plan, logic, statements, { held: isNamed, erred: () => true });
      return formulas.or(given, formulas.not(any));
    });
  }

  private byEachPlan(
    layer: FormulaLayer,
    principal: RequestSubject,
    question: IndexedQuestion,
    said: (plan: Plan) => Formula,
  ): Formula {
    const known = new Map<Plan, Formula>();
    return this.byPlan(this.casesOf(layer, principal, question), principal, (plan) => {
      const one = known.get(plan) ?? said(plan);
      known.set(plan, one);
      return one;
    });
  }

  /** The plans of a question: one for each case that policies distinguish by scopes and by the id of the principal. */
  plansOf(layer: FormulaLayer, principal: RequestSubject, question: IndexedQuestion): readonly PlanWithRequests[] {
    const { formulas } = this.world;
    const cases = this.casesOf(layer, principal, question);
    return [...cases.all].map((plan) => ({
      plan,
      is: this.byPlan(cases, principal, (other) => formulas.bool(other === plan)),
    }));
  }

  private casesOf(layer: FormulaLayer, principal: RequestSubject, question: IndexedQuestion): PlanCases {
    return new PlanCases(layer, question, principal === "account" ? ["account"] : this.roles.map(({ name }) => name));
  }

  /**
   * Combines the formulas of plans: for each request, the result is the formula that `said` gives for the plan of the
   * request.
   */
  private byPlan(cases: PlanCases, principal: RequestSubject, said: (plan: Plan) => Formula): Formula {
    const { scopes, principalScopes, ids } = cases;
    return this.byText("resource", "scope", scopes, (scope) =>
      this.byText(principal, "scope", principalScopes, (principalScope) =>
        this.byText(principal, "id", ids, (id) => said(cases.planFor({ scope, principalScope, id }))),
      ),
    );
  }

  /** Combines the formulas that `said` gives for the values of a text. All values outside `named` share one formula. */
  private byText(
    subject: RequestSubject,
    field: "scope" | "id",
    named: readonly string[],
    said: (value: string) => Formula,
  ): Formula {
    const { formulas } = this.world;
    const ofOthers = said(otherThan(named));
    const apart = new Map<Formula, string[]>();
    for (const value of named) {
      const of = said(value);
      if (of !== ofOthers) addTo(apart, of, value);
    }
    if (apart.size === 0) return ofOthers;
    const text = this.world.field(subject, field);
    const cases = [...apart].map(([of, values]) => ({
      of,
      is: formulas.or(...values.map((value) => formulas.same(text, this.world.text(value)))),
    }));
    const isOther = formulas.not(formulas.or(...cases.map(({ is }) => is)));
    return formulas.or(...cases.map(({ of, is }) => formulas.and(is, of)), formulas.and(isOther, ofOthers));
  }

  /** When an expression of a policy, or a part of one, is true, and when it is false. */
  readonly truth = (
    part: Expression | { readonly expr: Expr; readonly of: Expression },
    definitions: Definitions,
    reading: FormulaReading,
  ): TruthFormulas => {
    const of = "of" in part ? part.of : part;
    return this.world.terms.truth(this.expressions.value(part.expr, definitions, reading, { of }));
  };

  /** When a plan allows. */
  ofPlan(plan: Plan, layer: FormulaLayer, principal: RequestSubject, truthOf?: TruthOf): Formula {
    const { formulas } = this.world;
    const allowed = allowedWhen(plan, this.logic, this.statementsOf(plan, layer, principal, truthOf));
    return formulas.and(allowed, this.satisfied(plan, layer, principal));
  }

  /** When a plan denies because of an error, or because attributes violate the enforced schemas. */
  private planErrs(plan: Plan, layer: FormulaLayer, principal: RequestSubject, truthOf?: TruthOf): Formula {
    const { formulas } = this.world;
    const statements = this.statementsOf(plan, layer, principal, truthOf);
    const logic = { ...this.logic, not: (part: Formula) => formulas.not(part) };
    const erred = erredWhen(plan, logic, statements);
    const isViolated = formulas.not(this.satisfied(plan, layer, principal));
    if (isViolated === formulas.no) return erred;
    return formulas.or(erred, formulas.and(allowedWhen(plan, logic, statements), isViolated));
  }

  private statementsOf(
    plan: Plan,
    layer: FormulaLayer,
    principal: RequestSubject,
    truthOf: TruthOf | undefined,
  ): PlanStatements<Formula> {
    return {
      truthsOf: (what, step) => this.truthsOf(what, this.reading(plan, step, layer, principal), truthOf),
      ...(principal === "account" ? {} : { has: (role: string) => this.hasOrNot(role) }),
    };
  }

  /** When the attributes satisfy the schemas of a plan; always, if these are not enforced. */
  satisfied(plan: Plan, layer: FormulaLayer, principal: RequestSubject): Formula {
    const { formulas } = this.world;
    const { schemas } = plan;
    if (!layer.enforcesSchemas || (schemas.principal === undefined && schemas.resource === undefined)) {
      return formulas.yes;
    }
    return this.world.formulas.unknown("bool", `attributes satisfy ${this.schemasOf(plan, layer)} ${principal}`);
  }

  /** When a principal has a role of its plan. An account always has its only role. */
  has(principal: RequestSubject, role: string): Formula {
    return principal === "account" ? this.world.formulas.yes : this.hasRole(role);
  }

  /** The context in which the expressions of a plan's step are evaluated. */
  reading(plan: Plan, step: PlanStep, layer: FormulaLayer, principal: RequestSubject): FormulaReading {
    const { globals, model } = layer;
    const types = layer.typesOf(plan);
    const [role] = step.derivedRoles;
    const policy = role && model.resourcePolicies.find(({ key }) => key === role.policy);
    const included = plan.roles.flatMap(({ role, includes }) => (includes.length === 0 ? [] : [[role, ...includes]]));
    const objects = [types.principal, types.resource, globals, policy].map((one) => this.numberOf(one));
    const key = JSON.stringify([principal, objects, included]);
    const read = { principal, types, schemas: this.schemasOf(plan, layer), globals };
    return { ...read, key, active: () => policy && this.activeIn(policy, included, { ...read, key }) };
  }

  /** A key for the derived roles that are active in a policy. Equal keys mean the same roles. */
  private activeIn(
    { derivedRoles }: ResourcePolicy,
    included: readonly (readonly string[])[],
    read: Omit<FormulaReading, "active">,
  ): string {
    // Derived-role conditions see an empty set of active roles, so they cannot refer to themselves.
    const reading: FormulaReading = { ...read, key: `${read.key} none`, active: () => undefined };
    const named = [...derivedRoles.values()].map((role) => {
      const { holds, fails } = this.condition(role, reading);
      return JSON.stringify([role.name, sorted(role.parentRoles), holds.id, fails.id]);
    });
    return this.keyOf("active", [read.principal, included, sorted(named)]);
  }

  /** A key for the schemas of a plan, made of their texts. */
  schemasOf({ schemas: { principal, resource } }: Plan, { model }: FormulaLayer): string {
    if (principal === undefined && resource === undefined) return this.keyOf("schemas", []);
    const documents = this.documents.get(model) ?? this.keyOf("documents", [...model.schemas]);
    this.documents.set(model, documents);
    return this.keyOf("schemas", [principal, resource, documents]);
  }

  /** Whether the key has a role of the class `name`. */
  hasRole(name: string): Formula {
    const isOpen = this.roles.some((role) => role.name === name && role.isOpen);
    return isOpen ? this.openRole(name) : this.world.role(name);
  }

  private openRole(name: string): Formula {
    return this.world.formulas.unknown("bool", `has a role like ${name}`);
  }

  /** The open classes by name, with the formula for "the key has a role of this class". */
  get openRoles(): ReadonlyMap<string, Formula> {
    return new Map(this.roles.flatMap(({ name, isOpen }) => (isOpen ? [[name, this.openRole(name)] as const] : [])));
  }

  private get logic(): StatementLogic<Formula> {
    const { formulas } = this.world;
    return { all: (parts) => formulas.and(...parts), any: (parts) => formulas.or(...parts) };
  }

  /** When a row holds, and when it fails. Where neither is so, it errs. */
  ofRow(row: PlanRow, step: PlanStep, reading: FormulaReading): TruthsWhen<Formula> {
    return rowWhen(row, step, this.logic, { truthsOf: (what) => this.truthsOf(what, reading) });
  }

  private truthsOf(what: Conditional, reading: FormulaReading, truthOf?: TruthOf): TruthsWhen<Formula> {
    const { holds, fails } = this.condition(what, reading, truthOf);
    return { holds, fails, isDefined: this.world.formulas.or(holds, fails) };
  }

  private hasOrNot(role: string): Pick<TruthFormulas, "holds" | "fails"> {
    const holds = this.hasRole(role);
    return { holds, fails: this.world.formulas.not(holds) };
  }

  /** When a condition holds, and when it does not. Where neither is so, it errs. */
  condition(
    { condition, definitions }: DefinedCondition,
    reading: FormulaReading,
    truthOf: TruthOf = this.truth,
  ): TruthFormulas {
    const { formulas } = this.world;
    if (condition === undefined) return { holds: formulas.yes, fails: formulas.no };
    if (truthOf !== this.truth) return this.part(condition, definitions, reading, truthOf);
    // Memoized, because the same rule stands in the plans of many scopes, ids and roles.
    const ofCondition = this.conditions.get(condition) ?? new Map<Definitions, Map<string, TruthFormulas>>();
    this.conditions.set(condition, ofCondition);
    const ofDefinitions = ofCondition.get(definitions) ?? new Map<string, TruthFormulas>();
    ofCondition.set(definitions, ofDefinitions);
    const three = ofDefinitions.get(reading.key) ?? this.part(condition, definitions, reading, truthOf);
    ofDefinitions.set(reading.key, three);
    return three;
  }

  private part(
    condition: Condition,
    definitions: Definitions,
    reading: FormulaReading,
    truthOf: TruthOf,
  ): TruthFormulas {
    const { formulas } = this.world;
    if (condition.kind === "expr") return truthOf(condition.expr, definitions, reading);
    const stop = condition.kind !== "all";
    // Members are evaluated in their order. Evaluation stops at a member that errs or decides.
    let reached = formulas.yes;
    const stopped: Formula[] = [];
    for (const member of condition.of) {
      const { holds, fails } = this.part(member, definitions, reading, truthOf);
      stopped.push(formulas.and(reached, stop ? holds : fails));
      reached = formulas.and(reached, stop ? fails : holds);
    }
    const found = formulas.or(...stopped);
    return condition.kind === "any" ? { holds: found, fails: reached } : { holds: reached, fails: found };
  }

  /** Adds the facts that follow from everything that was translated. */
  close(): void {
    const { formulas } = this.world;
    const single = new Set(this.roles.flatMap(({ name, isOpen }) => (isOpen ? [] : [name])));
    const open = [...this.openRoles];
    for (const { element, isIn } of [...this.world.askedIn(this.world.roles).values()]) {
      const { text } = element;
      if (text === undefined) continue;
      const value = text.op === "constant" ? text.value : undefined;
      const own = typeof value === "string" && value !== "" ? this.roles.find((role) => role.has(value)) : undefined;
      if (own !== undefined) this.world.fact(formulas.implies(isIn, this.hasRole(own.name)));
      const named = [...single].map((name) => formulas.same(text, formulas.text(name)));
      const isOther = formulas.and(isIn, ...named.map((one) => formulas.not(one)));
      this.world.fact(formulas.implies(isOther, formulas.or(...open.map(([, has]) => has))));
    }
    for (const [name, has] of open) this.world.fact(formulas.implies(this.world.role(name), has));
    this.world.fact(formulas.or(...[...single].map((name) => this.world.role(name)), ...open.map(([, has]) => has)));
    if (this.world.isCounted(this.world.roles)) for (const role of this.roles) if (role.isOpen) this.addExample(role);
    this.expressions.close();
  }

  /** Adds a role of the key to an open class that the key has a role of: sizes and quantifiers count it. */
  private addExample(role: RoleClass): void {
    const { world } = this;
    const { formulas } = world;
    const raw = world.raw(`${world.roles.key} like ${role.name}`);
    const isIn = world.isIn(world.terms.raw(raw), world.roles, raw);
    const others = [...world.texts].filter((text) => !role.has(text));
    const isOther = others.map((text) => formulas.not(formulas.same(raw.text, formulas.text(text))));
    const starts = role.matchedBy.flatMap((glob) => prefixOf(glob) ?? []);
    const isMatched = starts.map((start) => formulas.starts(raw.text, formulas.text(start)));
    const isLike = formulas.and(isIn, raw.is("text"), ...isMatched, ...isOther);
    world.fact(formulas.implies(this.hasRole(role.name), isLike));
  }

  private keyOf(what: string, of: readonly unknown[]): string {
    const text = JSON.stringify([what, of]);
    const key = this.keys.get(text) ?? `${what} ${this.keys.size}`;
    this.keys.set(text, key);
    return key;
  }

  private numberOf(one: object | undefined): number {
    const number = this.numbers.get(one) ?? this.numbers.size;
    this.numbers.set(one, number);
    return number;
  }
}

/** The text with which every text starts that a glob such as `ops_*` matches. */
function prefixOf(glob: string): string | undefined {
  return /^[\w.-]+(?=\*)/.exec(glob)?.[0];
}

/** Sorted, because the order of parent roles has no meaning. */
function sorted(texts: readonly string[]): readonly string[] {
  return [...texts].sort();
}

/** The role classes that the layers distinguish; undefined if there are too many. */
export function roleClassesOf(layers: readonly Pick<FormulaLayer, "model">[]): readonly RoleClass[] | undefined {
  const patterns = new Set<string>();
  const parents = new Set<string>();
  for (const { model } of layers) {
    for (const { rules, derivedRoles } of model.resourcePolicies) {
      for (const { roles } of rules) for (const role of roles) patterns.add(role);
      for (const { parentRoles } of derivedRoles.values()) for (const role of parentRoles) parents.add(role);
    }
    for (const { role, parentRoles } of model.rolePolicies) for (const one of [role, ...parentRoles]) patterns.add(one);
  }
  const classes = classesOf([...patterns, ...parents])?.map(({ example, isAlone, ...rest }) => ({
    ...rest,
    name: example,
    isOpen: !isAlone,
  }));
  // The derived roles that expressions see depend on the parent roles as policies spell them, so each spelling needs a
  // class.
  const written = [...parents].filter(
    (role) => role !== ANY_ROLE && classes?.every(({ name }) => name !== role) === true,
  );
  return (
    classes && [
      ...classes.map((one) => {
        const others = written.filter((role) => one.has(role));
        const has = (role: string) => !others.includes(role) && one.has(role);
        return { ...one, unmatchedBy: [...one.unmatchedBy, ...others], has };
      }),
      ...written.map((name) => ({
        name,
        isOpen: false,
        matchedBy: [],
        unmatchedBy: [],
        has: (role: string) => role === name,
      })),
    ]
  );
}
