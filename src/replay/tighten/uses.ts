/** The recorded uses in the entries of a log, and the facts about their keys. */

import type { JsonObject } from "../../cel/json.js";
import { parseTimestamp } from "../../cel/time.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { CheckEngine } from "../../engine/evaluate/check-engine.js";
import type { CheckInput } from "../../engine/evaluate/check-types.js";
import type { KeyList } from "../../hints/list-search.js";
import { CheckSet, gapsOf, type PlannedInput } from "../check-set.js";
import { DecisionSet, type PlannedDecision } from "../decision-set.js";
import type { LogEntry, RecordedCheck, RecordedPlan, RecordedPrincipal } from "../log-entry.js";
import type { RecordedDecision, RecordedPart } from "../own-record.js";
import { type KeyPower, withLists } from "./power.js";
import type { UseQuestion } from "./recorded-use.js";

/** A key, as one entry has it. */
export interface SeenKey {
  readonly id: string;
  readonly scope: string;
  readonly policyVersion: string;
  readonly roles: readonly string[];
  readonly attr: JsonObject;
  /** True if the record does not tell an attribute of the key. */
  lacks(name: string): boolean;
}

/** A use of a key, or a refusal of one. */
export interface SeenUse {
  readonly key: SeenKey;
  /** Undefined: it was refused. */
  readonly question: UseQuestion | undefined;
  /** `policy#rule` of each rule that allows it, by the recorded power. */
  rules(): readonly string[];
}

const NO_RULES = () => [];

const ALLOW = "EFFECT_ALLOW";

/** Filters of query plans that give no row. */
const NO_ROWS = "(false)";

export class UseReader {
  private readonly checks: CheckSet;
  private readonly decisions: DecisionSet;
  private readonly lists: readonly KeyList[];
  private readonly isComplete: boolean;

  constructor(engine: CheckEngine, policies: PolicySet, lists: readonly KeyList[], isComplete: boolean) {
    this.checks = new CheckSet(engine);
    this.decisions = new DecisionSet(policies);
    this.lists = lists;
    this.isComplete = isComplete;
  }

  /** Undefined: a decision record has no attributes. */
  usesIn(entry: Exclude<LogEntry, { kind: "skipped" }>): readonly SeenUse[] | undefined {
    if (entry.kind === "decision") return this.ofDecision(entry.decision);
    const now = entry.time === undefined ? undefined : parseTimestamp(entry.time);
    if (entry.kind === "plan") return [this.ofPlan({ ...entry.plan, now })];
    return entry.checks.flatMap((one) => this.ofCheck(one, { ...one.input, now }));
  }

  private keyOf({ id, scope, policyVersion, roles, attr }: RecordedPrincipal): SeenKey {
    const lacks = (name: string) => !(this.isComplete || Object.hasOwn(attr, name));
    return { id, scope, policyVersion, roles, attr, lacks };
  }

  private ofCheck({ effects, missing }: RecordedCheck, input: CheckInput & RecordedCheck["input"]): readonly SeenUse[] {
    const key = this.keyOf(input.principal);
    return input.actions.map((action) => {
      if (effects.get(action) !== ALLOW) return { key, question: undefined, rules: NO_RULES };
      const asked = (power: KeyPower | undefined): PlannedInput & { readonly input: CheckInput } => {
        const principal = power === undefined ? input.principal : this.withPower(input.principal, power);
        const made = { ...input, principal, actions: [action] };
        return { ...this.checks.about(made), input: made };
      };
      const gaps = (one: PlannedInput & { readonly input: CheckInput }) =>
        this.isComplete ? undefined : gapsOf(one.input, missing, [one]);
      return {
        key,
        rules: () => this.checks.rules(input, action),
        question: {
          isLacking: (power) => gaps(asked(power)) !== undefined,
          whole: (power) => asked(power).whole()[action] === ALLOW,
          completed: (power, choose) => {
            const one = asked(power);
            const found = gaps(one);
            return (found === undefined ? one.whole() : one.completed(found, choose))[action] === ALLOW;
          },
        },
      };
    });
  }

  private withPower<P extends { readonly attr: JsonObject }>(principal: P, power: KeyPower): P {
    return { ...principal, roles: power.roles, attr: withLists(principal.attr, this.lists, power) };
  }

  /** A power keeps a query plan if its filter is the recorded one: filters are not compared otherwise. */
  private ofPlan(plan: RecordedPlan & Pick<CheckInput, "now">): SeenUse {
    const key = this.keyOf(plan.principal);
    if (plan.filter === NO_ROWS) return { key, question: undefined, rules: NO_RULES };
    const asked = (power: KeyPower | undefined) =>
      power === undefined ? plan : { ...plan, principal: this.withPower(plan.principal, power) };
    const whole = (power: KeyPower | undefined) => this.checks.filter(asked(power)) === plan.filter;
    return {
      key,
      rules: NO_RULES,
      question: {
        isLacking: (power) => !this.isComplete && this.checks.isLackingForFilter(asked(power)),
        whole,
        completed: (power, choose) => choose(JSON.stringify(["filter", power?.roles, [...(power?.lists ?? [])]])),
      },
    };
  }

  private ofDecision({ request, outcome, reads }: RecordedDecision): readonly SeenUse[] | undefined {
    if (reads === undefined) return undefined;
    const { id, roles } = request.key;
    const { attr, scope } = reads.key;
    const lacks = (name: string) => reads.key.lacks(name);
    const key: SeenKey = { id, scope, policyVersion: "", roles, attr, lacks };
    if (outcome !== "allow") return [{ key, question: undefined, rules: NO_RULES }];
    const asked = (power: KeyPower | undefined): PlannedDecision | undefined => {
      if (power === undefined) return this.decisions.about(request, reads);
      const part: RecordedPart = reads.key.withAttributes(withLists(attr, this.lists, power));
      const holder = { ...request.key, roles: power.roles, attr: part.attr };
      return this.decisions.about({ ...request, key: holder }, { ...reads, key: part });
    };
    if (asked(undefined) === undefined) return undefined;
    const isAllow = (made: string | undefined) => made === "allow";
    return [
      {
        key,
        rules: () => asked(undefined)?.rules() ?? [],
        question: {
          isLacking: (power) => asked(power)?.isLacking === true,
          whole: (power) => isAllow(asked(power)?.whole()),
          completed: (power, choose) => isAllow(asked(power)?.completed(choose)),
        },
      },
    ];
  }
}
