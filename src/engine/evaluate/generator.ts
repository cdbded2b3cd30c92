/** Generated functions of one layer: made for plans in use, and not too many at a time. */

import { pathKey } from "../../cel/compile.js";
import { type Generated, generate, type SlotOf } from "../generate/generate.js";
import type { AttributeTypes } from "../generate/reads.js";
import type { Closures } from "./closures.js";
import type { PlannedCondition } from "./conditions.js";

/**
 * Characters of source that one layer keeps functions for, so that memory has a bound (the invariant "bounded plans"). A
 * condition takes a few hundred; machine code is a few times its source.
 */
const MAX_SOURCE = 4_000_000;

const ROOTS = { principal: "P.attr", resource: "R.attr" } as const;

/** Whoever uses a generated function. */
export interface Holder {
  /** It is to let go of its function. It may ask for one again. */
  release(): void;
}

export class Generator {
  private readonly closures: Closures;
  /** In the order in which functions were made. */
  private readonly held = new Map<Holder, number>();
  private left = MAX_SOURCE;

  constructor(closures: Closures) {
    this.closures = closures;
  }

  /**
   * The function for some conditions that read attributes of these types; undefined if there is none to be had. Where there are too many, the oldest are
   * taken back: nobody who asks for many keeps others from theirs.
   */
  generate(conditions: readonly PlannedCondition[], types: AttributeTypes, holder: Holder): Generated | undefined {
    const { closures } = this;
    const questions = conditions.map(({ what, step }) => ({ what, ask: closures.checkAt(what, step) }));
    const slotOf: SlotOf = (subject, path) => closures.slots.known(pathKey(ROOTS[subject], path));
    const made = generate(questions, slotOf, types);
    if (made === undefined || made.size > MAX_SOURCE) return undefined;
    for (const [oldest, size] of this.held) {
      if (this.left >= made.size) break;
      this.held.delete(oldest);
      this.left += size;
      oldest.release();
    }
    this.held.set(holder, made.size);
    this.left -= made.size;
    return made;
  }
}
