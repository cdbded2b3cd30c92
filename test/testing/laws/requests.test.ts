/** Requests generated for policies reach interesting outcomes. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide, type PolicyFile, type PolicySet } from "../../../src/index.js";
import { SchemaValidator } from "../../../src/schema/validator.js";
import { requests } from "../../../src/testing/laws/index.js";
import { compiled, shipped, shippedDocuments } from "../../support/policies.js";
import { say } from "../../support/seed.js";
import { sized } from "../../support/size.js";
import { Tally } from "../../support/tally.js";
import { withoutEachRule } from "../../support/without-rule.js";

const REQUESTS = sized(10_000, 3_000);

test("of requests for the shipped policies, each outcome is 10 % or more, and every rule is decisive at least once", {
  tags: "long",
}, () => {
  const tally = new Tally();
  const undecided = new Map(withoutEachRule(shippedDocuments));
  for (const one of fc.sample(requests(shipped), REQUESTS)) {
    const decision = decide(shipped, one);
    tally.sample(decision);
    for (const { policy, rule } of [...decision.permission.reasons, ...decision.platform.reasons]) {
      const without = undecided.get(`${policy}#${rule}`);
      if (without === undefined) continue;
      if (decide(without(), one).outcome !== decision.outcome) undecided.delete(`${policy}#${rule}`);
    }
  }
  say(`requests made for the shipped policies: ${tally}`);
  expect([...undecided.keys()]).toEqual([]);
  tally.expectCoverage({ decisions: REQUESTS, errors: 0.01 });
});

/** A policy set with one conditional permission rule, and a platform layer that allows everything. */
function conditional(expr: string, schemas: readonly PolicyFile[] = []): PolicySet {
  const of = (version: string, rule: object, more: object = {}): PolicyFile => ({
    path: `${version}.json`,
    text: JSON.stringify({
      apiVersion: "api.cerbos.dev/v1",
      resourcePolicy: {
        resource: "doc",
        version,
        rules: [{ actions: ["read"], effect: "EFFECT_ALLOW", ...rule }],
        ...more,
      },
    }),
  });
  const uses = schemas.length === 0 ? {} : { schemas: { resourceSchema: { ref: "cerbos:///doc.json" } } };
  const permission = of("default", { roles: ["user"], condition: { match: { expr } } }, uses);
  return compiled([permission, of("platform", { roles: ["account"] }), ...schemas]);
}

/** The percentage of generated requests that are allowed. */
function allowedIn(policies: PolicySet, numRuns = 300): number {
  const outcomes = fc
    .sample(requests(policies, { wellTyped: true }), numRuns)
    .map((one) => decide(policies, one).outcome);
  return (100 * outcomes.filter((outcome) => outcome === "allow").length) / numRuns;
}

describe("conditions of policies without schemas are brought to be true, and false", () => {
  test.each([
    "P.attr.level >= R.attr.minimum && R.attr.minimum > 41.0",
    '"doc." + R.id + ".read" in P.attr.permissions',
    '[P.attr.role + ":" + R.attr.team + ":" + R.id, "all"].exists(p, p in P.attr.grants)',
    'P.attr.teams.exists(t, t == "team:" + R.attr.team)',
    'R.attr.tags.all(t, t in ["a", "b"]) && size(R.attr.tags) > 1',
    "has(R.attr.lock) && R.attr.lock == P.id",
    'R.attr.name.startsWith("published-")',
    "timestamp(R.attr.until) > now()",
    'R.attr.owner.id == P.id ? R.attr.state != "locked" : P.attr.admin == true',
    "R.attr.needs.isSubset(P.attr.has) && R.attr.needs.size() > 0",
    "!(P.id in R.attr.blocked) && R.attr.blocked.size() > 0",
    "hasIntersection(P.attr.groups, R.attr.groups)",
    "P.attr.limits.docs - P.attr.usage.docs > 0.0 && P.attr.limits.docs < 3.0",
    'cel.bind(owner, R.attr.owner, owner == P.id || owner == "public")',
    'R.attr.items.exists(item, item.kind == "x" && item.level > 100.0)',
  ])("%s", (expr) => {
    const allowed = allowedIn(conditional(expr));
    expect(allowed).toBeGreaterThanOrEqual(10);
    expect(allowed).toBeLessThanOrEqual(90);
  });
});

describe("schemas", () => {
  const schema: PolicyFile = {
    path: "_schemas/doc.json",
    text: JSON.stringify({
      type: "object",
      properties: {
        state: { $ref: "parts.json#/$defs/state" },
        owner: {
          anyOf: [
            { type: "null" },
            { type: "object", properties: { id: { type: "string", format: "uuid" } }, required: ["id"] },
          ],
        },
        size: { type: "integer", minimum: 3, maximum: 5 },
        code: { type: "string", pattern: "^[a-c]{3}-[0-9]+$" },
        tags: { type: "array", items: { enum: ["a", "b"] }, minItems: 1, uniqueItems: true },
        parent: { $ref: "#" },
      },
      required: ["state", "owner", "size", "code", "tags"],
    }),
  };
  const parts: PolicyFile = {
    path: "_schemas/parts.json",
    text: JSON.stringify({ $defs: { state: { allOf: [{ type: "string" }, { enum: ["open", "shut"] }] } } }),
  };
  const policies = conditional('R.attr.state == "open" && R.attr.size > 3.0 && R.attr.extra == "x"', [schema, parts]);

  test("attributes satisfy them, and attributes that no schema has are there too", () => {
    const validator = new SchemaValidator(policies.model.schemas);
    const seen = fc.sample(requests(policies, { wellTyped: true }), 400).map(({ resource }) => resource.attr);
    for (const attr of seen) expect(validator.validate("cerbos:///doc.json", attr)).toEqual([]);
    expect(new Set(seen.map(({ state }) => state))).toEqual(new Set(["open", "shut"]));
    expect(new Set(seen.map(({ size }) => size))).toEqual(new Set([3, 4, 5]));
    expect(seen.every((attr) => "extra" in attr)).toBe(true);
    expect(seen.some(({ parent }) => parent !== undefined)).toBe(true);
  });

  test("steering keeps to them", { tags: "long" }, () => {
    expect(allowedIn(policies)).toBeGreaterThanOrEqual(10);
    // The schema admits no value over 5.
    expect(allowedIn(conditional("R.attr.size > 5.0", [schema, parts]))).toBe(0);
  });

  test("those of the shipped policies are satisfied by every request", { tags: "long" }, () => {
    const validator = new SchemaValidator(shipped.model.schemas);
    const checkOf = (name: string) => (attr: unknown) =>
      validator.validate(`cerbos:///${name}.json`, attr).length === 0;
    const [key, account] = ["key", "account"].map(checkOf);
    const resources = new Map(
      [
        ["api", "api"],
        ["key", "key_resource"],
        ["workspace", "workspace"],
      ].map(([kind, name]) => [kind, checkOf(name ?? "")] as const),
    );
    for (const one of fc.sample(requests(shipped, { wellTyped: true }), 500)) {
      const validate = resources.get(one.resource.kind);
      expect([key?.(one.key.attr), account?.(one.account.attr), validate?.(one.resource.attr) ?? true]).toEqual([
        true,
        true,
        true,
      ]);
    }
  });
});

test("requests use what policies name: principals, roles of role policies, scopes, derived roles, globs", () => {
  const yaml = (path: string, body: string): PolicyFile => ({ path, text: `apiVersion: api.cerbos.dev/v1\n${body}` });
  const policies = compiled([
    yaml(
      "roles.yaml",
      "derivedRoles:\n  name: roles\n  definitions:\n    - { name: owner, parentRoles: [user], condition: { match: { expr: R.attr.owner == P.id } } }\n",
    ),
    yaml(
      "doc.yaml",
      "resourcePolicy:\n  resource: doc\n  version: default\n  importDerivedRoles: [roles]\n  rules:\n    - { actions: ['doc:*:x'], derivedRoles: [owner], effect: EFFECT_ALLOW }\n",
    ),
    yaml(
      "scoped.yaml",
      "resourcePolicy:\n  resource: doc\n  version: default\n  scope: acme\n  rules:\n    - { actions: ['doc:read:x'], roles: [clerk], effect: EFFECT_ALLOW }\n",
    ),
    yaml(
      "platform.yaml",
      "resourcePolicy:\n  resource: doc\n  version: platform\n  rules:\n    - { actions: ['*'], roles: [account], effect: EFFECT_ALLOW }\n",
    ),
    yaml("platform_acme.yaml", "resourcePolicy:\n  resource: doc\n  version: platform\n  scope: acme\n"),
    yaml(
      "someone.yaml",
      "principalPolicy:\n  principal: someone\n  version: default\n  rules:\n    - resource: doc\n      actions:\n        - { action: 'doc:anything:x', effect: EFFECT_ALLOW }\n",
    ),
  ]);
  const seen = fc.sample(requests(policies), 1_000).map((one) => ({ one, decision: decide(policies, one) }));
  expect(new Set(seen.map(({ one }) => one.key.id))).toEqual(new Set(["one", "two", "someone"]));
  expect(new Set(seen.map(({ one }) => one.resource.scope ?? ""))).toEqual(new Set(["", "acme"]));
  expect(seen.some(({ decision }) => decision.permission.derivedRoles.includes("owner"))).toBe(true);
  const allowed = new Set(
    seen
      .filter(({ decision }) => decision.outcome === "allow")
      .flatMap(({ decision }) => decision.permission.reasons.map(({ policy }) => policy)),
  );
  expect([...allowed].sort()).toEqual([
    "principal.someone.vdefault",
    "resource.doc.vdefault",
    "resource.doc.vdefault/acme",
  ]);
});
