/**
 * Decides recorded requests again: is the answer still the recorded one?
 *
 * A record may lack attributes that the request had. An attribute is known to have been absent where the server recorded
 * an error that says so. Every other attribute that a policy reads and the record lacks is unknown, unless the caller
 * says that the log is complete. A line is the same or changed only if it is so for every completion of its request.
 */

import type { JsonObject } from "../cel/json.js";
import { parseTimestamp } from "../cel/time.js";
import type { Timestamp } from "../cel/values.js";
import { check, whereOf } from "../engine/evaluate/check.js";
import type { CheckEngine } from "../engine/evaluate/check-engine.js";
import type { CheckInput } from "../engine/evaluate/check-types.js";
import { type NamesRead, namesRead } from "../engine/evaluate/names-read.js";
import { type Choose, OpenChecks, type RecordGaps } from "../engine/evaluate/open-check.js";
import type { Plan } from "../engine/plan/plan.js";
import { locatePolicies } from "../engine/plan/policy-location.js";
import { planQuery } from "../engine/query/plan-query.js";
import { sanitise } from "../policy/names.js";
import { absentNames } from "./absent-names.js";
import { allAnswers } from "./completions.js";
import { type EntryHead, type RecordedCheck, type RecordedPlan, readEntry, type SkipReason } from "./log-entry.js";

/** Effects by action, as the server writes them; the filter of a query plan under {@link PLAN}. */
export interface RecordedAnswer {
  readonly [action: string]: string;
}

/** The name of a plan's filter in an {@link RecordedAnswer}. */
export const PLAN = "filter";

/** The answers before and after a change; the recorded one, and the one of policies that do not reproduce it. */
export interface DifferentAnswer extends Recorded {
  readonly kind: "changed" | "unreproduced";
  readonly before: RecordedAnswer;
  readonly after: RecordedAnswer;
}

interface Undetermined extends Recorded {
  readonly kind: "undetermined";
  readonly reads: readonly string[];
}

export type LineResult =
  | { readonly kind: "same" }
  | DifferentAnswer
  | Undetermined
  | { readonly kind: "skipped"; readonly reason: SkipReason };

export interface ReplayedLine extends EntryHead {
  readonly result: LineResult;
}

interface Recorded {
  /** The recorded input. */
  readonly request: JsonObject;
}

/** One set, asked about one input. */
interface PlannedInput {
  /** The attributes that decide, by action. */
  readonly reads: readonly NamesRead[];
  /** The answer to a request that is known whole. */
  whole(): RecordedAnswer;
  /** The answer for one combination of answers about the gaps. */
  completed(gaps: RecordGaps, choose: Choose): RecordedAnswer;
}

/** Schemas may refuse an attribute of any name. */
const ANY_NAMES: NamesRead = { principal: undefined, resource: undefined };

/** The plans for an input, by action. */
function plansOf(
  { policies, options }: CheckEngine,
  input: Pick<CheckInput, "principal" | "actions"> & { readonly resource: Omit<CheckInput["resource"], "id"> },
): readonly Plan[] {
  const plans = policies.plans.at(locatePolicies(policies.index, whereOf(input, options), options));
  const { principal, resource, actions } = input;
  const kind = sanitise(resource.kind);
  return actions.map((action) => plans.find(principal.id, kind, action, principal.roles));
}

/** One policy set. */
class ReplaySet {
  readonly engine: CheckEngine;
  private readonly open: OpenChecks;

  constructor(engine: CheckEngine) {
    this.engine = engine;
    this.open = new OpenChecks(engine.policies, engine.options);
  }

  /** The set and its plans for an input. */
  about(input: CheckInput): PlannedInput {
    const { policies, options } = this.engine;
    const plans = plansOf(this.engine, input);
    return {
      reads: this.open.isEnforcing ? [ANY_NAMES] : plans.map(namesOf),
      whole: () => {
        const { actions } = check(policies, input, options);
        return answerOf([...actions].map(([action, { effect }]) => [action, effect]));
      },
      completed: (gaps, choose) =>
        answerOf(
          plans.map((plan, i) => [input.actions[i] ?? "", this.open.effect(plan, input, gaps, choose)] as const),
        ),
    };
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

export interface ReplayOptions {
  /** The set that a change is made to: lines that it does not answer as recorded are `unreproduced`. */
  readonly old?: CheckEngine;
  /** True if the log has every attribute of its requests. Default: false. */
  readonly isComplete?: boolean;
}

/** Replays the lines of a log on `now`. */
export class Replay {
  private readonly now: ReplaySet;
  private readonly old: ReplaySet | undefined;
  private readonly isComplete: boolean;

  constructor(now: CheckEngine, { old, isComplete = false }: ReplayOptions = {}) {
    this.now = new ReplaySet(now);
    this.old = old && new ReplaySet(old);
    this.isComplete = isComplete;
  }

  /** The result of a line. Never throws. */
  line(text: string): ReplayedLine {
    const entry = readEntry(text);
    const { id, time } = entry;
    if (entry.kind === "skipped") return { id, time, result: { kind: "skipped", reason: entry.reason } };
    const now = time === undefined ? undefined : parseTimestamp(time);
    const results =
      entry.kind === "plan" ? [this.plan(entry.plan, now)] : entry.checks.map((one) => this.check(one, now));
    return { id, time, result: worstOf(results) };
  }

  private check(
    { input: recorded, effects, missing, request }: RecordedCheck,
    time: Timestamp | undefined,
  ): LineResult {
    const input: CheckInput = { ...recorded, now: time };
    const before = Object.fromEntries(input.actions.map((action) => [action, effects.get(action) ?? ""]));
    const now = this.now.about(input);
    const old = this.old?.about(input);
    const gaps = this.gapsOf(input, missing, old === undefined ? [now] : [now, old]);
    const { results, questions } =
      gaps === undefined
        ? { results: [{ old: old?.whole(), now: now.whole() }], questions: [] }
        : allAnswers((choose) => ({
            old: old?.completed(gaps, choose),
            now: now.completed(gaps, choose),
          }));
    if (results === undefined) return { kind: "undetermined", reads: namesIn(questions), request };
    const possible = results.filter(({ old }) => old === undefined || areEqual(old, before));
    const [first] = possible;
    if (first === undefined) return { kind: "unreproduced", before, after: results[0]?.old ?? {}, request };
    const changed = possible.filter(({ now: after }) => !areEqual(after, before));
    if (changed.length === 0) return { kind: "same" };
    if (changed.length < possible.length) return { kind: "undetermined", reads: namesIn(questions), request };
    return { kind: "changed", before, after: changed[0]?.now ?? {}, request };
  }

  /** Undefined if the record lacks nothing that the rules read. */
  private gapsOf(
    input: CheckInput,
    missing: RecordedCheck["missing"],
    sets: readonly PlannedInput[],
  ): RecordGaps | undefined {
    if (this.isComplete) return undefined;
    const parts = { principal: input.principal.attr, resource: input.resource.attr };
    const absent = absentNames(parts, missing);
    const lacks: RecordGaps["lacks"] = (owner, name) =>
      name === undefined || !(Object.hasOwn(parts[owner], name) || absent[owner].has(name));
    const isLacking = sets
      .flatMap(({ reads }) => reads)
      .some((names) => OWNERS.some((owner) => names[owner]?.some((name) => lacks(owner, name)) ?? true));
    return isLacking ? { lacks, erred: new Set(missing.map(({ expression }) => expression)) } : undefined;
  }

  private plan(
    { principal, resource, actions, jwt, filter, request }: RecordedPlan,
    now: Timestamp | undefined,
  ): LineResult {
    const input = { principal, resource, actions, jwt, now };
    const text = ({ engine }: ReplaySet): string => {
      const plan = planQuery(engine.policies, input, engine.options);
      return "fault" in plan ? plan.fault : plan.text;
    };
    const before = { [PLAN]: filter };
    const old = this.old === undefined ? filter : text(this.old);
    const after = text(this.now);
    const engines = this.old === undefined ? [this.now.engine] : [this.now.engine, this.old.engine];
    const isLacking = engines
      .flatMap((engine) => plansOf(engine, input).map(namesOf))
      .some(({ principal: names }) => names?.some((name) => !Object.hasOwn(principal.attr, name)) ?? true);
    if (isLacking && !this.isComplete) return { kind: "undetermined", reads: ["principal"], request };
    if (old !== filter) return { kind: "unreproduced", before, after: { [PLAN]: old }, request };
    return after === filter ? { kind: "same" } : { kind: "changed", before, after: { [PLAN]: after }, request };
  }
}

const OWNERS = ["principal", "resource"] as const;

const ORDER = ["unreproduced", "changed", "undetermined", "skipped", "same"] as const;

/** The result of a line with several resources. */
function worstOf(results: readonly LineResult[]): LineResult {
  const found = ORDER.flatMap((kind) => results.find((one) => one.kind === kind) ?? [])[0];
  return found ?? { kind: "same" };
}

function areEqual(a: RecordedAnswer, b: RecordedAnswer): boolean {
  return Object.keys(b).every((action) => a[action] === b[action]);
}

/** The attributes that the questions are about. */
function namesIn(questions: readonly string[]): readonly string[] {
  const names = questions.flatMap((question) => {
    const asked: unknown = JSON.parse(question);
    const [owner, name] = Array.isArray(asked) ? asked : [];
    return owner === "principal" || owner === "resource" ? `${owner}.attr.${String(name)}` : [];
  });
  return names.length === 0 ? ["attributes as a whole"] : names;
}
