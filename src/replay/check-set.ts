/** One policy set that answers recorded checks and query plans again, as the server does. */

import { check, whereOf } from "../engine/evaluate/check.js";
import type { CheckEngine } from "../engine/evaluate/check-engine.js";
import type { CheckInput } from "../engine/evaluate/check-types.js";
import { sourceOf } from "../engine/evaluate/examination.js";
import { ANY_NAMES, type NamesRead, namesRead } from "../engine/evaluate/names-read.js";
import { type Choose, lacksReads, OpenChecks, type RecordGaps } from "../engine/evaluate/open-check.js";
import { activationOf } from "../engine/evaluate/session.js";
import type { Plan } from "../engine/plan/plan.js";
import { locatePolicies } from "../engine/plan/policy-location.js";
import { planQuery } from "../engine/query/plan-query.js";
import { sanitise } from "../policy/names.js";
import { absentNames } from "./absent-names.js";
import type { RecordedCheck } from "./log-entry.js";

/**
 * Effects by action, as the server writes them; the filter of a query plan under {@link PLAN}; the outcome of a decision
 * record by its operation.
 */
export interface RecordedAnswer {
  readonly [action: string]: string;
}

/** One set, asked about one input. */
export interface PlannedInput {
  /** The attributes that decide, by action. */
  readonly reads: readonly NamesRead[];
  /** The answer to a request that is known whole. */
  whole(): RecordedAnswer;
  /** The answer for one combination of answers about the gaps. */
  completed(gaps: RecordGaps, choose: Choose): RecordedAnswer;
}

/** The part of an input that determines its plans. */
type PlannedPart = Pick<CheckInput, "principal" | "actions"> & {
  readonly resource: Omit<CheckInput["resource"], "id">;
};

/** The plans for an input, by action. */
function plansOf({ policies, options }: CheckEngine, input: PlannedPart): readonly Plan[] {
  const plans = policies.plans.at(locatePolicies(policies.index, whereOf(input, options), options));
  const { principal, resource, actions } = input;
  const kind = sanitise(resource.kind);
  return actions.map((action) => plans.find(principal.id, kind, action, principal.roles));
}

type PlanInput = Parameters<typeof planQuery>[1];

/** One policy set. */
export class CheckSet {
  readonly engine: CheckEngine;
  private readonly open: OpenChecks;

  constructor(engine: CheckEngine) {
    this.engine = engine;
    const isEnforcing = engine.options.schemaEnforcement === "reject";
    this.open = new OpenChecks(engine.policies.closures, { isEnforcing, isWhole: false, typing: "" });
  }

  /** The set and its plans for an input. */
  about(input: CheckInput): PlannedInput {
    const { policies, options } = this.engine;
    const plans = plansOf(this.engine, input);
    const begin = () => activationOf(input, options.globals);
    return {
      // Schemas may refuse an attribute of any name.
      reads: this.open.options.isEnforcing ? [ANY_NAMES] : plans.map(namesOf),
      whole: () => {
        const { actions } = check(policies, input, options);
        return answerOf([...actions].map(([action, { effect }]) => [action, effect]));
      },
      completed: (gaps, choose) =>
        answerOf(
          plans.map((plan, i) => [input.actions[i] ?? "", this.open.effect(plan, begin, gaps, choose)] as const),
        ),
    };
  }

  /** `policy#rule` of each rule that decides about an action. */
  rules(input: CheckInput, action: string): readonly string[] {
    const { policies, options } = this.engine;
    return [...(check(policies, input, options).actions.get(action)?.rules ?? [])].map(sourceOf);
  }

  /** True if the rules about an input read the clock. */
  readsClock(input: PlannedPart): boolean {
    return plansOf(this.engine, input).some((plan) => namesOf(plan).clock);
  }

  /** The filter of a query plan, as a text. */
  filter(input: PlanInput): string {
    const { policies, options } = this.engine;
    const plan = planQuery(policies, input, options);
    return "fault" in plan ? plan.fault : plan.text;
  }

  /** True if the record lacks an attribute of the principal that the rules may read. */
  isLackingForFilter(input: PlanInput): boolean {
    const { attr } = input.principal;
    return plansOf(this.engine, input)
      .map(namesOf)
      .some(({ principal: names }) => names?.some((name) => !Object.hasOwn(attr, name)) ?? true);
  }
}

const NAMES = new WeakMap<Plan, NamesRead>();

function namesOf(plan: Plan): NamesRead {
  const known = NAMES.get(plan) ?? namesRead(plan);
  NAMES.set(plan, known);
  return known;
}

function answerOf(effects: readonly (readonly [action: string, effect: "allow" | "deny"])[]): RecordedAnswer {
  return Object.fromEntries(effects.map(([action, effect]) => [action, EFFECTS[effect]]));
}

const EFFECTS = { allow: "EFFECT_ALLOW", deny: "EFFECT_DENY" } as const;

/** Undefined if the record lacks nothing that the rules of these sets read. */
export function gapsOf(
  { principal, resource }: Pick<CheckInput, "principal" | "resource">,
  missing: RecordedCheck["missing"],
  sets: readonly PlannedInput[],
): RecordGaps | undefined {
  const parts = { principal: principal.attr, resource: resource.attr };
  const absent = absentNames(parts, missing);
  const lacks: RecordGaps["lacks"] = (owner, name) =>
    name === undefined || !(Object.hasOwn(parts[owner], name) || absent[owner].has(name));
  const isLacking = sets.flatMap(({ reads }) => reads).some((reads) => lacksReads(reads, { lacks }));
  return isLacking ? { lacks, erred: new Set(missing.map(({ expression }) => expression)) } : undefined;
}
