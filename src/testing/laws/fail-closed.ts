/** The third law: damage does not open anything. */

import fc from "fast-check";
import type { PolicySet } from "../../decisions/policy-set.js";
import { askedAbout, touches } from "../../space/asked-about.js";
import { type Damage, damagedBy, damageSteps, type Mutation } from "./damage.js";
import { opened } from "./opened.js";
import { type LawOptions, trialOf } from "./options.js";
import type { Place } from "./places.js";
import type { PlainRequest } from "./plain-request.js";
import { requests } from "./requests.js";
import { violated } from "./violation.js";

export interface FailClosedOptions extends LawOptions {
  /** What to do to attributes. Default: `either` removes some and gives others values of another type. */
  readonly damage?: Extract<Damage, "removed" | "retyped" | "either">;
  /** Damage these alone: `resource.system`, `account.limits.keys`. One that is a map counts for all that is in it. */
  readonly only?: readonly string[];
  /**
   * Damage all but these. Default: attributes whose absence or type a policy asks about, by `has()`, by `type()` or by a
   * comparison with `null`: there the author has decided what a missing value means. `[]` damages those, too.
   */
  readonly except?: readonly string[];
}

/**
 * Law 3: taking attributes away, or giving them values of another type, never makes an `allow` of a refusal, neither of
 * the decision nor of one of its layers (docs/laws.md). One to four attributes are damaged at a time. Requests satisfy
 * their schemas before.
 */
export function failClosed(
  policies: PolicySet,
  options: FailClosedOptions = {},
): fc.IProperty<[{ readonly request: PlainRequest; readonly damaged: Mutation }]> {
  const { damage = "either", only, except = [...askedAbout(policies)] } = options;
  const wellTyped = options.requests ?? requests(policies, { wellTyped: true });
  const { cases, ask } = trialOf(policies, { ...options, requests: wellTyped });
  const may = (place: Place) => (only === undefined || within(place, only)) && !touches(place.join("."), except);
  // Apart from the request, so that both shrink.
  const pairs = fc
    .tuple(cases, damageSteps(damage))
    .map(([request, steps]) => ({ request, damaged: damagedBy(request, steps, may) }));
  return fc.property(pairs, ({ request, damaged }) => {
    const before = ask(request);
    const after = ask(damaged.request);
    const what = opened(before, after);
    if (what === undefined) return;
    violated(`Fail closed: damaged attributes opened something: ${what}.\nDamage:${damaged.what}`, [
      { label: "before", request, decision: before },
      { label: "after", request: damaged.request, decision: after },
    ]);
  });
}

function within(place: Place, names: readonly string[]): boolean {
  const name = place.join(".");
  return names.some((one) => name === one || name.startsWith(`${one}.`));
}
