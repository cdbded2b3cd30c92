/**
 * How much a run of the tests looks at. `npm test` and `npm run test:long` take a part of each sample;
 * `npm run test:whole` takes all of it.
 */

/** Whether samples are taken whole. */
export const IS_WHOLE = process.env.KEYWARD_SAMPLES === "whole";

/** Whether a third of the part is enough, as it is where tests are asked about thousands of mutants. */
const IS_SMALL = process.env.KEYWARD_SAMPLES === "small";

/** The size of a sample, and of what is expected to be found in it: a tenth of the whole, if nothing else is said. */
export function sized(whole: number, part = Math.ceil(whole / 10)): number {
  if (IS_SMALL) return Math.ceil(part / 3);
  return IS_WHOLE ? whole : part;
}
