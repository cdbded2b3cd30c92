/** Verdicts that were made before, by the set of rules that hold. */

import type { LayerVerdict } from "./verdict.js";

/** Verdicts kept for one action of one policy. There are rarely more than a dozen different ones. */
const MAX_VERDICTS = 1_024;

/** Sets of so few rules are indexes of an array. */
const FEW_RULES = 8;

export class VerdictStore {
  private readonly bySmallSet: (LayerVerdict | undefined)[];
  private readonly bySet = new Map<number, LayerVerdict>();

  constructor(rules: number) {
    const sets = rules <= FEW_RULES ? 2 ** rules : 0;
    this.bySmallSet = new Array<LayerVerdict | undefined>(sets).fill(undefined);
  }

  /** `set`: a sum of rules' bits. */
  get(set: number): LayerVerdict | undefined {
    return set < this.bySmallSet.length ? this.bySmallSet[set] : this.bySet.get(set);
  }

  keep(set: number, verdict: LayerVerdict): void {
    if (set < this.bySmallSet.length) this.bySmallSet[set] = verdict;
    else if (this.bySet.size < MAX_VERDICTS) this.bySet.set(set, verdict);
  }
}
