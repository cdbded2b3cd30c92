/** Measures how much an object keeps alive: the number of objects that can be reached from it. */

/** Counts reachable objects and the entries of maps and sets. `others` and their content are not counted. */
export function kept(root: object, ...others: readonly object[]): number {
  const seen = new Set<object>();
  for (const other of others) reach(other, seen);
  const before = seen.size;
  return reach(root, seen) - before;
}

/** Adds reachable objects to `seen`, and returns its new size. */
function reach(root: object, seen: Set<object>): number {
  const pending: unknown[] = [root];
  for (let next = pending.pop(); pending.length > 0 || next !== undefined; next = pending.pop()) {
    if (typeof next !== "object" || next === null || seen.has(next)) continue;
    seen.add(next);
    if (next instanceof Map) for (const entry of next) pending.push([...entry]);
    else if (next instanceof Set) for (const item of next) pending.push([item]);
    for (const value of Object.values(next)) pending.push(value);
  }
  return seen.size;
}
