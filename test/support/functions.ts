/** Reports results of generated functions, so that tests know that a function decided. */

import { CompiledPlan } from "../../src/engine/evaluate/compiled-plan.js";

/** Did a generated function find a set of conditions? */
export function isSet(found: unknown): boolean {
  return typeof found === "number" ? found !== -1 : Array.isArray(found);
}

/** The values of outputs that a function found; empty where closures evaluate all outputs. */
export function valuesIn({ conditions }: CompiledPlan, found: unknown): readonly unknown[] {
  const words = Math.max(1, Math.ceil(conditions.length / 50));
  return Array.isArray(found) ? found.slice(words) : [];
}

/**
 * Tells `note` the result of each plan's generated function. The functions start with `steps` already counted. Returns
 * a function that ends this.
 */
export function watchJudges(note: (plan: CompiledPlan, found: unknown) => void, steps = 0): () => void {
  const { judge } = CompiledPlan.prototype;
  CompiledPlan.prototype.judge = function (this: CompiledPlan, ...given) {
    const { functions } = this;
    if (functions === undefined) return judge.apply(this, given);
    let defect: ReferenceError | undefined;
    const watched: typeof functions.judge = (principal, resource, slots, now) => {
      // Decisions within this decision read their own requests.
      this.functions = functions;
      const own = steps === 0 ? slots : { ...slots, k: slots.k < 0 ? slots.k : slots.k + steps };
      try {
        const found = functions.judge(principal, resource, own, now);
        note(this, found);
        return found;
      } catch (error) {
        if (error instanceof ReferenceError) defect = error;
        throw error;
      }
    };
    this.functions = { ...functions, judge: watched };
    try {
      const judgement = judge.apply(this, given);
      // Without this, closures would take over from a function that reads an undefined name, and hide the defect.
      if (defect !== undefined) throw defect;
      return judgement;
    } finally {
      if (this.functions?.judge === watched) this.functions = functions;
    }
  };
  return () => {
    CompiledPlan.prototype.judge = judge;
  };
}

/** Tells `note` of each plan with a generated function that was called. Returns a function that ends this. */
export function watchFunctions(note: (plan: CompiledPlan, isFound: boolean, hasValues: boolean) => void): () => void {
  return watchJudges((plan, found) => {
    note(
      plan,
      isSet(found),
      valuesIn(plan, found).some((value) => value !== undefined),
    );
  });
}
