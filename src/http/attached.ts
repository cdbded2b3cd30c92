/** Decisions by the requests they were made for, for frameworks whose requests have no typed place for them. */

import type { Decided } from "./decision-record.js";

const known = new WeakMap<object, Decided>();

export function attach(request: object, decided: Decided): void {
  known.set(request, decided);
}

/**
 * The decision by which a request was let pass.
 * Throws an `Error` if there is none: the handler does not stand behind `authorize`.
 */
export function attached(request: object): Decided {
  const decided = known.get(request);
  if (decided === undefined) throw new Error("keyward: there is no decision on this request; is authorize before it?");
  return decided;
}
