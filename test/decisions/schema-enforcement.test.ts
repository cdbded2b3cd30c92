/** Attributes validated against the policies' JSON Schemas (`schemaEnforcement: "reject"`). */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { explain, explanationText } from "../../src/audit/index.js";
import { decisionTracer, traceDecision } from "../../src/decisions/trace.js";
import { type Decision, type DecisionRequest, decide, deciderFor, type PolicySet } from "../../src/index.js";
import { damagedRequest, shippedRequest } from "../property/arbitraries/index.js";
import { policy, when } from "../support/compose.js";
import { throwingProxy, withGetter } from "../support/hostile.js";
import { compiled, shipped, shippedFiles } from "../support/policies.js";
import { ask } from "../support/requests.js";
import { SEED } from "../support/seed.js";

const enforced = compiled(shippedFiles, { schemaEnforcement: "reject" });

test("what satisfies them is decided as without", { tags: "long" }, () => {
  for (const one of fc.sample(shippedRequest(), 1_000)) expect(decide(enforced, one)).toEqual(decide(shipped, one));
});

test("what does not is denied in the layer that it is of; a denial stays as it is", { tags: "long" }, () => {
  let changed = 0;
  const damaged = shippedRequest().chain((one) => damagedRequest(one, "either"));
  for (const { request } of fc.sample(damaged, 1_000)) {
    const [before, after] = [decide(shipped, request), decide(enforced, request)];
    for (const layer of ["permission", "platform"] as const) {
      if (before[layer].effect === "deny") expect(after[layer]).toEqual(before[layer]);
      else if (after[layer].effect === "deny") {
        changed++;
        expect(after[layer].reasons).toMatchObject([{ kind: "error", reason: "invalid_attributes", rule: "" }]);
        expect(after[layer].errors.length).toBeGreaterThan(0);
      }
    }
  }
  expect(changed).toBeGreaterThan(100);
});

test("of a set with one layer what is refused is refused again, whatever was allowed by the same rules before", () => {
  const text = policy({
    rules: [`actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when("R.attr.is_open")}`],
    body: "schemas: { resourceSchema: { ref: 'cerbos:///doc.json' } }",
  });
  const schema = { type: "object", properties: { is_open: { type: "boolean" }, size: { type: "integer" } } };
  const set = compiled(
    [
      { path: "doc.yaml", text },
      { path: "_schemas/doc.json", text: JSON.stringify(schema) },
    ],
    { schemaEnforcement: "reject", platform: "none" },
  );
  const outcome = (size: unknown) =>
    decide(set, {
      key: { id: "k", roles: ["user"] },
      operation: "read",
      account: { id: "a" },
      resource: { kind: "doc", id: "d", attr: { is_open: true, size } },
    }).outcome;
  for (let i = 0; i < 200; i++) expect([outcome(1), outcome("1")]).toEqual(["allow", "insufficient_permissions"]);
});

describe("which layer", () => {
  const getApi = (changes: Parameters<typeof ask>[1]) => decide(enforced, ask("apis.getApi", changes));

  test("the key's attributes: its permissions", () => {
    const { outcome, platform, permission } = getApi({ key: { permissions: ["everything"] } });
    expect([outcome, platform.effect]).toEqual(["insufficient_permissions", "allow"]);
    expect(permission).toMatchObject({ policy: "resource.api.vdefault", scope: "", outputs: [], derivedRoles: [] });
    expect(permission.errors).toEqual([
      {
        policy: "resource.api.vdefault",
        rule: "",
        expression: "",
        message: expect.stringMatching(/^attributes of the principal, \/permissions\/0: does not match pattern/),
        position: "",
      },
    ]);
  });

  test("the account's: the platform", () => {
    const { outcome, permission } = getApi({ account: { limits: { apis: -1, keys: 1 } } });
    expect([outcome, permission.effect]).toEqual(["forbidden", "allow"]);
  });

  test("the resource's: both", () => {
    const { outcome, permission, platform } = getApi({ resource: { keyCount: 1.5 } });
    expect([outcome, permission.effect, platform.effect]).toEqual(["forbidden", "deny", "deny"]);
  });
});

test("schemas of the actions and scopes that they are for", () => {
  const policy = (version: string, scope: string, ref: string) => ({
    path: `${version}${scope}.json`,
    text: JSON.stringify({
      apiVersion: "api.cerbos.dev/v1",
      resourcePolicy: {
        resource: "album:object",
        version,
        ...(scope === "" ? {} : { scope }),
        schemas: { resourceSchema: { ref, ignoreWhen: { actions: ["view:*"] } } },
        rules: [{ actions: ["*"], roles: ["*"], effect: "EFFECT_ALLOW" }],
      },
    }),
  });
  const ref = "cerbos:///album.json";
  const files = [
    ...["default", "platform"].flatMap((version) => [policy(version, "", ref), policy(version, "acme", ref)]),
    { path: "_schemas/album.json", text: '{"required":["owner"]}' },
  ];
  const policies = compiled(files, { schemaEnforcement: "reject" });
  const outcome = (operation: string, kind: string, scope: string, attr: { owner?: string }) =>
    decide(policies, {
      key: { id: "k", roles: ["user"] },
      operation,
      resource: { kind, id: "1", scope, attr },
      account: { id: "a" },
    }).outcome;
  for (const kind of ["album:object", "album_object"]) {
    for (const scope of ["", ".", "acme"]) {
      expect([kind, scope, outcome("edit", kind, scope, { owner: "ann" })]).toEqual([kind, scope, "allow"]);
      expect([kind, scope, outcome("edit", kind, scope, {})]).toEqual([kind, scope, "forbidden"]);
      expect([kind, scope, outcome("view:all", kind, scope, {})]).toEqual([kind, scope, "allow"]);
    }
  }
});

test.each<readonly [string, (policies: PolicySet, request: DecisionRequest) => Decision]>([
  ["decide", decide],
  ["a decider", (policies, { key, account, ...rest }) => deciderFor(policies, { key, account }).decide(rest)],
  ["a decider for any account", (policies, { key, ...rest }) => deciderFor(policies, { key }).decide(rest)],
])("what satisfies the schemas is what the rules have read: %s", (_, ask) => {
  const schema = { path: "_schemas/doc.json", text: '{"properties":{"owner":{"const":"bob"}}}' };
  const schemas = "schemas: {resourceSchema: {ref: cerbos:///doc.json}}";
  const rules = [`actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when('R.attr.owner == "ann"')}`];
  const files = [{ path: "doc.yaml", text: policy({ body: schemas, rules }) }, schema];
  const outcome = (schemaEnforcement: "none" | "reject") => {
    const policies = compiled(files, { schemaEnforcement, typedReads: false, platform: "none" });
    let reads = 0;
    const attr = { owner: "" };
    Object.defineProperty(attr, "owner", { get: () => (reads++ === 0 ? "ann" : "bob"), enumerable: true });
    return ask(policies, {
      key: { id: "k", roles: ["user"] },
      operation: "read",
      resource: { kind: "doc", id: "1", attr },
      account: { id: "a" },
    }).outcome;
  };
  expect(outcome("none")).toBe("allow");
  expect(outcome("reject")).toBe("insufficient_permissions");
});

describe("traces and explanations", () => {
  test("have the outcome and the verdicts of the decision", () => {
    const requests = fc.sample(
      shippedRequest().chain((one) => damagedRequest(one, "either")),
      { numRuns: 300, seed: SEED },
    );
    const tracer = decisionTracer(enforced);
    let invalid = 0;
    for (const { request } of requests) {
      const { permission, platform, ...rest } = traceDecision(tracer, request);
      const decision = decide(enforced, request);
      expect({ ...rest, permission: permission.verdict, platform: platform.verdict }).toEqual(decision);
      for (const { verdict, effect } of [permission, platform]) {
        if (verdict.reasons[0]?.reason !== "invalid_attributes") continue;
        invalid++;
        expect(effect).toBe("deny");
      }
    }
    expect(invalid).toBeGreaterThan(30);
  });

  test("say what the schemas lack, and that the rules do not count", () => {
    const request = ask("apis.getApi", { key: { permissions: ["everything"] } });
    expect(explanationText(explain(enforced, request))).toContain(
      [
        "Permission layer (what the key may do): denies, invalid_attributes",
        "  The rules do not count, because attributes violate the policies' schemas:",
        "    attributes of the principal, /permissions/0: does not match pattern",
      ].join("\n"),
    );
  });
});

test("attributes that cannot be read are denied, and nothing is thrown", () => {
  const thrower = () => {
    throw new Error("hostile");
  };
  const one = ask("apis.getApi");
  const accounts = [throwingProxy(), withGetter({ ...one.account.attr }, "plan", thrower)];
  for (const attr of accounts) {
    const request = { ...one, account: { id: "acc_1", attr } } as DecisionRequest;
    expect(decide(enforced, request).outcome).toBe("forbidden");
  }
});
