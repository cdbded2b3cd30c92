/**
 * How much a run of the tests looks at. `npm test` takes a part of each sample, so that it is soon done;
 * `npm run test:long` takes all of it, and the files `*.long.test.ts` besides.
 */

/** Whether this is a run of `npm run test:long`. */
export const IS_LONG = process.env.KEYWARD_TIER === "long";

/** The size of a sample, and of what is expected to be found in it: a tenth in a short run, if nothing else is said. */
export function sized(long: number, short = Math.ceil(long / 10)): number {
  return IS_LONG ? long : short;
}
