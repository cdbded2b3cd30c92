/**
 * 200 mistakes planted in the text of the shipped policies. A suite kills each, a proof says that no decision changes, or a
 * request shows the change. A request also shows those that a suite kills, as if there were none. Where such a request
 * changes the effect of the permission layer, the real server gives both effects.
 *
 * @module-tag long
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import * as E from "fp-ts/lib/Either.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decideAny } from "../../src/decisions/decide.js";
import { compilePolicies, type PolicyFile, type PolicySet } from "../../src/index.js";
import { answerOf, DIFFERENCES, differ } from "../../src/mutate/answer.js";
import { SuiteChecks } from "../../src/mutate/checks.js";
import { type ComparisonResult, MutantComparison } from "../../src/mutate/comparison.js";
import { findSolver } from "../../src/solver/solver.js";
import { type RequestJson, requestOf } from "../../src/space/draft.js";
import { readSuiteDirectory } from "../../src/testing/suites.js";
import { mutatedRequest, type PlainRequest, shippedRequest } from "../property/arbitraries/index.js";
import { SHIPPED_ROOT, shipped, shippedFiles } from "../support/policies.js";
import { SEED, say } from "../support/seed.js";
import { NO_SERVER, type Server, startServer } from "../support/server.js";
import { IS_WHOLE, sized } from "../support/size.js";
import { type PlantedMistake, planted, TEXT_EDITS } from "./planted.js";

const solver = findSolver({ timeLimit: 30_000 });
let server: Server | undefined;
let home = "";

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "keyward-planted-"));
  server = NO_SERVER === undefined ? await startServer(home) : undefined;
});

afterAll(async () => {
  await solver?.close();
  await server?.stop();
  await rm(home, { recursive: true, force: true });
});

interface LoadedMistake extends PlantedMistake {
  readonly set: PolicySet;
}

/** The first mistakes that load; those that do not are found by the loader. */
function loadedMistakes(files: readonly PolicyFile[], count: number, seed: number) {
  const found: LoadedMistake[] = [];
  const refused: PlantedMistake[] = [];
  for (let i = 0; found.length < count && i < 50 * count; i++) {
    const mistake = planted(files, seed + i);
    if (mistake === undefined) continue;
    const set = compilePolicies(mistake.files, { codegen: false });
    if (E.isLeft(set)) refused.push(mistake);
    else found.push({ ...mistake, set: set.right });
  }
  return { found, refused };
}

function textOf(set: PolicySet, one: PlainRequest): string {
  const { outcome, fault, permission, platform } = decideAny(set, one);
  // The message of a fault quotes the expression.
  return JSON.stringify([outcome, fault?.kind, permission.reasons, platform.reasons]);
}

/** The request must show a difference. */
function expectShown({ name, set }: LoadedMistake, request: RequestJson): void {
  const answers = [answerOf(shipped, request), answerOf(set, request)] as const;
  const kinds = DIFFERENCES.filter((kind) => differ(...answers, kind));
  expect(kinds, `${name}: ${JSON.stringify(request)}`).not.toEqual([]);
}

describe("in the shipped policies", () => {
  const mistakes = loadedMistakes(shippedFiles, sized(200, 20), SEED);
  const killed: LoadedMistake[] = [];
  const equivalent: LoadedMistake[] = [];
  const survivors: LoadedMistake[] = [];

  test("each one is killed by a suite, proved equivalent, or shown by a request", async () => {
    const read = await readSuiteDirectory(SHIPPED_ROOT)();
    if (E.isLeft(read)) throw new Error("the suites cannot be read");
    const suites = SuiteChecks.read(read.right, shipped, {});
    if (E.isLeft(suites)) throw new Error("the suites have faults");
    expect(mistakes.found).toHaveLength(sized(200, 20));
    for (const mistake of mistakes.found) {
      if (suites.right.failing(mistake) !== undefined) {
        killed.push(mistake);
        continue;
      }
      const result = await new MutantComparison(shipped, mistake.set, solver).result();
      if (result.kind === "unproven") throw new Error(`${mistake.name}: ${result.why}`);
      if (result.kind === "equal") {
        equivalent.push(mistake);
        continue;
      }
      expectShown(mistake, result.request);
      await replaysOnServer(mistake, result);
      survivors.push(mistake);
    }
    for (const { name } of survivors) say(`no suite notices ${name}`);
    expect(survivors.length).toBeLessThan(mistakes.found.length / 20);
    if (!IS_WHOLE) return;
    expect(equivalent.length).toBeGreaterThan(10);
    expect(mistakes.refused.length).toBeGreaterThan(0);
    const edits = [...mistakes.found, ...mistakes.refused].map(({ edit }) => edit);
    expect(new Set(edits).size).toBe(Object.keys(TEXT_EDITS).length);
  }, 3_600_000);

  test("those that are proved equivalent decide 20,000 requests alike", () => {
    const requests = fc.sample(shippedRequest(), { numRuns: sized(20_000), seed: SEED }).flatMap((one, i) => {
      const mutated = fc.sample(mutatedRequest(one), { numRuns: 1, seed: SEED + i });
      return [one, ...mutated.map(({ request }) => request)].slice(i % 2, (i % 2) + 1);
    });
    const before = requests.map((one) => textOf(shipped, one));
    for (const { name, set } of equivalent) {
      const shown = requests.findIndex((one, i) => textOf(set, one) !== before[i]);
      expect(shown, `${name}: ${JSON.stringify(requests[shown])}`).toBe(-1);
    }
  }, 3_600_000);

  test("a request shows those that a suite kills, on the real server, too", async () => {
    const counts = { different: 0, unproven: 0, onServer: 0 };
    const every = sized(4, 5);
    for (const mistake of killed.filter((_, i) => i % every === 0)) {
      const result = await new MutantComparison(shipped, mistake.set, solver).result();
      // A test that fails shows a decision that differs.
      if (result.kind === "equal") throw new Error(`${mistake.name}: proved equivalent`);
      counts[result.kind]++;
      if (result.kind === "unproven") continue;
      expectShown(mistake, result.request);
      if (await replaysOnServer(mistake, result)) counts.onServer++;
    }
    say(`planted mistakes ${JSON.stringify(counts)}`);
    expect(counts.different).toBeGreaterThan(counts.unproven);
    if (server !== undefined && IS_WHOLE) expect(counts.onServer).toBeGreaterThan(counts.different / 10);
  }, 3_600_000);
});

/**
 * Expects the server to give the effects of the permission layer, before and after. False if that layer decides the same,
 * or with an error: the server passes over a rule that errs.
 */
async function replaysOnServer({ set, files, name }: LoadedMistake, result: ComparisonResult): Promise<boolean> {
  if (server === undefined || result.kind !== "different" || result.isMalformed) return false;
  const verdicts = [shipped, set].map((one) => decideAny(one, requestOf(result.request)).permission);
  const [before, after] = verdicts.map(({ effect }) => effect);
  if (before === after || verdicts.some(({ errors }) => errors.length > 0)) return false;
  const there = [await onServer(server, shippedFiles, result.request), await onServer(server, files, result.request)];
  expect(there, `${name}: ${JSON.stringify(result.request)}`).toEqual([before, after]);
  return true;
}

/** The answer of the server for the permission layer. */
async function onServer(
  { evaluate }: Server,
  files: readonly PolicyFile[],
  { key, resource, operation }: RequestJson,
): Promise<string> {
  const { text } = await evaluate({
    playgroundId: "planted",
    files: files
      .filter(({ path }) => !path.endsWith("keyward.yaml"))
      .map(({ path, text: contents }) => ({ fileName: path, contents: Buffer.from(contents).toString("base64") })),
    principal: key,
    resource,
    actions: [operation],
  });
  const answer: { success?: { results: readonly { action: string; effect: string }[] } } = JSON.parse(text);
  const effect = answer.success?.results.find(({ action }) => action === operation)?.effect ?? text;
  return effect.replace("EFFECT_", "").toLowerCase();
}
