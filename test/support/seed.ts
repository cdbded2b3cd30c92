/**
 * The seed of all generated values. It is the same in every run, so a new failure is due to the change at hand.
 * `KEYWARD_SEED=random npx vitest run` searches further, and `KEYWARD_SEED=n npx vitest run FILE` repeats a run.
 * Importing this module sets the seed of fast-check.
 */

import fc from "fast-check";

const DEFAULT_SEED = 20_261_121;
const given = process.env.KEYWARD_SEED;

export const SEED = given === undefined ? DEFAULT_SEED : given === "random" ? randomSeed() : Number(given);

if (!Number.isInteger(SEED)) throw new Error('KEYWARD_SEED must be a whole number, or "random"');
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
if (given !== undefined) say(`KEYWARD_SEED=${SEED}`);

function randomSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}

/** Writes a line to the log of the run. */
export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
