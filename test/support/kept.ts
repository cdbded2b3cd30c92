/** How much something keeps alive: the objects that can be reached from it. */

/** Counts objects, the entries of maps and sets among them; what `others` is or holds is not counted. */
export function kept(root: object, ...others: readonly object[]): number {
  const seen = new Set<object>();
  for (const other of others) reach(other, seen);
  const before = seen.size;
  return reach(root, seen) - before;
}

/** Adds what can be reached; how many there are then. */
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
