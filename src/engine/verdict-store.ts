/** Verdicts that were made before, by the set of rules that hold. */

import type { LayerVerdict } from "./verdict.js";

/** Verdicts kept for one action of one policy. There are rarely more than a dozen different ones. */
const MAX_VERDICTS = 1_024;

/** Sets of so few rules are indexes of an array. */
const FEW_RULES = 8;

export class VerdictStore {
  /** Empty until a verdict is kept. */
  private bySmallSet: (LayerVerdict | undefined)[] = [];
  private readonly bySet = new Map<number, LayerVerdict>();
  private readonly rules: number;

  constructor(rules: number) {
    this.rules = rules;
  }

  /** `set`: a sum of rules' bits. */
  get(set: number): LayerVerdict | undefined {
    const { bySmallSet } = this;
    return set >= 0 && set < bySmallSet.length ? bySmallSet[set] : this.bySet.get(set);
  }

  keep(set: number, verdict: LayerVerdict): void {
    if (this.rules > FEW_RULES) {
      if (this.bySet.size < MAX_VERDICTS) this.bySet.set(set, verdict);
      return;
    }
    if (this.bySmallSet.length === 0) this.bySmallSet = new Array<undefined>(2 ** this.rules).fill(undefined);
    this.bySmallSet[set] = verdict;
  }
}
