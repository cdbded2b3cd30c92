/** Functions of two lists. All code that tells the tests of two lists apart uses this table. */

/** A test of the first list against the second, both as sets: elements are compared by `==`. */
export type ListRelation = "intersects" | "within" | "contains" | "equivalent";

export const LIST_RELATIONS: ReadonlyMap<string, ListRelation> = new Map([
  ["hasIntersection", "intersects"],
  ["has_intersection", "intersects"],
  ["isSubset", "within"],
  ["is_subset", "within"],
  ["sets.contains", "contains"],
  ["sets.equivalent", "equivalent"],
  ["sets.intersects", "intersects"],
  ["hasAll", "contains"],
  ["hasAny", "intersects"],
  ["hasExactly", "equivalent"],
  ["hasOnly", "within"],
]);

/** Every function that takes two lists. */
export const LIST_FUNCTIONS: ReadonlySet<string> = new Set([...LIST_RELATIONS.keys(), "intersect", "except"]);
