/** The names of functions on lists as sets, in each of their spellings. */

export const INTERSECTIONS: ReadonlySet<string> = new Set(["hasIntersection", "has_intersection"]);
export const SUBSETS: ReadonlySet<string> = new Set(["isSubset", "is_subset"]);

/** Every function that takes two lists. */
export const LIST_FUNCTIONS: ReadonlySet<string> = new Set([
  ...INTERSECTIONS,
  ...SUBSETS,
  "intersect",
  "except",
  "sets.contains",
  "sets.equivalent",
  "sets.intersects",
]);
