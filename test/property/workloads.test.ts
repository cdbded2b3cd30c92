/** The policies of comparative benchmarks answer as the handwritten functions beside them do. */

import { describe, expect, test } from "vitest";
import { type App, questions } from "../../bench/apps/app.js";
import { gdrive } from "../../bench/apps/gdrive.js";
import { github } from "../../bench/apps/github.js";
import { tinytodo } from "../../bench/apps/tinytodo.js";
import { OLD, unitOf } from "../../bench/loadtest/policies.js";
import { answersByHand, batches, mayByHand, questionsOf } from "../../bench/loadtest/requests.js";
import { compileCheckEngineOrThrow, EmbeddedClient } from "../../src/cerbos/index.js";
import { compilePoliciesOrThrow, decide, type PermissionRequest } from "../../src/index.js";

/** Graphs of each of seven sizes, with questions about each. */
const WORLDS = 3;
const QUESTIONS = 60;

function answersOfApp<R extends PermissionRequest>(app: App<R>): void {
  const policies = compilePoliciesOrThrow(app.policies, { platform: "none" });
  const all = questions(app, WORLDS, QUESTIONS);
  for (const asked of all) {
    const { outcome } = decide(policies, asked.request);
    expect(outcome === "allow", JSON.stringify(asked.request)).toBe(app.byHand.count([asked]) === 1);
  }
  // If one answer were too frequent, a policy with a constant answer could pass.
  expect(app.byHand.count(all) / all.length).toBeGreaterThan(0.4);
  expect(app.byHand.count(all) / all.length).toBeLessThan(0.6);
  const operations = new Set(all.map(({ request }) => request.operation));
  for (const operation of operations) {
    const some = all.filter(({ request }) => request.operation === operation);
    expect(app.byHand.count(some), operation).toBeGreaterThan(0);
  }
}

describe("applications that Cedar was measured on", () => {
  test("gdrive", () => answersOfApp(gdrive));
  test("github", () => answersOfApp(github));
  test("tinytodo", () => answersOfApp(tinytodo));
});

describe("policies that the Cerbos server is loaded with", () => {
  const UNITS = 5;
  const files = Array.from({ length: UNITS }, (_, unit) => unitOf(unit)).flat();
  const all = batches(1_000, UNITS);

  test("batches", async () => {
    const client = new EmbeddedClient(compileCheckEngineOrThrow(files));
    const effects = new Set<string>();
    for (const batch of all) {
      const { results } = await client.checkResources(batch);
      const wanted = answersByHand(batch);
      expect(results.map(({ actions }) => actions)).toEqual(wanted);
      for (const answer of wanted) {
        for (const [action, effect] of Object.entries(answer)) effects.add(`${action} ${effect}`);
      }
    }
    const both = ["view:public", "approve", "create", "delete"].flatMap((one) => [
      `${one} EFFECT_ALLOW`,
      `${one} EFFECT_DENY`,
    ]);
    expect([...effects].sort()).toEqual([...both, "edit EFFECT_DENY"].sort());
  });

  test("questions of one action", () => {
    const policies = compilePoliciesOrThrow(files, { platform: "none", otherVersions: [OLD] });
    for (const question of questionsOf(all)) {
      const { key, operation, resource } = question;
      const { outcome } = decide(policies, question);
      expect(outcome === "allow", JSON.stringify(question)).toBe(mayByHand(key, operation, resource));
    }
  });
});
