/** The recorded uses in the entries of a log, and the facts about their keys. */

import type { JsonObject } from "../../cel/json.js";
import { parseTimestamp } from "../../cel/time.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { CheckEngine } from "../../engine/evaluate/check-engine.js";
import type { CheckInput } from "../../engine/evaluate/check-types.js";
import type { KeyList } from "../../hints/list-search.js";
import { CheckSet, gapsOf, type RecordedAnswer } from "../check-set.js";
import { DecisionSet, type PlannedLink } from "../decision-set.js";
import type { LogEntry, RecordedCheck, RecordedPlan, RecordedPrincipal } from "../log-entry.js";
import type { RecordedDecision, RecordedKey, RecordedRequest } from "../own-record.js";
import { hasPower, type KeyOfPower, withLists } from "./power.js";
import type { AskedUse, UseQuestion } from "./recorded-use.js";

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
  /** True if a key below this one asked: it needs the power of each key above it. */
  readonly isBelow: boolean;
  /** Undefined: it was refused. */
  readonly question: UseQuestion | undefined;
  /** `policy#rule` of each rule that allows it, by the recorded power. */
  rules(): readonly string[];
}

const REFUSED = { isBelow: false, question: undefined, rules: () => [] };

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
      if (effects.get(action) !== ALLOW) return { key, ...REFUSED };
      const asked = (principal: RecordedPrincipal): AskedUse => {
        const made = { ...input, principal, actions: [action] };
        const planned = this.checks.about(made);
        const gaps = this.isComplete ? undefined : gapsOf(made, missing, [planned]);
        const isAllow = (answer: RecordedAnswer) => answer[action] === ALLOW;
        return {
          isLacking: gaps !== undefined,
          whole: () => isAllow(planned.whole()),
          completed: (choose) => isAllow(gaps === undefined ? planned.whole() : planned.completed(gaps, choose)),
        };
      };
      const question = this.questionOf(input.principal, asked);
      return { key, isBelow: false, question, rules: () => this.checks.rules(input, action) };
    });
  }

  /** `asked`: the use by a key with other roles and attributes. */
  private questionOf<P extends KeyOfPower>(recorded: P, asked: (key: P) => AskedUse): UseQuestion {
    const own = asked(recorded);
    return {
      about: (power) => {
        if (power === undefined || hasPower(recorded, this.lists, power)) return own;
        return asked({ ...recorded, roles: power.roles, attr: withLists(recorded.attr, this.lists, power) });
      },
    };
  }

  /** A power keeps a query plan if its filter is the recorded one: filters are not compared otherwise. */
  private ofPlan(plan: RecordedPlan & Pick<CheckInput, "now">): SeenUse {
    const key = this.keyOf(plan.principal);
    if (plan.filter === NO_ROWS) return { key, ...REFUSED };
    const asked = (principal: RecordedPrincipal): AskedUse => {
      const made = { ...plan, principal };
      const { roles, attr } = principal;
      return {
        isLacking: !this.isComplete && this.checks.isLackingForFilter(made),
        whole: () => this.checks.filter(made) === plan.filter,
        completed: (choose) => choose(JSON.stringify(["filter", roles, attr])),
      };
    };
    return { ...REFUSED, key, question: this.questionOf(plan.principal, asked) };
  }

  /** The key and each key above it: a chain allows a request if each link allows it alone. */
  private ofDecision({ request, outcome, reads }: RecordedDecision): readonly SeenUse[] | undefined {
    if (reads === undefined) return undefined;
    const planned = outcome === "allow" ? this.decisions.about(request, reads) : undefined;
    if (outcome === "allow" && planned === undefined) return undefined;
    const keys = [{ key: request.key, recorded: reads.key }, ...reads.ancestors];
    return keys.flatMap((link, at) => (link === undefined ? [] : [this.ofLink(link, at, planned?.links[at])]));
  }

  /** `planned`: undefined if the decision was a refusal. */
  private ofLink({ key, recorded }: RecordedKey, at: number, planned: PlannedLink | undefined): SeenUse {
    const { id, roles } = key;
    const { attr, scope } = recorded;
    const lacks = (name: string) => recorded.lacks(name);
    const seen: SeenKey = { id, scope, policyVersion: "", roles, attr, lacks };
    const isBelow = at > 0;
    if (planned === undefined) return { ...REFUSED, isBelow, key: seen };
    const asked = (holder: RecordedRequest["key"]): AskedUse => {
      const link = holder === key ? planned : planned.withKey(holder, recorded.withAttributes(holder.attr));
      return {
        isLacking: link.isLacking,
        whole: () => link.whole() === "allow",
        completed: (choose) => link.completed(choose) === "allow",
      };
    };
    return { key: seen, isBelow, question: this.questionOf(key, asked), rules: () => planned.rules() };
  }
}
