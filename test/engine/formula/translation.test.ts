/**
 * Formulas say of a request what evaluation says of it, or nothing. For generated policies of the whole language: each
 * expression, each layer as a whole; and each fact holds of every request.
 *
 * @module-tag long
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { compile, Slots } from "../../../src/cel/compile.js";
import type { Result } from "../../../src/cel/evaluation.js";
import { nanosOf } from "../../../src/cel/functions/operators.js";
import { Timestamp } from "../../../src/cel/values.js";
import { Activation } from "../../../src/engine/evaluate/activation.js";
import { compileDefinitions } from "../../../src/engine/evaluate/definitions.js";
import type { Layer } from "../../../src/engine/evaluate/layer.js";
import { type Formula, type Formulas, KINDS, type Sort, unknownsIn } from "../../../src/engine/formula/formula.js";
import {
  type LayerPolicies,
  PlanFormulas,
  type Question,
  type RoleClass,
  roleClassesOf,
} from "../../../src/engine/formula/plans.js";
import type { Term } from "../../../src/engine/formula/terms.js";
import { World } from "../../../src/engine/formula/world.js";
import { makePlan } from "../../../src/engine/plan/make-plan.js";
import type { Plan } from "../../../src/engine/plan/plan.js";
import type { PolicySet } from "../../../src/index.js";
import type { Definitions, Expression } from "../../../src/policy/model.js";
import { sanitise } from "../../../src/policy/names.js";
import { expressionsOfCondition } from "../../../src/policy/walk.js";
import { findSolver } from "../../../src/solver/solver.js";
import { type PlainRequest, type Profile, policySet, request } from "../../property/arbitraries/index.js";
import { FormulaValues, type Value } from "../../reference/formula-value.js";
import { compiledDocuments } from "../../support/policies.js";
import { SEED, say } from "../../support/seed.js";
import { IS_WHOLE, sized } from "../../support/size.js";
import { Forms } from "./forms.js";

const SETS = sized(250, 15);
const REQUESTS = 40;
/** Of each set, so many operations are asked about. */
const QUESTIONS = 4;
const PROFILES: readonly Profile[] = ["any", "whole", "optionals", "typed"];

const LAYERS = [
  ["permission", "key"],
  ["platform", "account"],
] as const;

test("formulas say what evaluation says, or nothing", () => {
  const wrong: string[] = [];
  const counts = newCounts();
  const cases = fc
    .constantFrom(...PROFILES)
    .chain((profile) => policySet({ profile }))
    .chain((documents) =>
      fc.tuple(fc.constant(documents), fc.array(request(documents), { minLength: REQUESTS, maxLength: REQUESTS })),
    );
  fc.assert(
    fc.property(cases, ([documents, requests]) => {
      const policies = compiledDocuments(documents);
      const roles = roleClassesOf([policies]);
      if (roles === undefined) throw new Error("too many roles");
      for (const question of questionsOf(requests).slice(0, QUESTIONS)) {
        const asked = new Asked(policies, roles, [question], true);
        for (const one of requests) asked.check(one, counts, wrong);
      }
    }),
    { numRuns: SETS, endOnFailure: true },
  );
  expect(wrong.slice(0, 8)).toEqual([]);
  const share = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;
  say(
    `formulas: ${counts.pairs} expressions, ${share(counts.known, counts.pairs)} known; ${counts.verdicts} verdicts, ` +
      `${share(counts.knownVerdicts, counts.verdicts)} known; ${counts.facts} facts`,
  );
  say(`expressions, by outcome, and forms by pairs, known and erring: ${counts.forms}`);
  expect(counts.pairs).toBeGreaterThan(sized(100_000, 6_000));
  expect(counts.known / counts.pairs).toBeGreaterThan(0.5);
  expect(counts.knownVerdicts / counts.verdicts).toBeGreaterThan(0.6);
}, 1_200_000);

test("a solver says what evaluation says of a request, or does not know", async () => {
  // What takes longer is mostly what stands for elements of lists, of which nothing is given.
  const solver = findSolver({ timeLimit: 300 });
  if (solver === undefined) throw new Error("there is no solver");
  const wrong: string[] = [];
  const counts = newCounts();
  // By all facts together; by what the request alone says; and what the facts leave open.
  const said = { same: 0, possible: 0, unknown: 0, asked: 0 };
  const wanted = sized(100_000, 1_600);
  const cases = fc
    .constantFrom(...PROFILES)
    .chain((profile) => policySet({ profile }))
    .chain((documents) =>
      fc.tuple(fc.constant(documents), fc.array(request(documents), { minLength: REQUESTS, maxLength: REQUESTS })),
    );
  for (let n = 0; said.same + said.possible + said.unknown < wanted && wrong.length === 0; n++) {
    const [[documents, requests] = [[], []]] = fc.sample(cases, { numRuns: 1, seed: SEED + n });
    const policies = compiledDocuments(documents);
    const roles = roleClassesOf([policies]) ?? [];
    const asked = new Asked(policies, roles, questionsOf(requests), false);
    let unanswered = 0;
    for (const one of requests.slice(0, sized(REQUESTS, 8))) {
      const { given, facts, known, open } = asked.check(one, counts, wrong);
      if (known.length + open.length === 0) continue;
      said.asked++;
      // That all is so together, with all that formulas take for granted, is one question. Where it is not answered of
      // several requests, it is not of the others.
      if (unanswered < 3) {
        const whole = await solver.ask({ holds: [...given, ...facts, ...known, ...open], wanted: [], texts: "whole" });
        if (whole.kind === "unsatisfiable") wrong.push(`the solver excludes ${worded(one)}`);
        if (whole.kind === "satisfiable") {
          said.same += known.length;
          said.possible += open.length;
          continue;
        }
        unanswered++;
      }
      const alone = await solver.ask({ holds: [...given, ...known], wanted: [], texts: "whole" });
      if (alone.kind === "unsatisfiable") wrong.push(`the solver takes otherwise ${worded(one)}`);
      said[alone.kind === "satisfiable" ? "same" : "unknown"] += known.length;
      said.unknown += open.length;
    }
    if (IS_WHOLE && n % 10 === 9) say(`after ${n + 1} sets: ${JSON.stringify(said)}`);
  }
  solver.close();
  say(`expressions of requests, by the solver: ${JSON.stringify(said)}; ${counts.forms}`);
  expect(wrong.slice(0, 8)).toEqual([]);
  for (const outcome of ["true", "false", "error"] as const) {
    expect(counts.forms.outcome(outcome), outcome).toBeGreaterThan(wanted / 100);
  }
  expect(said.same).toBeGreaterThan(wanted / 3);
  expect(said.unknown).toBeLessThan(wanted / 3);
}, 7_200_000);

interface Counts {
  pairs: number;
  known: number;
  verdicts: number;
  knownVerdicts: number;
  facts: number;
  readonly forms: Forms;
}

function newCounts(): Counts {
  return { pairs: 0, known: 0, verdicts: 0, knownVerdicts: 0, facts: 0, forms: new Forms() };
}

/** A request, and what evaluation says of expressions, as formulas that hold together. */
interface Together {
  /** What stands for the request. */
  readonly given: readonly Formula[];
  /** What formulas take for granted of any. */
  readonly facts: readonly Formula[];
  /** What an expression comes to: those of which the request alone says it, and those that depend on more. */
  readonly known: readonly Formula[];
  readonly open: readonly Formula[];
}

/** What some requests ask, each once. */
function questionsOf(requests: readonly PlainRequest[]): readonly Question[] {
  const questions = requests.map(({ resource, operation }) => ({ kind: sanitise(resource.kind), action: operation }));
  return [...new Map(questions.map((one) => [JSON.stringify(one), one] as const)).values()];
}

type Code = ReturnType<typeof compile>;

/** One question, as formulas. */
class Asked {
  private readonly policies: PolicySet;
  private readonly world = new World();
  private readonly plans: PlanFormulas;
  private readonly roles: readonly RoleClass[];
  private readonly allowed: {
    readonly question: Question;
    readonly name: "permission" | "platform";
    readonly allowed: Formula;
  }[] = [];
  private readonly codes = new Map<Expression["expr"], Code>();
  private readonly expressions: {
    readonly layer: Layer;
    readonly plan: Plan;
    readonly expression: Expression;
    readonly definitions: Definitions;
    readonly term: Term;
  }[] = [];

  /** `whole`: when layers allow is asked, too. */
  constructor(policies: PolicySet, roles: readonly RoleClass[], questions: readonly Question[], whole: boolean) {
    this.policies = policies;
    this.roles = roles;
    this.plans = new PlanFormulas(this.world, roles);
    for (const question of questions) {
      for (const [name, principal] of LAYERS) this.take(question, name, principal, whole);
    }
    this.plans.close();
  }

  private take(
    question: Question,
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
    const reading = { ...this.plans.reading(plan, source, principal) };
    const known = new Set(this.expressions.map(({ expression }) => expression));
    for (const { condition, definitions } of plan.rules) {
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
  ): Result {
    const code =
      this.codes.get(expr) ??
      compile(expr, compileDefinitions(layer.equipment.functions, definitions, new Slots(), "", "error"));
    this.codes.set(expr, code);
    const activation = new Activation();
    activation.begin(input(principal), input(resource), now, layer.globals, layer.typesOf(plan));
    return code(activation);
  }

  /** Notes what formulas say otherwise than evaluation. */
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
    // Where several roles stand for others, a request does not say which.
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
      // Which role stands for others is not the request's to say.
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

function constantOf(formulas: Formulas, sort: Sort, value: NonNullable<Value>): Formula {
  if (typeof value === "boolean") return formulas.bool(value);
  if (typeof value === "object") return formulas.real(value);
  const kind = KINDS.find((one) => sort === "kind" && one === value);
  return kind === undefined ? formulas.text(value) : formulas.kind(kind);
}

function sourceOf({ model }: PolicySet, layer: Layer): LayerPolicies {
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

function worded(facts: object): string {
  return JSON.stringify(facts, (_name, value: unknown) => (typeof value === "bigint" ? String(value) : value));
}
