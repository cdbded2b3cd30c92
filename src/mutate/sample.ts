/** Deterministic order of mutants for a seed. */

/** The items in an order that the seed determines. */
export function shuffled<T>(items: readonly T[], seed: number): readonly T[] {
  const random = generator(seed);
  const all = [...items];
  for (let left = all.length - 1; left > 0; left--) {
    const at = Math.floor(random() * (left + 1));
    const [one, other] = [all[left], all[at]];
    if (one === undefined || other === undefined) continue;
    all[left] = other;
    all[at] = one;
  }
  return all;
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
