/**
 * The generators cover the cases that the property tests need.
 *
 * @module-tag long
 */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { unordered } from "../../reference/comparable.js";
import type { PolicyDocument, PolicyDocuments } from "../../reference/documents.js";
import { naiveDecide } from "../../reference/naive.js";
import { say } from "../../support/seed.js";
import {
  damagedRequest,
  FORMS,
  GLOBALS,
  newCoverage,
  newWholeCoverage,
  type Profile,
  permuted,
  permutedRequest,
  policySet,
  request,
  shippedRequest,
  toFiles,
} from "./index.js";

const SEED = 20_240;

test.each<Profile>(["any", "removal", "typed"])("requests for %s policy sets have everything in them", (profile) => {
  const coverage = newCoverage();
  const pairs = policySet({ profile }).chain((set) =>
    fc.tuple(fc.constant(set), fc.array(request(set), { minLength: 4, maxLength: 4 })),
  );
  for (const [set, requests] of fc.sample(pairs, { numRuns: 250, seed: SEED })) {
    for (const one of requests) coverage.record(set, one);
  }
  expect(coverage.shortfalls()).toEqual([]);
});

describe("sets of the whole language", () => {
  const sets = fc.sample(policySet({ profile: "whole" }), { numRuns: 250, seed: SEED });

  test("requests for them have everything in them", () => {
    const coverage = newWholeCoverage();
    for (const set of sets) {
      for (const one of fc.sample(request(set), { numRuns: 8, seed: SEED })) coverage.record(set, one);
    }
    say(`of requests for sets of the whole language, in percent: ${JSON.stringify(coverage.shares())}`);
    expect(coverage.shortfalls()).toEqual([]);
  });

  test("have each form of expression, in one of fifty of them at least", () => {
    const texts = sets.map((set) => expressionsOf(set).join("\n"));
    const shares = Object.entries(FORMS).map(([form, pattern]): [string, number] => [
      form,
      (100 * texts.filter((text) => pattern.test(text)).length) / texts.length,
    ]);
    say(`of sets of the whole language, in percent: ${JSON.stringify(Object.fromEntries(shares))}`);
    expect(shares.filter(([, share]) => share < 2)).toEqual([]);
  });

  test("have both scope permissions, and policies of every sort in the root and in scopes", () => {
    const found = new Set(
      sets.flat().flatMap(({ resourcePolicy, principalPolicy, rolePolicy }) => {
        const scoped = resourcePolicy ?? principalPolicy;
        const sort = resourcePolicy ? "resource" : principalPolicy ? "principal" : rolePolicy ? "role" : "other";
        const { scope } = scoped ?? rolePolicy ?? {};
        return [`${sort} ${scope === undefined ? "root" : "scope"}`, scoped?.scopePermissions ?? "unsaid"];
      }),
    );
    expect([...found].sort()).toEqual([
      "SCOPE_PERMISSIONS_OVERRIDE_PARENT",
      "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS",
      "other root",
      "principal root",
      "principal scope",
      "resource root",
      "resource scope",
      "role root",
      "role scope",
      "unsaid",
    ]);
  });
});

/** All strings in a set; expressions are among them. */
function expressionsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(expressionsOf) : [];
}

test("few conditions always have one answer", () => {
  let conditions = 0;
  let constant = 0;
  const pairs = policySet().chain((set) =>
    fc.tuple(fc.constant(set), fc.array(request(set, { wellTyped: true }), { minLength: 60, maxLength: 60 })),
  );
  for (const [set, requests] of fc.sample(pairs, { numRuns: 30, seed: SEED })) {
    for (const alone of conditionsAlone(set)) {
      const answers = new Set(
        requests.map(
          (one) =>
            naiveDecide(alone.set, { ...one, resource: { ...one.resource, kind: alone.kind } })[alone.layer].effect,
        ),
      );
      conditions += 1;
      if (answers.size === 1) constant += 1;
    }
  }
  expect(conditions).toBeGreaterThan(150);
  expect(constant / conditions).toBeLessThan(0.1);
});

/** For each condition of a rule, a set in which this condition alone decides. */
function* conditionsAlone(set: PolicyDocuments) {
  for (const document of set) {
    const policy = document.resourcePolicy;
    const layer = policy?.version === "platform" ? "platform" : "permission";
    if (policy === undefined || document.disabled || policy.version.startsWith("legacy")) continue;
    for (const { condition } of policy.rules ?? []) {
      if (condition === undefined) continue;
      const rules = [{ actions: ["*"], roles: ["*"], effect: "EFFECT_ALLOW" as const, condition }];
      const others = set.filter((other) => other.resourcePolicy === undefined);
      yield {
        set: [...others, { ...document, resourcePolicy: { ...policy, rules } }],
        kind: policy.resource,
        layer,
      } as const;
    }
  }
}

describe("what the naive evaluator says of the theorems", () => {
  const change = { removal: "removed", typed: "resembling" } as const;
  test.each(["removal", "typed"] as const)("fail closed: %s sets", (profile) => {
    const cases = policySet({ profile }).chain((set) =>
      request(set, { wellTyped: profile === "typed" }).chain((before) =>
        fc.tuple(fc.constant(set), fc.constant(before), damagedRequest(before, change[profile])),
      ),
    );
    fc.assert(
      fc.property(cases, ([set, before, after]) => {
        fc.pre(naiveDecide(set, before).outcome !== "allow");
        expect(naiveDecide(set, after.request).outcome).not.toBe("allow");
      }),
      { numRuns: 150, seed: SEED },
    );
  });

  test.each<Profile>(["any", "whole"])("order changes nothing: %s sets", (profile) => {
    const cases = policySet({ profile }).chain((set) =>
      request(set).chain((one) => fc.tuple(fc.constant(set), fc.constant(one), permuted(set), permutedRequest(one))),
    );
    fc.assert(
      fc.property(cases, ([set, one, otherSet, other]) => {
        expect(unordered(naiveDecide(otherSet, other, GLOBALS))).toEqual(unordered(naiveDecide(set, one, GLOBALS)));
      }),
      { numRuns: 150, seed: SEED },
    );
  });
});

test("files are the documents", () => {
  fc.assert(
    fc.property(policySet(), (set) => {
      const files = toFiles(set);
      expect(files.map(({ text }) => parse(text))).toEqual(set.map((document) => document.schema?.value ?? document));
      expect(new Set(files.map(({ path }) => path)).size).toBe(set.length);
    }),
    { numRuns: 30, seed: SEED },
  );
});

describe("requests for the shipped policies", () => {
  const root = fileURLToPath(new URL("../../../policies/", import.meta.url));
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".yaml"));
  const documents = names.map((name): PolicyDocument => parse(readFileSync(root + name, "utf8")));

  test("let every rule decide alone", () => {
    const sole = new Map<string, number>();
    for (const one of fc.sample(shippedRequest(), { numRuns: 3000, seed: SEED })) {
      const { permission, platform } = naiveDecide(documents, one);
      for (const { reasons } of [permission, platform]) {
        const [only, ...more] = reasons.map(({ policy, rule }) => `${policy}#${rule}`);
        if (only !== undefined && more.length === 0) sole.set(only, (sole.get(only) ?? 0) + 1);
      }
    }
    const rules = documents.flatMap(({ resourcePolicy: policy }) =>
      (policy?.rules ?? []).map((rule) => `resource.${policy?.resource}.v${policy?.version}#${rule.name}`),
    );
    expect(rules.filter((rule) => (sole.get(rule) ?? 0) < 5)).toEqual([]);
  });

  test("reach each outcome, without an error", () => {
    const outcomes = new Map<string, number>();
    for (const one of fc.sample(shippedRequest(), { numRuns: 1000, seed: SEED })) {
      const { outcome, permission, platform } = naiveDecide(documents, one);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      expect([...permission.errors, ...platform.errors]).toEqual([]);
    }
    for (const outcome of ["allow", "insufficient_permissions", "forbidden"]) {
      expect(outcomes.get(outcome)).toBeGreaterThan(150);
    }
  });
});
