/** The rows of a plan that apply to one role, and the function for them. */

import type { Generated } from "./generate/generate.js";
import type { Row } from "./plan.js";

/** Makes the function for some rows; undefined if there is none to be had. */
export type Generator = (rows: readonly Row[]) => Generated | undefined;

export class RoleRows {
  readonly rows: readonly Row[];
  private generator: Generator | undefined;
  private made: Generated | undefined = undefined;

  constructor(rows: readonly Row[], generator: Generator | undefined) {
    this.rows = rows;
    this.generator = generator;
  }

  /** The function for these rows: made when first asked for, one for all actions that share the plan. */
  generated(): Generated | undefined {
    if (this.generator !== undefined) {
      this.made = this.generator(this.rows);
      this.generator = undefined;
    }
    return this.made;
  }
}
