/**
 * Sample sizes of the tests. `npm test` and `npm run test:long` take a part of each sample; `npm run test:whole` takes
 * the whole sample.
 */

export const IS_WHOLE = process.env.KEYWARD_SAMPLES === "whole";

/** Is a third of the part enough? Mutation testing sets this, since it runs tests for thousands of mutants. */
const IS_SMALL = process.env.KEYWARD_SAMPLES === "small";

/** The size of a sample, and of the expected number of cases in it. `part` is a tenth of the whole by default. */
export function sized(whole: number, part = Math.ceil(whole / 10)): number {
  if (IS_SMALL) return Math.ceil(part / 3);
  return IS_WHOLE ? whole : part;
}
