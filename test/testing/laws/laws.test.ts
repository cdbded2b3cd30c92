/** The laws hold for the shipped policies. Policies that break a law make it fail, with a message that says why. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Decision, decide, decideChain, type PolicyFile, type PolicySet } from "../../../src/index.js";
import {
  accountSwap,
  askedAbout,
  chain,
  coverage,
  failClosed,
  keySwap,
  LawViolation,
  order,
  type PlainRequest,
  reduction,
  requests,
} from "../../../src/testing/laws/index.js";
import { compiled, shipped, shippedFiles } from "../../support/policies.js";
import "../../support/seed.js";
import { sized } from "../../support/size.js";

describe("on the shipped policies", () => {
  test.each<[string, () => void]>([
    ["key swap", () => fc.assert(keySwap(shipped), { numRuns: sized(300, 15) })],
    ["account swap", () => fc.assert(accountSwap(shipped), { numRuns: sized(300, 15) })],
    ["fail closed", () => fc.assert(failClosed(shipped), { numRuns: sized(600, 30) })],
    [
      "fail closed, by removal",
      () => fc.assert(failClosed(shipped, { damage: "removed" }), { numRuns: sized(300, 15) }),
    ],
    [
      "fail closed, by other types",
      () => fc.assert(failClosed(shipped, { damage: "retyped" }), { numRuns: sized(600, 30) }),
    ],
    ["order", () => fc.assert(order(shippedFiles), { numRuns: sized(10, 1) })],
    ["chain", () => fc.assert(chain(shipped), { numRuns: sized(300, 15) })],
    ["coverage", () => fc.assert(coverage(shipped), { numRuns: sized(300, 15) })],
    ["reduction", () => fc.assert(reduction(shipped), { numRuns: sized(600, 30) })],
  ])("%s", (_, holds) => {
    holds();
  });

  test("no attribute is asked about: all are damaged", () => {
    expect([...askedAbout(shipped)]).toEqual([]);
  });
});

const policy = (version: string, rules: readonly object[], body: object = {}): PolicyFile => ({
  path: `${version}.json`,
  text: JSON.stringify({
    apiVersion: "api.cerbos.dev/v1",
    resourcePolicy: { resource: "doc", version, rules, ...body },
  }),
});

const rule = (effect: "ALLOW" | "DENY", roles: readonly string[], expr?: string, name?: string): object => ({
  ...(name && { name }),
  actions: ["read"],
  effect: `EFFECT_${effect}`,
  roles,
  ...(expr && { condition: { match: { expr } } }),
  ...(effect === "DENY" && name && { output: { when: { ruleActivated: JSON.stringify(name) } } }),
});

const SUPPORTED = policy("platform", [rule("ALLOW", ["account"])]);

/** A policy set with these permission rules, and a platform layer that allows everything. */
function permissions(...rules: readonly object[]): PolicySet {
  return compiled([policy("default", rules), SUPPORTED]);
}

/** A policy set with a permission layer that allows everything, and these platform rules. */
function platform(...rules: readonly object[]): PolicySet {
  return compiled([
    policy("default", [rule("ALLOW", ["*"])]),
    policy("platform", [rule("ALLOW", ["account"]), ...rules]),
  ]);
}

/** The law's own message when a property fails. */
function failureOf<T>(property: fc.IProperty<T>, numRuns = 2_000): string {
  const { failed, errorInstance } = fc.check(property, { numRuns });
  expect(failed).toBe(true);
  expect(errorInstance).toBeInstanceOf(LawViolation);
  return errorInstance instanceof Error ? errorInstance.message : "";
}

describe("fail closed does not hold where a policy", () => {
  test.each<[string, PolicySet, string]>([
    [
      "takes another type for innocence",
      platform(rule("DENY", ["account"], "R.attr.state == 'locked'", "locked")),
      "resource.state",
    ],
    [
      "denies those on a list: !(x in list)",
      permissions(rule("ALLOW", ["user"], "!(R.id in P.attr.banned)")),
      "key.banned",
    ],
    ["compares numbers in either order", permissions(rule("ALLOW", ["user"], "R.attr.level != 3.0")), "resource.level"],
  ])("%s", (_, policies, damaged) => {
    const message = failureOf(failClosed(policies));
    expect(message).toMatch(/^Fail closed: damaged attributes allowed more: .*the \w+ layer denied, and now allows\)/);
    expect(message).toContain(`Damage: ${damaged} retyped;`);
    expect(message).toMatch(/^after: allow$/m);
  });

  const lockable = platform(rule("DENY", ["account"], "has(R.attr.lock) && R.attr.lock == true", "locked"));

  test("reads an attribute through has(), if that attribute is damaged too", () => {
    fc.assert(failClosed(lockable, { damage: "removed" }), { numRuns: 500 });
    const message = failureOf(failClosed(lockable, { damage: "removed", except: [] }));
    expect(message).toContain("Damage: resource.lock removed;");
    expect(message).toMatch(
      /^before: forbidden\n {2}permission: allow by .*\n {2}platform: deny by locked \(rule locked of/m,
    );
    expect(message).toMatch(/^after: allow\n {2}permission: .*\n {2}platform: allow by allow_read_for_account_/m);
    expect(message).toContain('"lock":true');
  });

  test("compares an attribute with null, or asks for its type", () => {
    const policies = platform(
      rule("DENY", ["account"], "R.attr.until != null && R.attr.other == 'x'", "until"),
      rule("DENY", ["account"], "type(R.attr.kind) == string && R.attr.kind == 'x'", "kind"),
    );
    expect([...askedAbout(policies)].sort()).toEqual(["resource.kind", "resource.until"]);
  });

  test("`only` damages what it names, and what is in it", () => {
    const policies = permissions(rule("ALLOW", ["user"], "P.attr.a.b != 'x' && P.attr.c != 'x'"));
    expect(failureOf(failClosed(policies, { only: ["key.a"] }))).not.toContain("key.c");
    fc.assert(failClosed(policies, { only: ["account"] }), { numRuns: 200 });
  });
});

describe("reduction does not hold where a policy", () => {
  test("denies by a permission", () => {
    const policies = permissions(
      rule("ALLOW", ["user"]),
      rule("DENY", ["user"], "'read_only' in P.attr.permissions", "ro"),
    );
    const message = failureOf(reduction(policies));
    expect(message).toMatch(/^Reduction: a key that lost a role or a permission may do more: /);
    expect(message).toMatch(
      /before: insufficient_permissions\n {2}permission: deny by ro \(rule ro of resource.doc.vdefault\)/,
    );
    expect(message).toMatch(/^after: allow/m);
    // Without that list, the reduction removes nothing that matters.
    fc.assert(reduction(policies, { lists: [] }), { numRuns: 300 });
    fc.assert(reduction(policies, { lists: ["key.other"] }), { numRuns: 300 });
  });

  test.each([
    ["a variable", "!(V.banned in P.attr.groups)", { variables: { local: { banned: '"api." + R.id' } } }],
    ["a constant", "!(C.banned in P.attr.groups)", { constants: { local: { banned: "guest" } } }],
    ["a part of a list", "!hasIntersection(P.attr.groups, [R.attr.owner, 'guest'])", {}],
    ["an element", "!P.attr.groups.exists(one, one.startsWith('guest'))", {}],
  ])("denies by a text of the policies: %s", (_, expr, body) => {
    expect(
      failureOf(reduction(compiled([policy("default", [rule("ALLOW", ["user"], expr)], body), SUPPORTED]))),
    ).toMatch(/^after: allow/m);
  });

  test("denies by a list of tenants, if the list is named", () => {
    const policies = permissions(rule("ALLOW", ["user"], "!(R.attr.tenant in P.attr.left)"));
    fc.assert(reduction(policies), { numRuns: 1_000 });
    expect(failureOf(reduction(policies, { lists: ["key.left"] }))).toMatch(/^after: allow/m);
  });

  test("denies by a role", () => {
    const policies = permissions(rule("ALLOW", ["user"], "!('guest' in P.roles)"), rule("ALLOW", ["guest"], "false"));
    expect(failureOf(reduction(policies))).toMatch(/^after: allow/m);
  });
});

/** A decision function that is wrong in one respect. */
type Wrong = (policies: PolicySet, request: PlainRequest) => Decision;

// No policy can break these laws: in decide.ts, `permission` and `platform` lack the other's principal, and a platform
// policy that reads the key is refused when it is loaded. So the tests use a wrong `decide`.
describe("what is a theorem of the types fails for a wrong decide", () => {
  const adminsPass: Wrong = (policies, request) => {
    const decision = decide(policies, request);
    return request.key.roles.includes("admin")
      ? { ...decision, outcome: decision.permission.effect === "allow" ? "allow" : "insufficient_permissions" }
      : decision;
  };
  const platformNamesKey: Wrong = (policies, request) => {
    const decision = decide(policies, request);
    return { ...decision, platform: { ...decision.platform, scope: request.key.id } };
  };
  const proIsAdmin: Wrong = (policies, request) => {
    const roles = request.account.attr.plan === "pro" ? ["admin"] : request.key.roles;
    return decide(policies, { ...request, key: { ...request.key, roles } });
  };
  const firstRoleOnly: Wrong = (policies, request) =>
    decide(policies, { ...request, key: { ...request.key, roles: request.key.roles.slice(0, 1) } });

  test.each<[string, () => string, RegExp]>([
    [
      "key swap: administrators pass",
      () => failureOf(keySwap(shipped, { decide: adminsPass })),
      /^Key swap: .*\n\nwith one key: /,
    ],
    [
      "key swap: a verdict with the key's id",
      () => failureOf(keySwap(shipped, { decide: platformNamesKey })),
      /^Key swap: /,
    ],
    [
      "account swap: a plan gives a role",
      () => failureOf(accountSwap(shipped, { decide: proIsAdmin })),
      /^Account swap: .*\n\nunder one account: /,
    ],
    [
      "chain: only the key itself counts",
      () => failureOf(chain(shipped, { decideChain: (set, links, one) => decideChain(set, links.slice(0, 1), one) })),
      /^Chain: the links by themselves make it insufficient_permissions\./,
    ],
    [
      "chain: the last link that refuses is named",
      () =>
        failureOf(
          chain(shipped, {
            decideChain: (set, links, one) => ({ ...decideChain(set, links, one), link: links.length }),
          }),
        ),
      /^Chain: link \d is the first that refuses, not \d\./,
    ],
    [
      "coverage: a viewer may do everything",
      () => failureOf(coverage(shipped, { decide: viewersPass })),
      /^Coverage: /,
    ],
    [
      "order: the first role counts",
      () => failureOf(order(shippedFiles, { decide: firstRoleOnly })),
      /^Order: .*\n\nas they are: /,
    ],
  ])("%s", (_, failure, message) => {
    expect(failure()).toMatch(message);
  });
});

function viewersPass(policies: PolicySet, request: PlainRequest): Decision {
  const decision = decide(policies, request);
  if (!request.key.roles.includes("viewer")) return decision;
  return { ...decision, permission: { ...decision.permission, effect: "allow" } };
}

test("files that do not compile are no policies to order", () => {
  expect(() => order([{ path: "a.yaml", text: "apiVersion: 1" }])).toThrow(/do not compile:\na\.yaml:1:/);
});

test("order: what policies can be made of is taken along", () => {
  const files: PolicyFile[] = [
    policy("default", [rule("ALLOW", ["user"], undefined, "named"), rule("DENY", ["guest"])]),
    policy("platform", [rule("ALLOW", ["account"])]),
    {
      path: "roles.yaml",
      text: "apiVersion: api.cerbos.dev/v1\nrolePolicy:\n  role: clerk\n  parentRoles: [user, guest]\n  rules:\n    - resource: doc\n      allowActions: [read, write]\n",
    },
    {
      path: "principal.yaml",
      text: "apiVersion: api.cerbos.dev/v1\nprincipalPolicy:\n  principal: one\n  version: default\n  rules:\n    - resource: doc\n      actions:\n        - action: write\n          effect: EFFECT_ALLOW\n        - action: read\n          effect: EFFECT_DENY\n          condition: { match: { expr: P.attr.level > 3.0 } }\n",
    },
  ];
  fc.assert(order(files), { numRuns: 30 });
});

test("a failure shrinks to a plain request", () => {
  const policies = platform(rule("DENY", ["account"], "P.attr.seats > 5.0 && R.attr.state == 'locked'", "locked"));
  const { counterexample } = fc.check(failClosed(policies, { only: ["resource.state"] }), { numRuns: 1_000, seed: 7 });
  const [found] = counterexample ?? [];
  expect(found?.request).toMatchObject({
    operation: "read",
    resource: { kind: "doc", id: "one", attr: { state: "locked" } },
  });
  expect(found?.request.key.attr).toEqual({});
});

test("requests: an operation that no rule has cannot be asked for", () => {
  expect(() => requests(shipped, { operations: ["no.such"] })).toThrow(/no policy has a rule/);
  const asked = fc.sample(requests(shipped, { operations: ["keys.getKey"] }), 50);
  expect(new Set(asked.map(({ operation }) => operation))).toEqual(new Set(["keys.getKey"]));
});
