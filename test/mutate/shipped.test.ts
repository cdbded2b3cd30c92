/**
 * The suites of the shipped policies notice every change that is not proved to change no decision.
 *
 * @module-tag long
 */

import fc from "fast-check";
import * as E from "fp-ts/lib/Either.js";
import { afterAll, expect, test } from "vitest";
import { decideAny } from "../../src/decisions/decide.js";
import type { PermissionRequest, PolicySet } from "../../src/index.js";
import { ClaimChecks, SuiteChecks } from "../../src/mutate/checks.js";
import { mutantsOf, mutatedFiles } from "../../src/mutate/mutants.js";
import type { MutationReport } from "../../src/mutate/report.js";
import { runMutants } from "../../src/mutate/run.js";
import { findSolver } from "../../src/solver/solver.js";
import { isDecisionSuite, readSuiteDirectory } from "../../src/testing/suites.js";
import { mutatedRequest, shippedRequest } from "../property/arbitraries/index.js";
import { compiled, SHIPPED_ROOT, shipped, shippedFiles } from "../support/policies.js";
import { SEED } from "../support/seed.js";

const solver = findSolver({ timeLimit: 30_000 });
afterAll(() => solver?.close());

const read = await readSuiteDirectory(SHIPPED_ROOT)();
if (E.isLeft(read)) throw new Error("the suites cannot be read");
const suites = read.right;

/** Runs mutants with the suites whose paths are among these, and without claims. */
async function run(
  isTested: (path: string) => boolean,
  isWanted = (_id: string): boolean => true,
): Promise<MutationReport> {
  const files = new Map([...suites].filter(([path]) => !isDecisionSuite(path) || isTested(path)));
  const checks = SuiteChecks.read(files, shipped, {});
  const claims = await ClaimChecks.of([], shipped, solver);
  if (E.isLeft(checks) || E.isLeft(claims)) throw new Error("the suites have faults");
  const options = { compile: {}, isWanted: ({ id }: { readonly id: string }) => isWanted(id) };
  return await runMutants(shipped, { suites: checks.right, claims: claims.right }, solver, options);
}

test("each mutant is killed or equivalent; equivalent ones decide 20,000 requests alike", async () => {
  const report = await run(() => true);
  expect(report).toMatchObject({ survivors: [], unproven: [], score: 100 });
  expect(report.killed).toBeGreaterThan(500);
  const deleting = report.kills.filter(({ file, line, from }) => isDeleting(file, line) && from === "V.in_reach && ");
  expect(deleting).toMatchObject([{ by: expect.stringContaining("testdata/permissions.decisions.yaml") }]);
  const mutants = new Map(mutantsOf(shipped).map((one) => [one.id, one]));
  const requests = requestsFor(Math.ceil(20_000 / report.equivalent.length));
  const answers = requests.map((request) => answerOf(shipped, request));
  const different = report.equivalent.filter(({ id }) => {
    const mutant = mutants.get(id);
    const after = compiled(mutant === undefined ? [] : mutatedFiles(shippedFiles, mutant), { codegen: false });
    return requests.some((request, i) => answerOf(after, request) !== answers[i]);
  });
  expect(different).toEqual([]);
}, 300_000);

test("without a suite its mutants survive", async () => {
  const wanted = mutantsOf(shipped).filter(({ file, line }) => isDeleting(file, line));
  const ids = new Set(wanted.map(({ id }) => id));
  const report = await run(
    (path) => !path.includes("permissions.decisions"),
    (id) => ids.has(id),
  );
  const changes = report.survivors.map(({ change }) => change);
  expect(changes).toContain("conjunct left out: V.in_reach");
  for (const { before, after, malformed } of report.survivors) {
    expect(before.fault).toBeUndefined();
    expect([malformed, before.outcome === after.outcome]).toEqual([false, false]);
  }
}, 300_000);

/** Is this the expression of the rule that allows to delete APIs by a permission? */
function isDeleting(file: string, line: number): boolean {
  const text = shippedFiles.find(({ path }) => path === file)?.text.split("\n")[line - 1];
  return file === "permissions/api.yaml" && text?.includes(".delete_api") === true;
}

function answerOf(set: PolicySet, request: PermissionRequest): string {
  const { outcome, fault, permission, platform } = decideAny(set, request);
  return JSON.stringify([outcome, fault, permission.reasons, platform.reasons]);
}

function requestsFor(count: number): readonly PermissionRequest[] {
  const drawn = fc.sample(shippedRequest(), { numRuns: Math.ceil(count / 2), seed: SEED });
  return drawn.flatMap((one, i) => [
    one,
    ...fc.sample(mutatedRequest(one), { numRuns: 1, seed: SEED + i }).map(({ request }) => request),
  ]);
}
