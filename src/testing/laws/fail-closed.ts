/** Law 3, fail closed: damaged attributes never open anything. */

import * as fc from "fast-check";
import type { PolicySet } from "../../decisions/policy-set.js";
import { among, type OptionTable, TEXTS } from "../../policy/options.js";
import { askedAbout, touches } from "../../space/asked-about.js";
import type { LawPlace } from "./attribute-places.js";
import { type Damage, damagedBy, damageSteps, type RequestMutation } from "./damage.js";
import { openingOf } from "./opening.js";
import { LAW_OPTIONS, type LawOptions, trialOf } from "./options.js";
import type { PlainRequest } from "./plain-request.js";
import { reportable } from "./reportable.js";
import { requests } from "./requests.js";
import { throwViolation } from "./violation.js";

export interface FailClosedOptions extends LawOptions {
  /** The damage. Default: `either` removes some attributes and gives others values of another type. */
  readonly damage?: Extract<Damage, "removed" | "retyped" | "either">;
  /** Damage only these attributes: `resource.system`, `account.limits.keys`. A map includes all its attributes. */
  readonly only?: readonly string[];
  /**
   * Do not damage these attributes. Default: attributes whose absence or type a policy tests, by `has()`, `type()` or a
   * comparison with `null`: there the author has decided the meaning of a missing value. With `[]`, all are damaged.
   */
  readonly except?: readonly string[];
}

const FAIL_CLOSED_OPTIONS = {
  ...LAW_OPTIONS,
  damage: among(["removed", "retyped", "either"]),
  only: TEXTS,
  except: TEXTS,
} satisfies OptionTable<FailClosedOptions>;

/**
 * Law 3: an attribute that is removed, or gets a value of another type, never turns a refusal into an `allow`, neither
 * in the decision nor in one of its layers (docs/laws.md). Each request has one to four damaged attributes. Before the
 * damage, requests satisfy their schemas.
 */
export function failClosed(
  policies: PolicySet,
  options: FailClosedOptions = {},
): fc.IProperty<[{ readonly request: PlainRequest; readonly damaged: RequestMutation }]> {
  const { damage = "either", only, except = [...askedAbout(policies)] } = options;
  const wellTyped = options.requests ?? requests(policies, { wellTyped: true });
  const { cases, ask } = trialOf(policies, { ...options, requests: wellTyped }, FAIL_CLOSED_OPTIONS);
  const may = (place: LawPlace) => (only === undefined || within(place, only)) && !touches(place.join("."), except);
  // Generated separately from the request, so that both can shrink.
  const pairs = fc
    .tuple(cases, damageSteps(damage))
    .map(([request, steps]) => ({ request, damaged: damagedBy(request, steps, may) }));
  return reportable(
    fc.property(pairs, ({ request, damaged }) => {
      const before = ask(request);
      const after = ask(damaged.request);
      const what = openingOf(before, after);
      if (what === undefined) return;
      throwViolation(`Fail closed: damaged attributes allowed more: ${what}.\nDamage:${damaged.what}`, [
        { label: "before", request, decision: before },
        { label: "after", request: damaged.request, decision: after },
      ]);
    }),
  );
}

function within(place: LawPlace, names: readonly string[]): boolean {
  const name = place.join(".");
  return names.some((one) => name === one || name.startsWith(`${one}.`));
}
