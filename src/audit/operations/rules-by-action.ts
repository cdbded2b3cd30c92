/** Rules, found by the actions that they list, so that who asks about one need not look at all rules. */

import { ActionIndex, countEntries, type Matchers, matchers } from "../../engine/plan/actions.js";
import { isGlob } from "../../policy/glob.js";

export interface IndexedRule<R> {
  readonly rule: R;
  /** Where it stands among the rules. */
  readonly i: number;
  readonly actions: Matchers;
}

export class RulesByAction<R extends { readonly actions: readonly string[] }> {
  private readonly index: ActionIndex<IndexedRule<R>>;

  constructor(rules: readonly R[]) {
    this.index = new ActionIndex(rules.map((rule, i) => ({ rule, i, actions: matchers(rule.actions) })));
  }

  /** Those that are about an action, in their order. A pattern is one for those that list it, or a wider one. */
  about(action: string): readonly IndexedRule<R>[] {
    if (!isGlob(action)) return this.index.about(action);
    return this.index.rows.filter(
      ({ rule, actions }) => rule.actions.includes(action) || countEntries(actions, action) > 0,
    );
  }
}
