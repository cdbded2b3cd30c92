/** The rows of a plan that apply to one role, and the function generated for them once they prove to be in use. */

import type { Activation, PrincipalInput, ResourceInput } from "./activation.js";
import type { Generated } from "./generate/generate.js";
import type { Row } from "./plan.js";

/** Makes the function for some rows; undefined if there is none to be had. */
export type Generator = (rows: readonly Row[]) => Generated | undefined;

/** Closures decide this many requests of a role before a function is generated. */
const WARM_UP = 20;

/** Where at least half of this many runs bail, the function is dropped: what it cannot do is the rule. */
const TRIAL = 2_048;

/** Never, in practice. */
const FOREVER = 2 ** 30 - 1;

/** What {@link RoleRows.holding} says where the closures must be asked. */
export const UNKNOWN = -1;

export class RoleRows {
  readonly rows: readonly Row[];
  /** Whether the generated function, if there is one, needs an activation. */
  needsActivation = true;
  private generator: Generator | undefined;
  private generated: Generated | undefined = undefined;
  private left = WARM_UP;
  private bails = 0;

  constructor(rows: readonly Row[], generator: Generator | undefined) {
    this.rows = rows;
    this.generator = generator;
  }

  /**
   * The sum of the bits of the rules that hold, or {@link UNKNOWN}. A number says the same as the closures would, and
   * that none of them errs. May run getters of the request, and never throws.
   */
  holding(principal: PrincipalInput, resource: ResourceInput, activation: Activation | undefined): number {
    const { generated } = this;
    if (generated === undefined) {
      if (--this.left <= 0) this.warmedUp();
      return UNKNOWN;
    }
    if (--this.left <= 0) this.review();
    try {
      const { run } = generated;
      const holding = run(principal, resource, activation);
      if (typeof holding === "number" && holding >= 0) return holding;
    } catch {
      // A getter that throws: the closures meet it again, if they reach it.
    }
    this.bails++;
    return UNKNOWN;
  }

  private warmedUp(): void {
    const { generator } = this;
    this.left = FOREVER;
    this.generator = undefined;
    this.generated = generator?.(this.rows);
    if (this.generated === undefined) return;
    this.needsActivation = this.generated.needsActivation;
    this.left = TRIAL;
  }

  private review(): void {
    if (this.bails * 2 > TRIAL) {
      this.generated = undefined;
      this.needsActivation = true;
      this.left = FOREVER;
    } else this.left = TRIAL;
    this.bails = 0;
  }
}
