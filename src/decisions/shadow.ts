/** Compares the decisions of a candidate set with those of the set in force, on the requests that come. */

import { ANY, CALLBACK, checkOptions, type OptionTable, required } from "../policy/options.js";
import { decideAny } from "./decide.js";
import type { PolicySet } from "./policy-set.js";
import type { PolicyTypes } from "./policy-types.js";
import { snapshot } from "./snapshot.js";
import type { Decision, DecisionRequest, PermissionRequest } from "./types.js";

/** A request on which the candidate decides otherwise: another outcome, or a fault in one of the decisions alone. */
export interface ShadowDifference<T extends PolicyTypes = PolicyTypes> {
  /** A copy of the request, with the values that both decisions read. */
  readonly request: DecisionRequest<T>;
  /** The decision in force. */
  readonly decision: Decision<T>;
  readonly candidate: Decision;
}

export interface ShadowOptions<T extends PolicyTypes = PolicyTypes> {
  /** The set to compare, or a function that returns the present one. Undefined: nothing is compared. */
  readonly candidate: PolicySet | (() => PolicySet | undefined);
  /** The share of requests to compare: 0 to 1. Default: 1. */
  readonly sample?: number;
  /**
   * The most time that comparisons may take, in milliseconds of each second. When it is spent, requests are not compared
   * until the next second. One comparison ends within the step budget of a decision. Default: 20.
   */
  readonly budgetMs?: number;
  /** Called after the decision in force is made. Its errors are counted, and change nothing. */
  onDifference(difference: ShadowDifference<T>): unknown;
}

/** How many requests a shadow has seen. */
export interface ShadowCounts {
  readonly compared: number;
  readonly differing: number;
  /** Requests that the sample or the budget left out, or for which there was no candidate. */
  readonly leftOut: number;
  /** Comparisons or calls of `onDifference` that failed. */
  readonly failed: number;
}

export interface Shadow<T extends PolicyTypes = PolicyTypes> {
  /** As `decide`: the candidate changes nothing of it. Never throws. */
  decide(request: NoInfer<DecisionRequest<T>>): Decision<T>;
  /** Compares a decision that was made elsewhere, such as by a Cerbos server. Never throws. */
  compare(request: NoInfer<DecisionRequest<T>>, decision: Decision<T>): void;
  counts(): ShadowCounts;
}

const SECOND = 1_000;

const SHADOW_OPTIONS = {
  candidate: ANY,
  sample: { has: (value) => typeof value === "number" && value >= 0 && value <= 1, said: "a number from 0 to 1" },
  budgetMs: {
    has: (value) => typeof value === "number" && value > 0 && value <= SECOND,
    said: `a number of milliseconds above 0, and at most ${SECOND}`,
  },
  onDifference: required(CALLBACK),
} satisfies OptionTable<ShadowOptions>;

/**
 * Decides by `policies`, and compares the decisions of `candidate` with it. Throws a `TypeError` for an unknown option
 * or an invalid value.
 */
export function shadow<T extends PolicyTypes = PolicyTypes>(
  policies: PolicySet<T> | (() => PolicySet<T>),
  options: ShadowOptions<T>,
): Shadow<T>;
export function shadow(policies: PolicySet | (() => PolicySet), options: ShadowOptions): AnyShadow {
  return new ComparingShadow(policies, options);
}

/** {@link Shadow} of sets of either kind. */
interface AnyShadow extends Pick<Shadow, "counts"> {
  decide(request: PermissionRequest): Decision;
  compare(request: PermissionRequest, decision: Decision): void;
}

class ComparingShadow implements AnyShadow {
  private readonly policies: () => PolicySet;
  private readonly candidate: () => PolicySet | undefined;
  private readonly options: ShadowOptions;
  private readonly sample: number;
  private readonly budget: number;
  /** The sum of the sample over the requests so far: a request is compared where it passes a whole number. */
  private share = 0;
  private windowStart = Number.NEGATIVE_INFINITY;
  private spent = 0;
  private found = { compared: 0, differing: 0, leftOut: 0, failed: 0 };

  constructor(policies: PolicySet | (() => PolicySet), options: ShadowOptions) {
    checkOptions(options, SHADOW_OPTIONS);
    const { candidate, sample = 1, budgetMs = 20 } = options;
    this.policies = typeof policies === "function" ? policies : () => policies;
    this.candidate = typeof candidate === "function" ? candidate : () => candidate;
    this.options = options;
    this.sample = sample;
    this.budget = budgetMs;
  }

  decide(request: PermissionRequest): Decision {
    if (!this.isNext()) return decideAny(this.policies(), request);
    // Both decisions must read the same values, even of getters.
    const copy = snapshot(request);
    const decision = decideAny(this.policies(), copy);
    this.compared(copy, decision);
    return decision;
  }

  compare(request: PermissionRequest, decision: Decision): void {
    if (this.isNext()) this.compared(snapshot(request), decision);
  }

  counts(): ShadowCounts {
    return { ...this.found };
  }

  /** True if the next request is to be compared. */
  private isNext(): boolean {
    const now = performance.now();
    if (now - this.windowStart >= SECOND) {
      this.windowStart = now;
      this.spent = 0;
    }
    this.share += this.sample;
    const isSampled = this.share >= 1;
    if (isSampled) this.share -= 1;
    if (isSampled && this.spent < this.budget) return true;
    this.found.leftOut += 1;
    return false;
  }

  private compared(request: PermissionRequest, decision: Decision): void {
    const start = performance.now();
    try {
      const set = this.candidate();
      if (set === undefined) {
        this.found.leftOut += 1;
        return;
      }
      const candidate = decideAny(set, request);
      this.found.compared += 1;
      if (isSame(decision, candidate)) return;
      this.found.differing += 1;
      this.report({ request, decision, candidate });
    } catch {
      this.found.failed += 1;
    } finally {
      this.spent += performance.now() - start;
    }
  }

  private report(difference: { request: PermissionRequest; decision: Decision; candidate: Decision }): void {
    const told: unknown = Reflect.apply(this.options.onDifference, this.options, [difference]);
    if (told instanceof Promise) {
      told.catch(() => {
        this.found.failed += 1;
      });
    }
  }
}

function isSame(decision: Decision, candidate: Decision): boolean {
  return decision.outcome === candidate.outcome && decision.fault?.kind === candidate.fault?.kind;
}
