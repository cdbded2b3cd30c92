/**
 * Cerbos's own condition tests. Each condition becomes the condition of a rule, evaluated at the clock time of its
 * case.
 */

import { isLeft } from "fp-ts/lib/Either.js";
import { afterAll, describe, expect, test } from "vitest";
import { parseTimestamp } from "../../src/cel/time.js";
import type { JsonMap } from "../../src/cel/values.js";
import { compileCheckEngine } from "../../src/cerbos/engine.js";
import { check } from "../../src/engine/evaluate/check.js";
import { scopesAbove } from "../../src/policy/names.js";
import { ABSENT, casesIn, field, list, Scores, text } from "./corpus.js";

const NOW = parseTimestamp("2021-04-22T10:05:20.021-05:00");
const scores = new Scores("cel_eval");

if (ABSENT !== undefined) process.stdout.write(`cel_eval cases ${ABSENT}\n`);

describe.skipIf(ABSENT !== undefined)("Cerbos's conditions", () => {
  for (const { name, body } of casesIn("cel_eval")) {
    test(name, () =>
      scores.run(name, [], async () => {
        // No case expects an error: a condition that errs counts as false.
        expect(field(body, "wantError") ?? false).toBe(false);
        expect(holds(body)).toBe(field(body, "want"));
      }),
    );
  }
  afterAll(() => scores.print());
});

/** Evaluates the condition as that of the only rule for the request's resource. */
function holds(body: unknown): boolean {
  const request = field(body, "request");
  const principal = { ...subjectOf(request, "principal"), roles: list(request, "principal", "roles").map(String) };
  const resource = { ...subjectOf(request, "resource"), kind: text(request, "resource", "kind") };
  const rule = { actions: ["test"], roles: ["*"], effect: "EFFECT_ALLOW" };
  const condition = { match: field(body, "condition") };
  const files = [resource.scope, ...scopesAbove(resource.scope)].map((scope) => {
    const version = resource.policyVersion || "default";
    const resourcePolicy = { resource: resource.kind, version, scope, rules: [{ ...rule, condition }] };
    return { path: `${scope}.json`, text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", resourcePolicy }) };
  });
  const engine = compileCheckEngine(files);
  if (isLeft(engine)) throw new Error(JSON.stringify(engine.left));
  const jwt = attributesOf(field(request, "auxData", "jwt"));
  const input = { principal, resource, jwt, actions: ["test"], now: NOW };
  return check(engine.right.policies, input, engine.right.options).actions.get("test")?.effect === "allow";
}

function subjectOf(request: unknown, name: string) {
  return {
    id: text(request, name, "id"),
    attr: attributesOf(field(request, name, "attr")),
    policyVersion: text(request, name, "policyVersion"),
    scope: text(request, name, "scope"),
  };
}

/** The corpus has JSON objects here. */
function attributesOf(value: unknown): JsonMap {
  return (value ?? {}) as JsonMap;
}
