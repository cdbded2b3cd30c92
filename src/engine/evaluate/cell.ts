/**
 * What decides for a plan: which of its conditions hold, found out by a generated function once the plan proves to be in
 * use, and the verdict that was found for the same set of conditions before.
 *
 * INVARIANT (a set says all): where every condition of a plan is evaluated and none errs, the set of those that hold
 * determines the walk, and so the verdict but for outputs that carry values of the request. Conditions that the walk does
 * not reach are in the set too; where one of them errs there is no set, and the walk itself is asked.
 */

import type { JsonMap, Timestamp } from "../../cel/values.js";
import {
  type AttributeTypes,
  type BindingFunction,
  type BoundFunction,
  type HoldingFunction,
  WORD,
} from "../generate/written.js";
import type { Conditional, Plan } from "../plan/plan.js";
import type { PrincipalInput, ResourceInput } from "../plan/subjects.js";
import type { LayerVerdict } from "../plan/verdict.js";
import { Activation } from "./activation.js";
import type { Closures } from "./closures.js";
import type { Check } from "./condition.js";
import { conditionsOf, type PlannedCondition } from "./conditions.js";
import type { FunctionSource, Holder, Wanted } from "./equipment.js";
import { KnownSets } from "./known-sets.js";
import { account, completed, type Draft, evaluatePlan, isConstant } from "./strict-verdict.js";
import { NONE, refusedVerdict, shared } from "./verdicts.js";

/** In place of the first word of a set: there is no set, and the walk must ask the closures. */
const NO_SET = -1;

/** Plans of more conditions than this have sets whose verdict is looked for among all that are known. */
const MAX_READY = 6;

const UNREADABLE = "the request cannot be read to its end, or is nested too deep";

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

/** Reused from one evaluation to the next, unless it is in use: see the invariant "one evaluation at a time". */
const spare = new Activation();

export class Cell implements Holder {
  readonly plan: Plan;
  private readonly action: string;
  private readonly context: CellContext;
  private readonly conditions: readonly PlannedCondition[];
  private readonly types: AttributeTypes;
  /** The closures of the conditions, once they are needed. */
  private checks: readonly Check[] | undefined = undefined;
  private run: HoldingFunction | undefined = undefined;
  /** The generated function in two stages, once a bound principal has asked for it; `false`: there is none to be had. */
  private staged: BindingFunction | false | undefined = undefined;
  /** Whether the generated function leaves conditions to closures, which read an activation. */
  private needsActivation = true;
  private warmUp: number;
  private left: number;
  /** The words of the latest set (see {@link WORD}) but for the first, which is passed from function to function. */
  private readonly words: number[];
  private readonly known = new KnownSets<Draft>();
  /** The verdicts of small sets that wait for nothing, by the set: most that are asked for. */
  private readonly ready: (LayerVerdict | undefined)[];

  constructor(plan: Plan, action: string, context: CellContext) {
    this.plan = plan;
    this.action = action;
    this.context = context;
    this.warmUp = Math.max(1, context.source?.warmUp ?? 1);
    this.left = this.warmUp;
    this.conditions = conditionsOf(plan);
    this.types = context.typesOf(plan);
    this.ready = new Array<undefined>(2 ** Math.min(this.conditions.length, MAX_READY)).fill(undefined);
    this.words = new Array<number>(Math.max(0, Math.ceil(this.conditions.length / WORD) - 1)).fill(0);
  }

  /** The verdict on a request. Never throws: what cannot be evaluated is denied. */
  verdict(principal: PrincipalInput, resource: ResourceInput, now: Timestamp | undefined): LayerVerdict {
    let set = 0;
    if (this.conditions.length > 0) {
      if (this.run === undefined || this.needsActivation) return this.inActivation(NO_SET, principal, resource, now);
      set = this.generated(this.run, principal, resource, now, undefined);
    }
    const known = set >= 0 && set < this.ready.length ? this.ready[set] : undefined;
    return known ?? this.inActivation(set, principal, resource, now);
  }

  /** The verdict for a set that a bound function has found. */
  verdictOn(
    set: unknown,
    principal: PrincipalInput,
    resource: ResourceInput,
    now: Timestamp | undefined,
  ): LayerVerdict {
    if (typeof set !== "number" || set < 0) return this.inActivation(NO_SET, principal, resource, now);
    return (set < this.ready.length ? this.ready[set] : undefined) ?? this.inActivation(set, principal, resource, now);
  }

  /**
   * The function for one principal, whose part is evaluated here. Undefined where there is none to be had, and as long as
   * the plan has not proved to be in use. Never throws.
   */
  boundTo(principal: PrincipalInput): BoundFunction | undefined {
    if (this.run === undefined || this.needsActivation) return undefined;
    this.staged ??= this.context.source?.bindingFor?.(this.wanted, { release: () => this.unstage() }) ?? false;
    if (this.staged === false) return undefined;
    try {
      return this.staged(principal);
    } catch {
      return undefined;
    }
  }

  private unstage(): void {
    this.staged = undefined;
  }

  /**
   * The first word of the set of conditions that hold, as the generated function finds it, or {@link NO_SET}. May run
   * getters of the request.
   */
  generated(
    run: HoldingFunction,
    principal: PrincipalInput,
    resource: ResourceInput,
    now: Timestamp | undefined,
    activation: Activation | undefined,
  ): number {
    try {
      const word = run(principal, resource, activation, now);
      return typeof word === "number" ? word : NO_SET;
    } catch {
      // A getter that throws: the closures meet it again, if they reach it.
      return NO_SET;
    }
  }

  /** What needs an activation: outputs, conditions without a generated form, sets that are met for the first time. */
  private inActivation(
    set: number,
    principal: PrincipalInput,
    resource: ResourceInput,
    now: Timestamp | undefined,
  ): LayerVerdict {
    const draft = set === NO_SET ? undefined : this.known.get(set, this.words);
    if (draft !== undefined && draft.pending.length === 0) return draft.verdict;
    const activation = spare.busy ? new Activation() : spare;
    activation.busy = true;
    try {
      activation.begin(principal, resource, now, this.context.globals, this.types);
      if (draft !== undefined) return this.completed(draft, activation);
      return this.ofSet(set === NO_SET ? this.setOf(principal, resource, now, activation) : set, activation);
    } catch {
      // A getter that throws, or data nested deeper than the stack. What was thrown may itself be hostile: it is not
      // looked at.
      return refusedVerdict(UNREADABLE);
    } finally {
      activation.end();
      activation.busy = false;
    }
  }

  /** The set of conditions that hold, as whichever is at hand finds it: the generated function, or the closures. */
  private setOf(
    principal: PrincipalInput,
    resource: ResourceInput,
    now: Timestamp | undefined,
    activation: Activation,
  ): number {
    // An observer is told of what the walk reaches, and of nothing else.
    if (this.context.closures.observer !== undefined) return NO_SET;
    const isNew = this.run === undefined && --this.left === 0;
    if (isNew) this.generate();
    if (this.run !== undefined && (this.needsActivation || isNew)) {
      const set = this.generated(this.run, principal, resource, now, activation);
      if (set !== NO_SET) return set;
      activation.restart();
    }
    return this.closures(activation);
  }

  /** The function is taken back. One is made again if the plan is in use for longer than it was before. */
  release(): void {
    this.run = undefined;
    this.needsActivation = true;
    this.warmUp *= 2;
    this.left = this.warmUp;
  }

  private get wanted(): Wanted {
    return { conditions: this.conditions, schemas: this.plan.schemas, types: this.types };
  }

  private generate(): void {
    const made = this.context.source?.functionFor(this.wanted, this);
    if (made === undefined) return;
    this.run = made.make(this.words);
    this.needsActivation = made.needsActivation;
  }

  /** The set as the closures find it; {@link NO_SET} if one errs. */
  private closures(activation: Activation): number {
    const { conditions, words, context } = this;
    this.checks ??= conditions.map(({ what, step }) => context.closures.checkAt(what, step));
    // Not written to `words` before the last condition: its attributes may be getters that ask this cell again.
    const found: number[] = [];
    for (let at = 0; at < this.checks.length; at += WORD) {
      let word = 0;
      for (let i = 0; i < WORD; i++) {
        const check = this.checks[at + i];
        if (check === undefined) break;
        const holds = check(activation);
        if (holds === undefined) return NO_SET;
        if (holds) word += 2 ** i;
      }
      found.push(word);
    }
    for (let i = 0; i < words.length; i++) words[i] = found[i + 1] ?? 0;
    return found[0] ?? 0;
  }

  /** The verdict for a set; where there is none, the walk finds out what it needs. */
  private ofSet(set: number, activation: Activation): LayerVerdict {
    if (set === NO_SET) {
      activation.restart();
      const { closures, defaultReason } = this.context;
      return account(this.plan, this.action, defaultReason, closures, activation).verdict;
    }
    const known = this.known.get(set, this.words);
    if (known !== undefined) return known.pending.length === 0 ? known.verdict : this.completed(known, activation);
    const made = this.draftOf(set, activation);
    this.known.set(set, this.words, made);
    if (set < this.ready.length && this.words.length === 0 && made.pending.length === 0) this.ready[set] = made.verdict;
    return this.completed(made, activation);
  }

  /** What follows from a set, whoever asks: so it is kept, by the invariant "frozen verdicts". */
  private draftOf(set: number, activation: Activation): Draft {
    const bits = new Map<Conditional, number>(this.conditions.map(({ what }, i) => [what, i]));
    const decide = (what: Conditional): boolean => {
      const bit = bits.get(what);
      if (bit === undefined) return true;
      const word = bit < WORD ? set : (this.words[Math.floor(bit / WORD) - 1] ?? 0);
      return Math.floor(word / 2 ** (bit % WORD)) % 2 === 1;
    };
    const { verdict, pending } = evaluatePlan(this.plan, this.context.defaultReason, decide);
    const draft = { verdict: shared(verdict), pending };
    return isConstant(draft) ? { verdict: shared(this.completed(draft, activation)), pending: NONE } : draft;
  }

  private completed(draft: Draft, activation: Activation): LayerVerdict {
    return completed(draft, this.action, this.context.closures, activation);
  }
}
