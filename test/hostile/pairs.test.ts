/**
 * Random hostile pairs of policies and requests, each of a form that once stalled or crashed the library. No pair takes
 * more calls than the budgets allow, throws, or prints terminal commands. One process with little memory decides all of
 * them.
 *
 * @module-tag long
 */

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { ROOT } from "../support/built.js";
import { SEED, say } from "../support/seed.js";
import { sized } from "../support/size.js";
import { FORMS } from "./pairs/forms.js";
import type { Report } from "./pairs/report.js";

/** The most calls that the steps of two layers and the validations of one decision can pay for. */
const MOST_CALLS = 8_000_000;

/** The most calls for each character of the policies while compiling them. */
const MOST_FOR_A_CHARACTER = 200;

const MEGABYTE = 2 ** 20;

test("hostile pairs take what the budgets are worth, little memory, and throw nothing", { timeout: 7_200_000 }, () => {
  const count = sized(10_000, 380);
  const program = ["scripts/run-ts.mjs", "test/hostile/pairs/main.ts", String(count), String(SEED)];
  const env = { ...process.env, NODE_OPTIONS: "--max-old-space-size=100" };
  const options = { cwd: ROOT, encoding: "utf8", env, maxBuffer: MEGABYTE } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, program, options);
  expect([status, stderr]).toEqual([0, ""]);
  const { found, peak }: Report = JSON.parse(stdout);
  const forms = Object.entries(found);
  say(forms.map(([form, { pairs, met, calls }]) => `${form}: ${met} of ${pairs}, ${calls} calls at most`).join("\n"));
  say(`${Math.round(peak / MEGABYTE)} MB`);

  expect(forms.map(([form]) => form)).toEqual(Object.keys(FORMS));
  const each = Math.floor(count / forms.length);
  for (const [form, { pairs, met, threw, printed, calls, callsACharacter }] of forms) {
    expect([form, pairs >= each, met >= pairs / 10, threw, printed]).toEqual([form, true, true, 0, 0]);
    expect([form, calls]).toEqual([form, Math.min(calls, MOST_CALLS)]);
    expect([form, callsACharacter]).toEqual([form, Math.min(callsACharacter, MOST_FOR_A_CHARACTER)]);
  }
  expect(peak).toBeLessThan(200 * MEGABYTE);
});
