/**
 * Formulas agree with evaluation on every request, or leave the value open. This is tested for generated policies of
 * the full language, for each expression and each whole layer. Each fact holds for every request.
 *
 * @module-tag long
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { roleClassesOf } from "../../../src/engine/formula/plan-formulas.js";
import { findSolver } from "../../../src/solver/solver.js";
import { type Profile, policySet, request } from "../../property/arbitraries/index.js";
import { compiledDocuments } from "../../support/policies.js";
import { SEED, say } from "../../support/seed.js";
import { IS_WHOLE, sized } from "../../support/size.js";
import { Asked, newCounts, questionsOf, worded } from "./asked.js";

const SETS = sized(250, 15);
const REQUESTS = 40;
/** The number of operations asked about in each set. */
const QUESTIONS = 4;
const PROFILES: readonly Profile[] = ["any", "whole", "optionals", "typed"];

test("formulas say what evaluation says, or nothing", () => {
  const wrong: string[] = [];
  const counts = newCounts();
  const cases = fc
    .constantFrom(...PROFILES)
    .chain((profile) => policySet({ profile }))
    .chain((documents) =>
      fc.tuple(fc.constant(documents), fc.array(request(documents), { minLength: REQUESTS, maxLength: REQUESTS })),
    );
  fc.assert(
    fc.property(cases, ([documents, requests]) => {
      const policies = compiledDocuments(documents);
      const roles = roleClassesOf([policies]);
      if (roles === undefined) throw new Error("too many roles");
      for (const question of questionsOf(requests).slice(0, QUESTIONS)) {
        const asked = new Asked(policies, roles, [question], true);
        for (const one of requests) asked.check(one, counts, wrong);
      }
    }),
    { numRuns: SETS, endOnFailure: true },
  );
  expect(wrong.slice(0, 8)).toEqual([]);
  const share = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;
  say(
    `formulas: ${counts.pairs} expressions, ${share(counts.known, counts.pairs)} known; ${counts.verdicts} verdicts, ` +
      `${share(counts.knownVerdicts, counts.verdicts)} known; ${counts.facts} facts`,
  );
  say(`expressions, by outcome, and forms by pairs, known and erring: ${counts.forms}`);
  expect(counts.pairs).toBeGreaterThan(sized(100_000, 6_000));
  expect(counts.known / counts.pairs).toBeGreaterThan(0.5);
  expect(counts.knownVerdicts / counts.verdicts).toBeGreaterThan(0.6);
}, 1_200_000);

test("a solver says what evaluation says of a request, or does not know", async () => {
  // Slow questions mostly concern list elements, for which no values are given.
  const solver = findSolver({ timeLimit: 1_000 });
  if (solver === undefined) throw new Error("there is no solver");
  const wrong: string[] = [];
  const counts = newCounts();
  // Results that the solver confirms (`same`), results that it finds possible because formulas leave them open
  // (`possible`), results without an answer (`unknown`), and requests (`asked`).
  const said = { same: 0, possible: 0, unknown: 0, asked: 0 };
  const wanted = sized(100_000, 1_600);
  const cases = fc
    .constantFrom(...PROFILES)
    .chain((profile) => policySet({ profile }))
    .chain((documents) =>
      fc.tuple(fc.constant(documents), fc.array(request(documents), { minLength: REQUESTS, maxLength: REQUESTS })),
    );
  for (let n = 0; said.same + said.possible + said.unknown < wanted && wrong.length === 0; n++) {
    const [[documents, requests] = [[], []]] = fc.sample(cases, { numRuns: 1, seed: SEED + n });
    const policies = compiledDocuments(documents);
    const roles = roleClassesOf([policies]) ?? [];
    const asked = new Asked(policies, roles, questionsOf(requests), false);
    let unanswered = 0;
    for (const one of requests.slice(0, sized(REQUESTS, 8))) {
      const { given, facts, known, open } = asked.check(one, counts, wrong);
      if (known.length + open.length === 0) continue;
      said.asked++;
      // One question checks that all results of a request and all facts are satisfiable together. After three requests
      // without an answer, only the known results are checked, without the facts.
      if (unanswered < 3) {
        const whole = await solver.ask({ holds: [...given, ...facts, ...known, ...open], wanted: [], texts: "whole" });
        if (whole.kind === "unsatisfiable") wrong.push(`the solver excludes ${worded(one)}`);
        if (whole.kind === "satisfiable") {
          said.same += known.length;
          said.possible += open.length;
          continue;
        }
        unanswered++;
      }
      const alone = await solver.ask({ holds: [...given, ...known], wanted: [], texts: "whole" });
      if (alone.kind === "unsatisfiable") wrong.push(`the solver takes otherwise ${worded(one)}`);
      said[alone.kind === "satisfiable" ? "same" : "unknown"] += known.length;
      said.unknown += open.length;
    }
    if (IS_WHOLE && n % 10 === 9) say(`after ${n + 1} sets: ${JSON.stringify(said)}`);
  }
  solver.close();
  say(`expressions of requests, by the solver: ${JSON.stringify(said)}; ${counts.forms}`);
  expect(wrong.slice(0, 8)).toEqual([]);
  for (const outcome of ["true", "false", "error"] as const) {
    expect(counts.forms.outcome(outcome), outcome).toBeGreaterThan(wanted / 100);
  }
  expect(said.same).toBeGreaterThan(wanted / 3);
  // How many have no answer depends on the speed of the machine, too.
  expect(said.unknown).toBeLessThan(wanted / 2);
}, 7_200_000);
