/**
 * Reads the policies of mutants. The reason of a rule without a name is made of its words, so a change of the words
 * changes the reason, but no decision. A mutant's rule keeps the reason that the rule has without the change: then
 * reasons differ only where other rules decide.
 */

import { type Either, map } from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import type { CerbosLevel } from "../cel/levels.js";
import type { PolicyIssue } from "../policy/issue.js";
import type { PolicyModel, Rule } from "../policy/model.js";
import { type PolicyFile, PolicyReader } from "../policy/parse.js";

export class MutantReader extends PolicyReader {
  /** The reasons of the rules without a name, by policy. */
  private readonly reasons: ReadonlyMap<string, readonly string[]>;

  constructor({ resourcePolicies, principalPolicies }: PolicyModel) {
    super();
    this.reasons = new Map(
      [...resourcePolicies, ...principalPolicies].map(({ key, rules }) => [key, derivedReasons(rules)]),
    );
  }

  override read(files: readonly PolicyFile[], level?: CerbosLevel): Either<NonEmptyArray<PolicyIssue>, PolicyModel> {
    return map((model: PolicyModel) => ({
      ...model,
      resourcePolicies: model.resourcePolicies.map((policy) => this.kept(policy)),
      principalPolicies: model.principalPolicies.map((policy) => this.kept(policy)),
    }))(super.read(files, level));
  }

  /** A mutant changes one rule, so at most one reason is new, and one is gone. */
  private kept<R extends Rule, P extends { readonly key: string; readonly rules: readonly R[] }>(policy: P): P {
    const before = this.reasons.get(policy.key) ?? [];
    const after = derivedReasons(policy.rules);
    const gone = before.find((reason) => !after.includes(reason));
    if (gone === undefined || after.every((reason) => before.includes(reason))) return policy;
    const rules = policy.rules.map((rule) =>
      rule.derivedReason === undefined || before.includes(rule.derivedReason) ? rule : { ...rule, derivedReason: gone },
    );
    return { ...policy, rules };
  }
}

function derivedReasons(rules: readonly Rule[]): readonly string[] {
  return rules.flatMap(({ derivedReason }) => derivedReason ?? []);
}
