/** Law 5, reduction: a key that loses something gains nothing. */

import * as fc from "fast-check";
import type { PolicySet } from "../../decisions/policy-set.js";
import { type OptionTable, TEXTS } from "../../policy/options.js";
import { permissionListsOf } from "../../space/permission-lists.js";
import { UNNAMED_ROLE } from "../../space/question-space.js";
import { SeededChoices } from "./choices.js";
import { type ListOptions, listsIn, withLists } from "./lists.js";
import { openingOf } from "./opening.js";
import { LAW_OPTIONS, type LawOptions, trialOf } from "./options.js";
import type { PlainRequest } from "./plain-request.js";
import { reportable } from "./reportable.js";
import { throwViolation } from "./violation.js";

const REDUCTION_OPTIONS = { ...LAW_OPTIONS, lists: TEXTS } satisfies OptionTable<LawOptions & ListOptions>;

/**
 * Law 5: removing a role from a key, or a member from one of its lists of permissions, never adds an `allow`
 * (docs/laws.md). Not a theorem: policies may deny because of a role or a permission. A key must have a role, so one
 * that loses its last role gets a role that no policy knows. Default of `lists`: the lists in which a condition looks
 * for a text that the policies write.
 */
export function reduction(
  policies: PolicySet,
  options: LawOptions & ListOptions = {},
): fc.IProperty<[{ readonly request: PlainRequest; readonly reduced: PlainRequest }]> {
  const { cases, ask } = trialOf(policies, options, REDUCTION_OPTIONS);
  const reducible = { lists: options.lists ?? permissionLists(policies) };
  const pairs = cases.chain((request) => {
    const things =
      request.key.roles.length + listsIn(request, reducible).reduce((sum, { items }) => sum + items.length, 0);
    // Mostly one thing is removed, so that no other removal hides its effect.
    const gone = fc.uniqueArray(fc.nat({ max: Math.max(0, things - 1) }), { minLength: 1, maxLength: 3 });
    return gone.map((indexes) => ({ request, reduced: reducedRequest(request, new Set(indexes), reducible) }));
  });
  return reportable(
    fc.property(pairs, ({ request, reduced }) => {
      const before = ask(request);
      const after = ask(reduced);
      const what = openingOf(before, after);
      if (what === undefined) return;
      throwViolation(`Reduction: a key that lost a role or a permission may do more: ${what}.`, [
        { label: "before", request, decision: before },
        { label: "after", request: reduced, decision: after },
      ]);
    }),
  );
}

/** The lists of permissions as {@link ListOptions} names them: `key.permissions`. */
function permissionLists(policies: PolicySet): readonly string[] {
  return [...permissionListsOf(policies)].map((name) => name.replace(".attr.", "."));
}

/** `gone`: indexes, counted over the roles first, then over the members of each list. */
function reducedRequest(request: PlainRequest, gone: ReadonlySet<number>, options: ListOptions): PlainRequest {
  let index = 0;
  const kept = <T>(items: readonly T[]): T[] => items.filter(() => !gone.has(index++));
  const roles = kept(request.key.roles);
  const key = { ...request.key, roles: roles.length > 0 ? roles : [UNNAMED_ROLE] };
  return withLists({ ...request, key }, options, kept);
}

/** The same request, with the key's roles and the members of its lists shuffled. */
export function reordered(request: PlainRequest, seed: number, options: ListOptions): PlainRequest {
  const choices = new SeededChoices(seed);
  const key = { ...request.key, roles: choices.shuffled(request.key.roles) };
  return withLists({ ...request, key }, options, (items) => choices.shuffled(items));
}
