/** What a layer keeps for a plan: the plan, and what decides for it together with plans of the other layer. */

import { Bounded } from "../plan/bounded.js";
import type { Cell } from "./cell.js";
import { Joint } from "./joint.js";

/** Plans of the other layer with which one is asked, of which what decides is kept. */
const MAX_JOINTS = 32;

export class Planned {
  readonly cell: Cell;
  private readonly joints = new Bounded<Cell | undefined, Joint>(MAX_JOINTS);

  constructor(cell: Cell) {
    this.cell = cell;
  }

  /** Undefined: this plan alone. */
  jointWith(other: Planned | undefined): Joint {
    const known = this.joints.get(other?.cell);
    if (known !== undefined) return known;
    const made = new Joint(this.cell, other?.cell);
    this.joints.set(other?.cell, made);
    return made;
  }
}
