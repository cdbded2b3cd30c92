/** Compares formulas about policies and requests with evaluation. */

import { compile, Slots } from "../../../src/cel/compile.js";
import type { EvaluationResult } from "../../../src/cel/evaluation.js";
import { nanosOf } from "../../../src/cel/functions/operators.js";
import { Timestamp } from "../../../src/cel/values.js";
import { Activation } from "../../../src/engine/evaluate/activation.js";
import { compileDefinitions } from "../../../src/engine/evaluate/definitions.js";
import type { Layer } from "../../../src/engine/evaluate/layer.js";
import {
  type Formula,
  type FormulaSort,
  type Formulas,
  JSON_KINDS,
  unknownsIn,
} from "../../../src/engine/formula/formula.js";
import type { IndexedQuestion } from "../../../src/engine/formula/plan-cases.js";
import { type FormulaLayer, PlanFormulas, type RoleClass } from "../../../src/engine/formula/plan-formulas.js";
import type { FormulaTerm } from "../../../src/engine/formula/terms.js";
import { FormulaWorld } from "../../../src/engine/formula/world.js";
import { makePlan } from "../../../src/engine/plan/make-plan.js";
import type { Plan, PlannedRule, PlanStep } from "../../../src/engine/plan/plan.js";
import type { PolicySet } from "../../../src/index.js";
import type { Definitions, Expression } from "../../../src/policy/model.js";
import { sanitise } from "../../../src/policy/names.js";
import { expressionsOfCondition } from "../../../src/policy/policy-expressions.js";
import type { PlainRequest } from "../../property/arbitraries/index.js";
import { FormulaValues, type Value } from "../../reference/formula-value.js";
import { Forms } from "./forms.js";

const LAYERS = [
  ["permission", "key"],
  ["platform", "account"],
] as const;

export interface Counts {
  pairs: number;
  known: number;
  verdicts: number;
  knownVerdicts: number;
  facts: number;
  readonly forms: Forms;
}

export function newCounts(): Counts {
  return { pairs: 0, known: 0, verdicts: 0, knownVerdicts: 0, facts: 0, forms: new Forms() };
}

/** A request and its evaluation results, as formulas that must be satisfiable together. */
export interface Together {
  /** Formulas for the request. */
  readonly given: readonly Formula[];
  /** Formulas that hold for every request. */
  readonly facts: readonly Formula[];
  /** Results of expressions: those that the request alone determines, and those that depend on more. */
  readonly known: readonly Formula[];
  readonly open: readonly Formula[];
}

/** The distinct questions of some requests. */
export function questionsOf(requests: readonly PlainRequest[]): readonly IndexedQuestion[] {
  const questions = requests.map(({ resource, operation }) => ({ kind: sanitise(resource.kind), action: operation }));
  return [...new Map(questions.map((one) => [JSON.stringify(one), one] as const)).values()];
}

type Code = ReturnType<typeof compile>;

/** One question, as formulas. */
export class Asked {
  private readonly policies: PolicySet;
  private readonly world = new FormulaWorld();
  private readonly plans: PlanFormulas;
  private readonly roles: readonly RoleClass[];
  private readonly allowed: {
    readonly question: IndexedQuestion;
    readonly name: "permission" | "platform";
    readonly allowed: Formula;
  }[] = [];
  private readonly codes = new Map<Expression["expr"], Code>();
  private readonly expressions: {
    readonly layer: Layer;
    readonly plan: Plan;
    readonly expression: Expression;
    readonly definitions: Definitions;
    readonly term: FormulaTerm;
  }[] = [];

  /** `whole`: also compares when each layer allows. */
  constructor(policies: PolicySet, roles: readonly RoleClass[], questions: readonly IndexedQuestion[], whole: boolean) {
    this.policies = policies;
    this.roles = roles;
    this.plans = new PlanFormulas(this.world, roles);
    for (const question of questions) {
      for (const [name, principal] of LAYERS) this.take(question, name, principal, whole);
    }
    this.plans.close();
  }

  private take(
    question: IndexedQuestion,
    name: "permission" | "platform",
    principal: "key" | "account",
    whole: boolean,
  ): void {
    const { policies, roles } = this;
    const layer = policies[name];
    if (layer === undefined) return;
    const source = sourceOf(policies, layer);
    if (whole) this.allowed.push({ question, name, allowed: this.plans.allows(source, principal, question) });
    const plan = makePlan(layer.index, layer.placeOf("", ""), {
      ...question,
      principalId: "",
      roles: roles.map((role) => role.name),
    });
    const known = new Set(this.expressions.map(({ expression }) => expression));
    for (const rule of plan.rules) {
      const { condition, definitions } = rule;
      const reading = this.plans.reading(plan, stepOf(plan, rule), source, principal);
      for (const expression of expressionsOfCondition(condition)) {
        if (known.has(expression)) continue;
        const term = this.plans.expressions.value(expression.expr, definitions, reading);
        this.expressions.push({ layer, plan, expression, definitions, term });
      }
    }
  }

  private evaluated(
    layer: Layer,
    plan: Plan,
    { expr }: Expression,
    definitions: Definitions,
    principal: PlainRequest["key"],
    { resource }: PlainRequest,
    now: Timestamp | undefined,
  ): EvaluationResult {
    const code =
      this.codes.get(expr) ??
      compile(expr, compileDefinitions(layer.equipment.functions, definitions, new Slots(), "", "error"));
    this.codes.set(expr, code);
    const activation = new Activation();
    activation.begin(input(principal), input(resource), now, layer.globals, layer.typesOf(plan));
    return code(activation);
  }

  /** Records results where formulas and evaluation disagree. */
  check(one: PlainRequest, counts: Counts, wrong: string[]): Together {
    const note = (told: unknown, is: unknown, what: () => string) => {
      if (told !== undefined && told !== is) wrong.push(what());
    };
    const { key, account, resource } = one;
    const now = one.now === undefined ? undefined : timestampOf(one.now);
    const facts = { key: input(key), account: input(account), resource: input(resource), now: now && nanosOf(now) };
    const named = this.roles.flatMap((role) => (role.isOpen ? [] : [role.name]));
    const classes = this.roles.filter((role) => role.isOpen);
    const values = new FormulaValues(this.world, facts);
    // If there are several open role classes, a request does not tell which one applies.
    const [only] = classes;
    if (only !== undefined && classes.length === 1) {
      values.set(
        `has a role like ${only.name}`,
        key.roles.some((role) => !named.includes(role)),
      );
    }
    const subjects = { key, account: { ...account, roles: ["account"] } };
    const { formulas } = this.world;
    const known: Formula[] = [];
    const open: Formula[] = [];
    for (const { layer, plan, expression, definitions, term } of this.expressions) {
      counts.pairs++;
      const principal = layer === this.policies.permission ? subjects.key : subjects.account;
      const found = this.evaluated(layer, plan, expression, definitions, principal, one, now);
      const truth = this.world.terms.truth(term);
      const holds = values.value(truth.holds);
      const fails = values.value(truth.fails);
      const exists = values.value(this.world.terms.exists(term));
      const about = (part: string) => () => `${expression.source} ${part}: ${worded(facts)}`;
      note(holds, found === true, about("holds"));
      note(fails, found === false, about("fails"));
      note(exists, found !== undefined, about("exists"));
      const isKnown = holds !== undefined && fails !== undefined;
      if (isKnown) counts.known++;
      counts.forms.note(expression.expr, found, isKnown);
      (isKnown ? known : open).push(
        formulas.and(
          formulas.same(truth.holds, formulas.bool(found === true)),
          formulas.same(truth.fails, formulas.bool(found === false)),
        ),
      );
    }
    for (const { question, name, allowed } of this.allowed) {
      const layer = this.policies[name];
      const isAbout = sanitise(resource.kind) === question.kind && one.operation === question.action;
      if (layer === undefined || !isAbout) continue;
      counts.verdicts++;
      const principal = name === "permission" ? subjects.key : subjects.account;
      const verdict = layer.verdict(input(principal), input(resource), one.operation, now);
      const told = values.value(allowed);
      // A request does not tell which role represents others.
      if (told === undefined) continue;
      counts.knownVerdicts++;
      note(told, verdict.effect === "allow", () => `${name} ${one.operation}: ${verdict.effect}: ${worded(facts)}`);
    }
    for (const fact of this.world.facts) {
      counts.facts++;
      note(values.value(fact), true, () => `a fact that is none: ${shown(fact).slice(0, 2_000)}: ${worded(facts)}`);
    }
    const all = [...this.world.facts, ...known, ...open];
    const given = unknownsIn(all).flatMap((unknown) => {
      const value = values.value(unknown);
      return value === undefined ? [] : [formulas.same(unknown, constantOf(formulas, unknown.sort, value))];
    });
    return { given, facts: [...this.world.facts], known, open };
  }
}

function constantOf(formulas: Formulas, sort: FormulaSort, value: NonNullable<Value>): Formula {
  if (typeof value === "boolean") return formulas.bool(value);
  if (typeof value === "object") return formulas.real(value);
  const kind = JSON_KINDS.find((one) => sort === "kind" && one === value);
  return kind === undefined ? formulas.text(value) : formulas.kind(kind);
}

/** The plan step that contains a rule. */
export function stepOf({ personal, roles }: Plan, rule: PlannedRule): PlanStep {
  const steps = [...personal, ...roles.flatMap(({ steps }) => steps)];
  const found = steps.find(({ rows }) => rows.some((row) => row.rule === rule));
  if (found === undefined) throw new Error("the rule is in no step");
  return found;
}

export function sourceOf({ model }: PolicySet, layer: Layer): FormulaLayer {
  const { index, version, globals, enforcesSchemas } = layer;
  return { index, model, version, globals, enforcesSchemas, typesOf: (plan) => layer.typesOf(plan) };
}

function timestampOf(date: Date): Timestamp {
  const seconds = Math.floor(date.getTime() / 1_000);
  return new Timestamp(seconds, (date.getTime() - seconds * 1_000) * 1_000_000);
}

function input<T extends { readonly scope?: string | undefined }>(subject: T): T & { readonly scope: string } {
  return { ...subject, scope: subject.scope ?? "" };
}

function shown(formula: Formula): string {
  if (formula.op === "constant") return JSON.stringify(formula.value, (_n, v) => (typeof v === "bigint" ? `${v}` : v));
  if (formula.op === "unknown") return `<${formula.name}>${formula.args.length ? `(${formula.args.map(shown)})` : ""}`;
  return `(${formula.op} ${formula.args.map(shown).join(" ")})`;
}

export function worded(facts: object): string {
  return JSON.stringify(facts, (_name, value: unknown) => (typeof value === "bigint" ? String(value) : value));
}
