/** Laws 1 and 2: neither layer sees the data of the other. */

import * as fc from "fast-check";
import type { PolicySet } from "../../decisions/policy-set.js";
import { isSameVerdict } from "./equality.js";
import { type LawOptions, trialOf } from "./options.js";
import type { PlainRequest } from "./plain-request.js";
import { reportable } from "./reportable.js";
import { throwViolation } from "./violation.js";

/** The maximum number of other requests, from which each request gets other keys, or accounts. */
const OTHERS = 4;

/**
 * Law 1: a `forbidden` request is `forbidden` for every key, with the same platform verdict (docs/laws.md). The other
 * keys come from other requests; one more is made from the account's data.
 */
export function keySwap(policies: PolicySet, options: LawOptions = {}): fc.IProperty<[PlainRequest, PlainRequest[]]> {
  const { cases, ask } = trialOf(policies, options);
  return reportable(
    fc.property(cases, fc.array(cases, { minLength: 1, maxLength: OTHERS }), (request, others) => {
      const decision = ask(request);
      const { account } = request;
      const dressed = { ...request.key, id: account.id, roles: ["account"], attr: account.attr };
      for (const key of [...others.map((other) => other.key), dressed]) {
        const swapped = { ...request, key };
        const other = ask(swapped);
        const same = (decision.outcome === "forbidden") === (other.outcome === "forbidden");
        if (same && isSameVerdict(decision.platform, other.platform)) continue;
        throwViolation("Key swap: another key changed the verdict of the platform layer.", [
          { label: "with one key", request, decision },
          { label: "with another key", request: swapped, decision: other },
        ]);
      }
    }),
  );
}

/** Law 2: the permission verdict is the same under every account (docs/laws.md). */
export function accountSwap(
  policies: PolicySet,
  options: LawOptions = {},
): fc.IProperty<[PlainRequest, PlainRequest[]]> {
  const { cases, ask } = trialOf(policies, options);
  return reportable(
    fc.property(cases, fc.array(cases, { minLength: 1, maxLength: OTHERS }), (request, others) => {
      const decision = ask(request);
      const { key } = request;
      const dressed = { ...request.account, id: key.id, attr: key.attr };
      for (const account of [...others.map((other) => other.account), dressed]) {
        const swapped = { ...request, account };
        const other = ask(swapped);
        if (isSameVerdict(decision.permission, other.permission)) continue;
        throwViolation("Account swap: another account changed the verdict of the permission layer.", [
          { label: "under one account", request, decision },
          { label: "under another account", request: swapped, decision: other },
        ]);
      }
    }),
  );
}
