/**
 * The seed of every generated value of a test file. `KEYWARD_SEED=n npx vitest run FILE` repeats a run; without it each
 * run is another one. Importing this module sets it.
 */

import fc from "fast-check";

const given = process.env.KEYWARD_SEED;

export const SEED = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);

if (!Number.isInteger(SEED)) throw new Error("KEYWARD_SEED must be a whole number");
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
say(`KEYWARD_SEED=${SEED}`);

/** A line for whoever reads the log of a run. */
export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
