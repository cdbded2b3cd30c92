/**
 * One plan of a layer, compiled: evaluates its conditions, and caches the verdict of each set of conditions that held.
 *
 * INVARIANT (a set says all): if every condition of a plan is evaluated and none errs, the set of conditions that hold
 * determines the walk. The walk determines the verdict, except for outputs with values of the request. The set includes
 * conditions that the walk does not reach. If one condition errs there is no set, and the walk evaluates the conditions
 * that it reaches.
 *
 * Closures decide the first requests. A plan that stays in use gets generated functions, which find the set. Closures then
 * read copies with the values that the functions read (the invariant "read once" of `frame/copies.ts`).
 */

import type { JsonMap, Timestamp } from "../../cel/values.js";
import { STEP_BUDGET } from "../../limits.js";
import {
  type ClosureReads,
  copiedPrincipal,
  copiedResource,
  type FrameSlots,
  type PrincipalFrame,
  type ResourceFrame,
} from "../frame/frame.js";
import { readNames } from "../frame/layout.js";
import { NO_SET, type PrincipalReader, WORD } from "../generate/written.js";
import type { Conditional, Plan } from "../plan/plan.js";
import type { DeclaredAttributeTypes, PrincipalInput, ResourceInput } from "../plan/subjects.js";
import type { LayerVerdict } from "../plan/verdict.js";
import { Activation } from "./activation.js";
import { bitSetOf, isIn } from "./bit-sets.js";
import type { Closures } from "./closures.js";
import type { ConditionCode } from "./condition.js";
import { conditionsOf, type PlannedCondition } from "./conditions.js";
import type { FunctionHolder, FunctionRequest, FunctionSource, HeldFunctions } from "./equipment.js";
import { type NamesRead, namesRead } from "./names-read.js";
import { isLiteral, outputsOf, type PlannedOutput } from "./outputs.js";
import {
  completeOutputs,
  completeOutputsFrom,
  evaluatePlan,
  evaluateWithClosures,
  isConstant,
  type VerdictDraft,
} from "./strict-verdict.js";
import { RecentWords, VerdictCache } from "./verdict-cache.js";
import { freezeVerdict, NONE, unreadableVerdict } from "./verdicts.js";

/** Whether a condition holds, by its number; undefined: the generated function did not evaluate it. */
type ConditionHolds = (condition: number) => boolean | undefined;

/** The verdict of a layer on one request. */
export interface LayerJudgement {
  readonly verdict: LayerVerdict;
  /** The number of the set of conditions that determines the verdict; negative: the verdict is for this request alone. */
  readonly number: number;
}

/** A cached set of conditions. */
interface KnownSet extends VerdictDraft, LayerJudgement {}

function forOne(verdict: LayerVerdict): LayerJudgement {
  return judgement(verdict, NONE, -1);
}

/** Makes all of these objects, so that V8 sees one shape. */
function judgement(verdict: LayerVerdict, pending: VerdictDraft["pending"], number: number): KnownSet {
  return { verdict, pending, number };
}

/** The attributes of the resource that closures read: those of both layers. */
interface HasReading {
  readonly reading: ClosureReads;
}

type Enforce = (
  verdict: LayerVerdict,
  principal: PrincipalInput,
  resource: ResourceInput,
  action: string,
) => LayerVerdict;

/** The settings of a layer that its plans use. */
export interface PlanContext {
  readonly closures: Closures;
  readonly defaultReason: string;
  readonly globals: JsonMap;
  /** The declared types of the attributes that a plan reads. */
  typesOf(plan: Plan): DeclaredAttributeTypes;
  /** Undefined where closures decide. */
  readonly source: FunctionSource | undefined;
  /** The verdict, or a denial where the schemas refuse the attributes. Undefined: schemas are not enforced. */
  readonly enforced: Enforce | undefined;
}

/**
 * Steps that closures must leave if a generated function evaluated the other conditions. It is the most that those may
 * cost, by the invariant "budget of generated code". With fewer left, closures alone could have exhausted the budget.
 */
const RESERVE = STEP_BUDGET / 2;

/** Shared by all evaluations, by the invariant "one evaluation at a time". */
const activation = new Activation();

export class CompiledPlan implements FunctionHolder {
  readonly plan: Plan;
  readonly context: PlanContext;
  readonly conditions: readonly PlannedCondition[];
  /** The outputs of the plan; none if all are the same for every request. */
  readonly outputs: readonly PlannedOutput[];
  readonly action: string;
  /** The generated functions, while they are in use. */
  functions: HeldFunctions | undefined = undefined;
  private readonly types: DeclaredAttributeTypes;
  private readonly wordCount: number;
  private left: ReadonlySet<number> = new Set();
  /** Requests before functions are generated. It doubles each time they are evicted. */
  private warmUp: number;
  private waits: number;
  /** The judgement of a plan without conditions and outputs. */
  private readonly constant: LayerJudgement | undefined;
  /** The closures of the conditions, made at their first use. */
  private checks: readonly ConditionCode[] | undefined = undefined;
  private names: NamesRead | undefined = undefined;
  private read: ClosureReads | undefined = undefined;
  private readonly known = new VerdictCache<KnownSet>();
  /** Judgements of sets of one word, while the functions evaluate all conditions. */
  private recent = new RecentWords<LayerJudgement>();
  private count = 0;

  constructor(plan: Plan, action: string, context: PlanContext) {
    this.plan = plan;
    this.action = action;
    this.context = context;
    this.conditions = conditionsOf(plan);
    const outputs = outputsOf(plan);
    this.outputs = outputs.every(isLiteral) ? NONE : outputs;
    this.types = context.typesOf(plan);
    this.wordCount = Math.max(1, Math.ceil(this.conditions.length / WORD));
    this.warmUp = Math.max(1, context.source?.warmUp ?? 1);
    this.waits = this.warmUp;
    this.constant = this.isSteady && context.closures.observer === undefined ? this.draft([0]) : undefined;
  }

  /** Whether the judgement is the same for every request. */
  get isSteady(): boolean {
    return this.conditions.length === 0 && this.outputs.length === 0;
  }

  /** The source of the generated functions. */
  get wanted(): FunctionRequest {
    const { conditions, outputs, types, plan } = this;
    return { conditions, outputs, schemas: plan.schemas, types };
  }

  /** The attributes that closures may read. */
  get reads(): NamesRead {
    this.names ??= namesRead(this.plan);
    return this.names;
  }

  /** The function that reads a principal into its frame; undefined where closures decide. */
  principalReader(): PrincipalReader | undefined {
    // Generated before the closures decide, so that the functions of a bundle decide from the first request on.
    if (this.functions === undefined && this.waits > 0 && --this.waits === 0) this.generate();
    return this.functions?.read;
  }

  /** Reads a principal into its frame, if the plan has functions. May run getters of the request. */
  readPrincipal(frame: PrincipalFrame): void {
    const reader = this.principalReader();
    if (reader === undefined) return;
    try {
      reader(frame, frame.attr);
    } catch {
      // A getter throws. The frame stays unread, and closures read the values that can be read.
    }
  }

  /** The attributes of a principal that closures read, and the slots with their values. */
  get principalReading(): ClosureReads {
    this.read ??= { names: this.reads.principal, known: readNames([this.functions?.principal ?? []]) };
    return this.read;
  }

  /**
   * Judges frames that were read for this plan. `view`: the slots of the resource, 0 for `first` and 1 for `second`. Never
   * throws: a condition that cannot be evaluated denies.
   */
  judge(
    principal: PrincipalFrame,
    resource: ResourceFrame,
    view: 0 | 1,
    pair: HasReading,
    now: Timestamp | undefined,
  ): LayerJudgement {
    const { enforced } = this.context;
    const found = this.constant ?? this.judged(principal, resource, view, pair, now);
    return enforced === undefined ? found : forOne(enforced(found.verdict, principal, resource, this.action));
  }

  private judged(
    principal: PrincipalFrame,
    resource: ResourceFrame,
    view: 0 | 1,
    pair: HasReading,
    now: Timestamp | undefined,
  ): LayerJudgement {
    const found = this.foundOn(principal, resource, view === 0 ? resource.first : resource.second, now);
    const known = typeof found === "number" ? this.recent.get(found) : undefined;
    return known ?? this.judgedBy(found, principal, resource, pair, now);
  }

  /** The judgement for the result of the judge: a set of conditions, or no set where closures have to judge. */
  private judgedBy(
    found: unknown,
    principal: PrincipalFrame,
    resource: ResourceFrame,
    pair: HasReading,
    now: Timestamp | undefined,
  ): LayerJudgement {
    const words =
      typeof found === "number" ? (found === NO_SET ? undefined : [found]) : areWords(found, this.wordCount);
    const draft = words !== undefined && this.left.size === 0 ? this.draft(words) : undefined;
    if (draft !== undefined) {
      if (draft.pending.length === 0) {
        if (typeof found === "number") this.recent.set(found, draft);
        return draft;
      }
      const whole = isList(found) ? completeOutputsFrom(draft, this.action, found, this.wordCount) : undefined;
      if (whole !== undefined) return forOne(whole);
    }
    const key = copiedPrincipal(principal, this.principalReading);
    const row = copiedResource(resource, pair.reading);
    if (key === undefined || row === undefined) return forOne(unreadableVerdict());
    const held: ConditionHolds | undefined =
      words && ((condition) => (this.left.has(condition) ? undefined : isIn(words, condition)));
    return this.byClosures(key, row, now, draft, held);
  }

  /** Calls the judge. Undefined without one, and if a getter throws in a list that the judge searches. */
  private foundOn(
    principal: PrincipalFrame,
    resource: ResourceFrame,
    slots: FrameSlots,
    now: Timestamp | undefined,
  ): unknown {
    try {
      return this.functions?.judge(principal, resource, slots, now);
    } catch {
      return undefined;
    }
  }

  /** Judges copies by closures. They complete `known`, or evaluate the conditions that `held` does not have. */
  private byClosures(
    principal: PrincipalInput,
    resource: ResourceInput,
    now: Timestamp | undefined,
    known: KnownSet | undefined,
    held: ConditionHolds | undefined,
  ): LayerJudgement {
    const { closures, globals, defaultReason } = this.context;
    try {
      activation.begin(principal, resource, now, globals, this.types);
      const draft = known ?? this.found(held);
      if (draft !== undefined) {
        return draft.pending.length === 0 ? draft : forOne(completeOutputs(draft, this.action, closures, activation));
      }
      activation.restart();
      return forOne(evaluateWithClosures(this.plan, this.action, defaultReason, closures, activation).verdict);
    } catch {
      return forOne(unreadableVerdict());
    } finally {
      activation.end();
    }
  }

  /**
   * The draft of the set of conditions that hold; closures evaluate those that `held` does not have. Undefined if one
   * errs.
   */
  private found(held: ConditionHolds | undefined): KnownSet | undefined {
    const { conditions, context } = this;
    // An observer sees only the conditions that the walk reaches.
    if (context.closures.observer !== undefined) return undefined;
    this.checks ??= conditions.map(({ what, step }) => context.closures.checkAt(what, step));
    const { checks } = this;
    const words = bitSetOf(conditions.length, (i) => held?.(i) ?? checks[i]?.(activation));
    const isSpent = held !== undefined && activation.steps < RESERVE;
    return words === undefined || isSpent ? undefined : this.draft(words);
  }

  /** The verdict of a set is the same for every request: it is cached, and frozen by the invariant "frozen verdicts". */
  private draft(words: readonly number[]): KnownSet {
    const known = this.known.get(words, words.length);
    if (known !== undefined) return known;
    const { verdict, pending } = this.draftOf(words);
    const made = judgement(verdict, pending, this.count++);
    this.known.set(words, words.length, made);
    return made;
  }

  private draftOf(words: readonly number[]): VerdictDraft {
    const numbers = new Map<Conditional, number>(this.conditions.map(({ what }, i) => [what, i]));
    const decide = (what: Conditional): boolean => {
      const number = numbers.get(what);
      return number === undefined || isIn(words, number);
    };
    const { verdict, pending } = evaluatePlan(this.plan, this.context.defaultReason, decide);
    const draft = { verdict: freezeVerdict(verdict), pending };
    if (!isConstant(draft)) return draft;
    // The pending outputs read nothing of the request.
    const whole = completeOutputs(draft, this.action, this.context.closures, new Activation());
    return { verdict: freezeVerdict(whole), pending: NONE };
  }

  private generate(): void {
    const made = this.isSteady ? undefined : this.context.source?.layerFunctions(this.wanted, this);
    if (made === undefined) return;
    this.functions = made;
    this.left = new Set(made.left);
    this.read = undefined;
    this.recent = new RecentWords();
  }

  /** The functions are evicted. They are generated again after twice as many requests as before. */
  release(): void {
    this.functions = undefined;
    this.warmUp *= 2;
    this.waits = this.warmUp;
  }
}

function isList(found: unknown): found is readonly unknown[] {
  return Array.isArray(found);
}

function areWords(found: unknown, count: number): readonly number[] | undefined {
  if (!isList(found)) return undefined;
  const words: number[] = [];
  for (let i = 0; i < count; i++) {
    const word = found[i];
    if (typeof word !== "number") return undefined;
    words.push(word);
  }
  return words;
}
