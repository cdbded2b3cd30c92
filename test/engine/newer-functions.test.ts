/** Decisions of policies that use optionals and the libraries of sets, networks and the like. */

import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { NO_TYPES } from "../../src/engine/evaluate/activation.js";
import { FunctionDraft } from "../../src/engine/generate/draft.js";
import { condition } from "../../src/engine/generate/expressions.js";
import { IndexPlaces } from "../../src/engine/generate/reads.js";
import { type CompileOptions, compilePolicies, type DecisionRequest, decide } from "../../src/index.js";
import { checkedTree } from "../cel/support.js";

const CONDITION = 'R.attr.?owner.orValue("nobody") == P.id && cidr("10.0.0.0/8").containsIP(P.attr.?ip.orValue("::1"))';

function policyFiles(condition: string) {
  const policy = (version: string, role: string, match: unknown) => ({
    apiVersion: "api.cerbos.dev/v1",
    resourcePolicy: {
      resource: "doc",
      version,
      rules: [
        {
          name: "r",
          actions: ["read"],
          roles: [role],
          effect: "EFFECT_ALLOW",
          ...(match ? { condition: { match } } : {}),
        },
      ],
    },
  });
  return [
    { path: "a.json", text: JSON.stringify(policy("default", "user", { expr: condition })) },
    { path: "b.json", text: JSON.stringify(policy("platform", "account", undefined)) },
  ];
}

const FILES = policyFiles(CONDITION);

function request(attr: DecisionRequest["key"]["attr"], resource: DecisionRequest["resource"]["attr"]): DecisionRequest {
  return {
    key: { id: "k", roles: ["user"], attr },
    account: { id: "a", attr: {} },
    resource: { kind: "doc", id: "1", attr: resource },
    operation: "read",
  };
}

function compiled(condition: string, options: CompileOptions = {}) {
  const loaded = compilePolicies(policyFiles(condition), options);
  if (isLeft(loaded)) throw new Error(loaded.left[0].message);
  return loaded.right;
}

test("a condition that uses them", () => {
  const set = compiled(CONDITION);
  expect(decide(set, request({ ip: "10.1.2.3" }, { owner: "k" })).outcome).toBe("allow");
  expect(decide(set, request({ ip: "11.1.2.3" }, { owner: "k" })).outcome).toBe("insufficient_permissions");
  expect(decide(set, request({}, { owner: "k" })).outcome).toBe("insufficient_permissions");
  expect(decide(set, request({ ip: "10.1.2.3" }, {})).outcome).toBe("insufficient_permissions");
  // An invalid address is an error, and denies.
  expect(decide(set, request({ ip: "x" }, { owner: "k" }))).toMatchObject({
    outcome: "insufficient_permissions",
    permission: { errors: [{ message: expect.stringContaining("not an IP address") }] },
  });
});

test("a platform policy that reads the key through an optional is refused", () => {
  const [permission] = FILES;
  for (const expr of ["request.principal.?attr.x.hasValue()", "runtime.?effectiveDerivedRoles.hasValue()"]) {
    expect(compiled(expr)).toBeDefined();
  }
  const token = JSON.stringify({
    apiVersion: "api.cerbos.dev/v1",
    resourcePolicy: {
      resource: "doc",
      version: "platform",
      rules: [
        {
          name: "r",
          actions: ["read"],
          roles: ["account"],
          effect: "EFFECT_ALLOW",
          condition: { match: { expr: "request.auxData.jwt.?sub.hasValue()" } },
        },
      ],
    },
  });
  expect(compilePolicies([permission ?? { path: "", text: "" }, { path: "b.json", text: token }])).toMatchObject({
    left: [{ code: "platform_reads_key" }],
  });
});

describe("no code is generated for what is rare", () => {
  test.each([
    ["R.attr.open == true", true],
    ["R.attr.?open.orValue(false) == true", false],
    ["R.attr[?'open'].orValue(false)", false],
    ["R.attr.?open == optional.of(true)", false],
    ["has(R.attr.?open.x) || R.attr.open == true", false],
    ["true in [?R.attr.?open]", false],
    ["hasIntersection(R.attr.list, [?R.attr.?open]) || R.attr.open == true", false],
    ["[?R.attr.?open] == [true]", false],
    ["{?'a': R.attr.?open} == {'a': true}", false],
    ["sets.contains([true], [R.attr.open])", false],
    ["R.attr.?open.optMap(o, o == true).orValue(false)", false],
    ["R.attr.open == true && isIP('10.0.0.1')", false],
    ["isSubset([R.attr.open], [true])", false],
  ])("%s", (source, isGenerated) => {
    const draft = new FunctionDraft(NO_TYPES, new Map(), new IndexPlaces());
    const code = condition(checkedTree(source, undefined), draft);
    expect(code !== undefined).toBe(isGenerated);
    const set = compiled(source);
    const closures = compiled(source, { codegen: false });
    const requests = [{ open: true, list: [true] }, { open: false, list: [] }, {}, { open: 1 }];
    for (let i = 0; i < 25; i++) {
      for (const attr of requests) {
        const one = request({}, attr);
        expect(decide(set, one)).toEqual(decide(closures, one));
      }
    }
    expect(decide(set, request({}, { open: true, list: [true] })).outcome).toBe("allow");
  });
});
