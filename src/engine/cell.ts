/** What decides for one action and one role of a policy, and the function generated for it once it proves to be in use. */

import type { Activation, PrincipalInput, ResourceInput } from "./activation.js";
import type { HoldingFunction } from "./generate/generate.js";
import type { Plan } from "./plan.js";
import type { RoleRows } from "./role-rows.js";
import type { LayerVerdict } from "./verdict.js";

/** Closures decide this many requests of a cell before a function is generated. */
const WARM_UP = 20;

/** Where at least half of this many runs bail, the function is dropped: what it cannot do is the rule. */
const TRIAL = 2_048;

/** Never, in practice. */
const FOREVER = 2 ** 30 - 1;

/** What {@link Cell.holding} says where the closures must be asked. */
export const UNKNOWN = -1;

/** No set of rules. */
const NO_SET = -2;

/** Verdicts kept for one cell. There are rarely more than a dozen different ones. */
const MAX_VERDICTS = 1_024;

/** Sets of so few rules are indexes of an array. */
const FEW_RULES = 8;

/**
 * Only where the plan is repeatable. With many policies each object on the way to a verdict is a cache miss, so what is
 * needed each time is in this one, the first two verdicts included.
 */
export class Cell {
  /** Whether the generated function, if there is one, needs an activation. */
  needsActivation = true;
  private run: HoldingFunction | undefined = undefined;
  private left = WARM_UP;
  private bails = 0;
  private firstSet = NO_SET;
  private firstVerdict: LayerVerdict | undefined = undefined;
  private secondSet = NO_SET;
  private secondVerdict: LayerVerdict | undefined = undefined;
  readonly rows: RoleRows;
  readonly plan: Plan;
  private bySmallSet: (LayerVerdict | undefined)[] | undefined = undefined;
  private bySet: Map<number, LayerVerdict> | undefined = undefined;

  constructor(plan: Plan, rows: RoleRows) {
    this.rows = rows;
    this.plan = plan;
  }

  /**
   * The sum of the bits of the rules that hold, or {@link UNKNOWN}. A number says the same as the closures would, and
   * that none of them errs. May run getters of the request, and never throws.
   */
  holding(principal: PrincipalInput, resource: ResourceInput, activation: Activation | undefined): number {
    const { run } = this;
    if (run === undefined) {
      if (--this.left <= 0) this.warmedUp();
      return UNKNOWN;
    }
    if (--this.left <= 0) this.review();
    try {
      const holding = run(principal, resource, activation);
      if (typeof holding === "number" && holding >= 0) return holding;
    } catch {
      // A getter that throws: the closures meet it again, if they reach it.
    }
    this.bails++;
    return UNKNOWN;
  }

  /** The verdict where the rules of `set`, a sum of their bits, hold. */
  verdict(set: number): LayerVerdict | undefined {
    if (set === this.firstSet) return this.firstVerdict;
    if (set === this.secondSet) return this.secondVerdict;
    return (this.bySmallSet === undefined ? undefined : this.bySmallSet[set]) ?? this.bySet?.get(set);
  }

  keep(set: number, verdict: LayerVerdict): void {
    if (this.firstVerdict === undefined) {
      this.firstSet = set;
      this.firstVerdict = verdict;
    } else if (this.secondVerdict === undefined) {
      this.secondSet = set;
      this.secondVerdict = verdict;
    } else if (this.plan.rules.length <= FEW_RULES) {
      this.bySmallSet ??= new Array<undefined>(2 ** this.plan.rules.length).fill(undefined);
      this.bySmallSet[set] = verdict;
    } else {
      this.bySet ??= new Map();
      if (this.bySet.size < MAX_VERDICTS) this.bySet.set(set, verdict);
    }
  }

  private warmedUp(): void {
    const generated = this.rows.generated();
    this.run = generated?.run;
    this.needsActivation = generated?.needsActivation ?? true;
    this.left = generated === undefined ? FOREVER : TRIAL;
  }

  private review(): void {
    if (this.bails * 2 > TRIAL) {
      this.run = undefined;
      this.needsActivation = true;
      this.left = FOREVER;
    } else this.left = TRIAL;
    this.bails = 0;
  }
}
