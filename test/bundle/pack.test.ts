/** Policies packed for a page decide as the engine does, also where the type checker has chosen an overload. */

import { expect, test } from "vitest";
import { pack } from "../../src/bundle/pack.js";
import { unpack } from "../../src/bundle/unpack.js";
import { CLOSURES_ONLY } from "../../src/engine/evaluate/full-equipment.js";
import { decide } from "../../src/index.js";
import { compiled } from "../support/policies.js";

function policies(condition: string) {
  const policy = (version: string, role: string, match: unknown) => ({
    apiVersion: "api.cerbos.dev/v1",
    resourcePolicy: {
      resource: "doc",
      version,
      rules: [{ actions: ["read"], roles: [role], effect: "EFFECT_ALLOW", condition: { match } }],
    },
  });
  const documents = [policy("default", "*", { expr: condition }), policy("platform", "account", { expr: "true" })];
  return compiled(documents.map((document, i) => ({ path: `${i}.json`, text: JSON.stringify(document) })));
}

const LIMITS = { keys: 3, name: "3", at: 0, since: "2024-01-01T00:00:00Z", length: "1h" };

test.each([
  ['int(R.attr.limits["keys"]) < 10', "allow"],
  ["int(R.attr.limits.keys) < 10", "allow"],
  ['int(R.attr.limits["name"]) < 10', "allow"],
  ['string(R.attr.limits["keys"]) == "3"', "allow"],
  ['string(R.attr.limits["name"]) == "3"', "allow"],
  ['timestamp(R.attr.limits["at"]) < now()', "insufficient_permissions"],
  ['timestamp(R.attr.limits["since"]) < now()', "insufficient_permissions"],
  ['duration(R.attr.limits["keys"]) < duration("2h")', "insufficient_permissions"],
  ['duration(R.attr.limits["length"]) < duration("2h")', "allow"],
  ["cel.bind(t, int, true)", "insufficient_permissions"],
  ["true || cel.bind(t, int, t == int)", "allow"],
  ["R.attr.limits.keys == 3.0 || cel.bind(t, int, t == int)", "insufficient_permissions"],
  ["R.attr.?limits.keys.orValue(0.0) == 3.0", "allow"],
  ["R.attr.limits.map(k, size(k)).exists(n, n == 4)", "allow"],
] as const)("%s", (condition, outcome) => {
  const original = policies(condition);
  const request = {
    key: { id: "k", roles: ["r"], attr: {} },
    operation: "read",
    resource: { kind: "doc", id: "d", attr: { limits: LIMITS } },
    account: { id: "a", attr: {} },
  };
  const verdict = decide(original, request);
  expect(verdict.outcome).toBe(outcome);
  expect(decide(unpack(pack(original), CLOSURES_ONLY), request)).toEqual(verdict);
});
