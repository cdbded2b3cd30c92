/** One text with all mutants of a source behaves as each mutant does alone. */

import { Script } from "node:vm";
import { expect, test } from "vitest";
import { instrumented, VARIABLES } from "./instrument.js";
import { faultsOf } from "./mutations.js";

const SOURCE = `
  const found = [];
  for (const one of [1, 2, 3].filter((n) => n !== 2)) {
    if (one < 3 && !out.has(one)) continue;
    found.push(one + (given?.more ?? 10));
  }
  let left = 2;
  while (left > 0) left = left - 1;
  for (const one of found) if (one > 12) break; else found[0] = { "key": one, text: "" };
  out.result = [found, left, given?.more];
`;

interface Out {
  readonly result?: unknown;
  has(one: number): boolean;
}

/** The program's result, or its error. */
function outcome(text: string, mutant: number) {
  const out: Out = { has: (one) => one === 1 };
  const reached = new Uint8Array(100);
  const steps = { count: 0, most: 20, endless: () => new RangeError("endless") };
  const names = [VARIABLES.mutant, VARIABLES.reached, VARIABLES.steps, "out", "given"];
  const run = new Script(`(function (${names.join(", ")}) {${text}\n})`).runInThisContext();
  try {
    run(mutant, reached, steps, out, undefined);
    return { result: out.result, reached };
  } catch (error) {
    return { result: error instanceof Error ? error.name : error, reached };
  }
}

const faults = faultsOf("a.ts", SOURCE);
const all = instrumented(SOURCE, faults, 0);

test("without a mutant it is the source, and says what was reached: all but `continue`", () => {
  const { result, reached } = outcome(all, -1);
  expect(result).toEqual(outcome(SOURCE, -1).result);
  expect(result).toEqual([[{ key: 11, text: "" }, 13], 0, undefined]);
  expect([...reached.keys()].filter((number) => reached[number] === 1)).toHaveLength(faults.mutants.length - 1);
});

test.each(faults.mutants.map((mutant, number) => ({ ...mutant, number })))("$line $what", (mutant) => {
  const alone = SOURCE.slice(0, mutant.start) + mutant.text + SOURCE.slice(mutant.end);
  const counted = instrumented(alone, { mutants: [], bodies: faultsOf("a.ts", alone).bodies }, 0);
  expect(outcome(all, mutant.number).result).toEqual(outcome(counted, -1).result);
});

test("what loops without end is ended", () => {
  const endless = faults.mutants.findIndex(({ what }) => what === "statement left out");
  expect(endless).toBeGreaterThan(-1);
  expect(outcome(instrumented("while (true) ;", faultsOf("a.ts", "while (true) ;"), 0), -1).result).toBe("RangeError");
});
