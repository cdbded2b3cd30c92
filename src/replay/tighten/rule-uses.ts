/** How often each rule that allows has decided, and when. */

import type { PolicySet } from "../../decisions/policy-set.js";
import { allPolicies } from "../../policy/all-policies.js";
import { UseCount, type UseCounts } from "./use-count.js";

/** A rule that allows. */
export interface UsedRule extends UseCounts {
  /** `policy#rule`. */
  readonly rule: string;
}

export class RuleUses {
  private readonly counts: ReadonlyMap<string, UseCount>;

  constructor({ model, platform }: PolicySet) {
    const names = allPolicies(model)
      .filter(({ version }) => version !== platform?.version)
      .flatMap((policy) =>
        policy.kind === "role"
          ? []
          : policy.rules.filter(({ effect }) => effect === "allow").map(({ name }) => `${policy.key}#${name}`),
      );
    this.counts = new Map(names.map((name) => [name, new UseCount()]));
  }

  add(rules: readonly string[], time: string | undefined): void {
    for (const rule of rules) this.counts.get(rule)?.add(time);
  }

  all(): readonly UsedRule[] {
    return [...this.counts].map(([rule, count]) => ({ rule, ...count.counts() }));
  }
}
