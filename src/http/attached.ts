/** Decisions by the requests they were made for, for frameworks whose requests have no typed place for them. */

import type { Decided } from "./decision-record.js";

const known = new WeakMap<object, Decided>();

export function attach(request: object, decided: Decided): void {
  known.set(request, decided);
}

export function attachedIfAny(request: object): Decided | undefined {
  return known.get(request);
}

/**
 * The decision by which a request was let pass.
 * Throws an `Error` if there is none: the handler does not stand behind `authorize`.
 */
export function attached(request: object): Decided {
  const decided = attachedIfAny(request);
  if (decided === undefined) throw new Error("keyward: there is no decision on this request; is authorize before it?");
  return decided;
}
