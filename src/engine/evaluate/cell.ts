/** One plan of a layer, and what is kept for it: its closures, and the verdicts of sets of conditions. */

import { STEP_BUDGET } from "../../cel/evaluation.js";
import type { JsonMap, Timestamp } from "../../cel/values.js";

import type { Conditional, Plan } from "../plan/plan.js";
import type { Conditioned } from "../plan/plans.js";
import type { AttributeTypes, PrincipalInput, ResourceInput } from "../plan/subjects.js";
import type { LayerVerdict } from "../plan/verdict.js";
import { Activation } from "./activation.js";
import type { Closures } from "./closures.js";
import type { Check } from "./condition.js";
import { conditionsOf, type PlannedCondition } from "./conditions.js";
import type { FunctionSource, WantedLayer } from "./equipment.js";
import { KnownSets } from "./known-sets.js";
import { type NamesRead, namesRead } from "./names-read.js";
import { isLiteral, outputsOf, type PlannedOutput } from "./outputs.js";
import { account, completed, type Draft, evaluatePlan, isConstant } from "./strict-verdict.js";
import { NONE, shared, unreadableVerdict } from "./verdicts.js";
import { isIn, wordsOf } from "./words.js";

/** Whether a condition was found to hold, by its number; undefined: it was not found out. */
export type Held = (condition: number) => boolean | undefined;

/** What a layer gives to its plans. */
export interface CellContext {
  readonly closures: Closures;
  readonly defaultReason: string;
  readonly globals: JsonMap;
  /** What is declared of the attributes that a plan reads. */
  typesOf(plan: Plan): AttributeTypes;
  /** Undefined where closures decide. */
  readonly source: FunctionSource | undefined;
}

/**
 * Steps that must be left after closures, where others of the conditions were found out without them: as many as those may
 * be worth, by the invariant "budget of generated code". With fewer left, closures alone could have run out of them.
 */
const RESERVE = STEP_BUDGET / 2;

/** Reused from one evaluation to the next, by the invariant "one evaluation at a time". */
const activation = new Activation();

export class Cell {
  readonly plan: Plan;
  readonly context: CellContext;
  readonly conditions: readonly PlannedCondition[];
  /** Those of the plan; none, if all are the same for every request. */
  readonly outputs: readonly PlannedOutput[];
  readonly action: string;
  /** Every condition that plans about the same have. */
  readonly related: readonly Conditioned[];
  private readonly types: AttributeTypes;
  /** The closures of the conditions, once they are needed. */
  private checks: readonly Check[] | undefined = undefined;
  private names: NamesRead | undefined = undefined;
  private readonly known = new KnownSets<Draft>();

  constructor(plan: Plan, action: string, context: CellContext, related: readonly Conditioned[]) {
    this.plan = plan;
    this.related = related;
    this.action = action;
    this.context = context;
    this.conditions = conditionsOf(plan);
    const outputs = outputsOf(plan);
    this.outputs = outputs.every(isLiteral) ? NONE : outputs;
    this.types = context.typesOf(plan);
  }

  get wanted(): WantedLayer {
    const { conditions, outputs, types, plan } = this;
    return { conditions, outputs, schemas: plan.schemas, types };
  }

  /** What closures may read of a request. */
  get reads(): NamesRead {
    this.names ??= namesRead(this.plan);
    return this.names;
  }

  /**
   * The verdict on a request, of which this is a copy, as far as it is not known: all but outputs, or which conditions hold.
   * Never throws: what cannot be evaluated is denied.
   */
  verdict(
    principal: PrincipalInput,
    resource: ResourceInput,
    now: Timestamp | undefined,
    known: Draft | Held | undefined,
  ): LayerVerdict {
    const { closures, globals, defaultReason } = this.context;
    try {
      activation.begin(principal, resource, now, globals, this.types);
      const draft = typeof known === "object" ? known : this.found(known);
      if (draft !== undefined) return completed(draft, this.action, closures, activation);
      activation.restart();
      return account(this.plan, this.action, defaultReason, closures, activation).verdict;
    } catch {
      return unreadableVerdict();
    } finally {
      activation.end();
    }
  }

  /** What follows from the conditions that hold, as closures find it where it is not known; undefined if one errs. */
  private found(held: Held | undefined): Draft | undefined {
    const { conditions, context } = this;
    // An observer is told of what the walk reaches, and of nothing else.
    if (context.closures.observer !== undefined) return undefined;
    this.checks ??= conditions.map(({ what, step }) => context.closures.checkAt(what, step));
    const { checks } = this;
    const words = wordsOf(conditions.length, (i) => held?.(i) ?? checks[i]?.(activation));
    const isSpent = held !== undefined && activation.steps < RESERVE;
    return words === undefined || isSpent ? undefined : this.draft(words);
  }

  /** What follows from a set, whoever asks: so it is kept, by the invariant "frozen verdicts". */
  draft(words: readonly number[]): Draft {
    const known = this.known.get(words, words.length);
    if (known !== undefined) return known;
    const made = this.draftOf(words);
    this.known.set(words, words.length, made);
    return made;
  }

  private draftOf(words: readonly number[]): Draft {
    const numbers = new Map<Conditional, number>(this.conditions.map(({ what }, i) => [what, i]));
    const decide = (what: Conditional): boolean => {
      const number = numbers.get(what);
      return number === undefined || isIn(words, number);
    };
    const { verdict, pending } = evaluatePlan(this.plan, this.context.defaultReason, decide);
    const draft = { verdict: shared(verdict), pending };
    if (!isConstant(draft)) return draft;
    // What is left to evaluate reads nothing.
    const whole = completed(draft, this.action, this.context.closures, new Activation());
    return { verdict: shared(whole), pending: NONE };
  }
}
