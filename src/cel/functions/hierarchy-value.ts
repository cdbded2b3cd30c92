/** The value of `hierarchy("a.b.c")`: a path of names. Its functions are in `hierarchy.ts`. */

import { type Evaluation, type EvaluationResult, fail } from "../evaluation.js";
import { keepShapeAlive } from "../keep-alive.js";
import { type CelValue, Opaque } from "../values.js";

/** Comparing two names costs as much as this many characters. */
const COST_OF_NAME = 64;

export class Hierarchy extends Opaque {
  readonly typeName = "cerbos.lib.hierarchy";
  readonly names: readonly string[];
  override readonly size: number;

  constructor(names: readonly string[]) {
    super();
    this.names = names;
    this.size = names.reduce((sum, name) => sum + COST_OF_NAME + name.length, 0);
  }

  equals(other: CelValue): boolean {
    return (
      other instanceof Hierarchy &&
      other.names.length === this.names.length &&
      this.startsWith(other, other.names.length)
    );
  }

  /** Whether the first `count` names equal those of `other`. */
  startsWith(other: Hierarchy, count: number): boolean {
    for (let i = 0; i < count; i++) if (this.names[i] !== other.names[i]) return false;
    return true;
  }

  /** `h[key]`; only an int is an index. */
  at(ev: Evaluation, key: CelValue): EvaluationResult {
    if (typeof key !== "bigint") return fail(ev, "unsupported index type");
    const name = key >= 0n && key < this.names.length ? this.names[Number(key)] : undefined;
    return name ?? fail(ev, "index out of range");
  }
}
keepShapeAlive(new Hierarchy([]));
