/** Orders that a seed decides. */

export type Shuffle = <T>(items: readonly T[]) => T[];

/** A function that puts lists in orders that depend on `seed` and on the calls before. */
export function shuffler(seed: number): Shuffle {
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return <T>(items: readonly T[]): T[] => {
    const left = [...items];
    return items.flatMap(() => left.splice(next(left.length), 1));
  };
}
