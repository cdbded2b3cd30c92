/** An index of rules by action, so that a lookup need not scan all rules. */

import { countEntries, MatcherIndex, type Matchers, matchers } from "../../engine/plan/actions.js";
import { isGlob } from "../../policy/glob.js";
import { exampleOf } from "../../policy/glob-classes.js";

export interface IndexedRule<R> {
  readonly rule: R;
  /** Where it stands among the rules. */
  readonly i: number;
  readonly actions: Matchers;
}

export class RulesByAction<R extends { readonly actions: readonly string[] }> {
  private readonly index: MatcherIndex<IndexedRule<R>>;

  constructor(rules: readonly R[]) {
    this.index = new MatcherIndex(
      rules.map((rule, i) => ({ rule, i, actions: matchers(rule.actions) })),
      ({ actions }) => [actions],
    );
  }

  /** The rules about an action, in their order. A pattern matches rules that list it or a wider pattern. */
  about(action: string): readonly IndexedRule<R>[] {
    if (!isGlob(action)) return this.index.about([action]);
    const example = exampleOf(action) ?? action;
    return this.index.rows.filter(
      ({ rule, actions }) => rule.actions.includes(action) || countEntries(actions, example) > 0,
    );
  }
}
