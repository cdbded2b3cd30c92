/** What functions are asked for, where they are for several plans. */

import { MAX_SELECTED, selectionOf } from "../generate/selection.js";
import type { Needs } from "../generate/written.js";
import type { Conditioned } from "../plan/plans.js";
import type { Binding, Holding, Wanted } from "./equipment.js";

/**
 * What a function for all `related` conditions of each layer is wanted for by whoever wants some of them. Undefined where one for
 * itself is as good, or where they are too many.
 */
export function shared({ layers }: Wanted, related: readonly (readonly Conditioned[])[]): Wanted | undefined {
  const all = related.flat();
  const own = layers.flatMap(({ conditions }) => conditions);
  if (own.length === 0 || own.length === all.length || all.length > MAX_SELECTED) return undefined;
  const some: number[] = [];
  let first = 0;
  for (const [i, { conditions }] of layers.entries()) {
    const numbers = new Map((related[i] ?? []).map((what, number) => [what, first + number]));
    for (const { what } of conditions) {
      const number = numbers.get(what);
      if (number === undefined) return undefined;
      some.push(number);
    }
    first += numbers.size;
  }
  const whole = layers.map((layer, i) => ({ ...layer, conditions: (related[i] ?? []).map((what) => ({ what })) }));
  return { layers: whole, some };
}

/** How a function is asked for what is wanted of it; undefined if it cannot be. */
export function selectedOf(
  { some }: Wanted,
  { left, reads, selective }: Pick<Needs, "left" | "reads" | "selective">,
): (Pick<Binding, "selection" | "reads"> & Pick<Holding, "left">) | undefined {
  if (some === undefined || selective === undefined) return { selection: undefined, reads, left };
  const selection = selectionOf(some, left, selective);
  if (selection === undefined) return undefined;
  const isRead = (i: number): boolean => ((selective.readFor[i] ?? 0) & selection.asked) !== 0;
  return { selection, reads: reads.map((read, i) => (isRead(i) ? read : undefined)), left: [] };
}
