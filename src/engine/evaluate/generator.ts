/** Generated functions of one layer: made for plans in use, shared by plans of the same conditions, and not too many. */

import { pathKey } from "../../cel/compile.js";
import { type Generated, generate, type SlotOf } from "../generate/generate.js";
import type { Conditional } from "../plan/plan.js";
import type { Closures } from "./closures.js";
import type { PlannedCondition } from "./conditions.js";

/**
 * Characters of source for one layer. Plans that are asked for after that keep their closures, so that memory has a
 * bound (the invariant "bounded plans"). A condition takes a few hundred; machine code is a few times its source.
 */
const MAX_SOURCE = 4_000_000;

const ROOTS = { principal: "P.attr", resource: "R.attr" } as const;

export class Generator {
  private readonly closures: Closures;
  private readonly made = new Map<string, Generated | undefined>();
  private readonly ids = new Map<Conditional, number>();
  private left = MAX_SOURCE;

  constructor(closures: Closures) {
    this.closures = closures;
  }

  /** The function for some conditions; undefined if there is none to be had. */
  generate(conditions: readonly PlannedCondition[]): Generated | undefined {
    const { closures } = this;
    // Which derived roles are active is another question for other roles, so such a function serves one plan.
    if (conditions.some(({ what }) => closures.readsActiveRoles(what))) return this.make(conditions);
    const key = conditions.map(({ what }) => this.idOf(what)).join();
    if (!this.made.has(key)) this.made.set(key, this.make(conditions));
    return this.made.get(key);
  }

  private make(conditions: readonly PlannedCondition[]): Generated | undefined {
    if (this.left <= 0) return undefined;
    const { closures } = this;
    const questions = conditions.map(({ what, step }) => ({ what, ask: closures.checkAt(what, step) }));
    const slotOf: SlotOf = (subject, path) => closures.slots.known(pathKey(ROOTS[subject], path));
    const made = generate(questions, slotOf);
    this.left -= made?.size ?? 0;
    return made;
  }

  private idOf(what: Conditional): number {
    const known = this.ids.get(what);
    if (known !== undefined) return known;
    const id = this.ids.size;
    this.ids.set(what, id);
    return id;
  }
}
