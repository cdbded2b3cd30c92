/** The lists of a key that contain grants: permissions, workspaces. */

import { attributePlacesOf, type LawPlace, valueAt, withAttributeReplaced } from "./attribute-places.js";
import type { PlainRequest } from "./plain-request.js";
import { isValueList, type PlainValue } from "./plain-request.js";

export interface ListOptions {
  /**
   * The names of the attributes that hold lists of grants: `key.permissions`. Default of `order`: every attribute of the
   * key that is a list of strings. Default of `reduction`: those in which a condition looks for a text that the policies
   * write.
   */
  readonly lists?: readonly string[];
}

/** The lists of a request that {@link ListOptions} selects. */
export function listsIn(
  request: PlainRequest,
  { lists }: ListOptions,
): readonly { place: LawPlace; items: PlainValue[] }[] {
  return attributePlacesOf(request).flatMap((place) => {
    const items = valueAt(request, place);
    if (!isValueList(items)) return [];
    const wanted =
      lists?.includes(place.join(".")) ?? (place[0] === "key" && items.every((item) => typeof item === "string"));
    return wanted ? [{ place, items }] : [];
  });
}

/** The request with `change` applied to each of its lists. */
export function withLists(
  request: PlainRequest,
  options: ListOptions,
  change: (items: readonly PlainValue[]) => PlainValue[],
): PlainRequest {
  return listsIn(request, options).reduce(
    (one, { place, items }) => withAttributeReplaced(one, place, change(items)),
    request,
  );
}
