/** Attaches decisions to requests, for frameworks without a typed place for them on the request. */

import type { GuardDecision } from "./decision-record.js";

const known = new WeakMap<object, GuardDecision>();

export function attach(request: object, decided: GuardDecision): void {
  known.set(request, decided);
}

export function attachedIfAny(request: object): GuardDecision | undefined {
  return known.get(request);
}

/** The decision that let a request pass. Throws an `Error` if there is none: `authorize` did not run before the handler. */
export function attached(request: object): GuardDecision {
  const decided = attachedIfAny(request);
  if (decided === undefined) throw new Error("keyward: there is no decision on this request; is authorize before it?");
  return decided;
}
