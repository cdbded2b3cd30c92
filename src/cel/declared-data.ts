/** What is declared of a value, written out as data. */

import type { Declared } from "./declared.js";
import type { CelValue, JsonScalar } from "./values.js";

/**
 * As `Declared` has it, with the members that have names, and of `others` those that have none of these. `null`: nothing.
 */
export type DeclaredData =
  | readonly [
      kinds: number,
      words: string,
      hasParts: boolean,
      scalars: readonly JsonScalar[] | null,
      listed: readonly CelValue[],
      items: DeclaredData,
      others: DeclaredData,
      members: readonly (readonly [name: string, declared: DeclaredData])[],
    ]
  | null;

/**
 * `count`: how many may be written yet, which is less than none where there were more: schemas that contain themselves have
 * no end.
 */
export function dataOf(declared: Declared | undefined, count: { left: number }): DeclaredData {
  if (declared === undefined || --count.left < 0) return null;
  const { kinds, words, hasParts, scalars, listed, items, names } = declared;
  return [
    kinds,
    words,
    hasParts,
    scalars === undefined ? null : [...scalars],
    listed,
    dataOf(items, count),
    dataOf(declared.member(undefined), count),
    [...names].sort().map((name) => [name, dataOf(declared.member(name), count)] as const),
  ];
}
