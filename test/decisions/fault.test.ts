/** The fault in a decision on a faulty question; a genuine refusal has no fault. */

import { describe, expect, test } from "vitest";
import { explain } from "../../src/audit/index.js";
import { remoteDecider } from "../../src/cerbos/index.js";
import { decisionTracer, traceDecision } from "../../src/decisions/trace.js";
import {
  compilePolicies,
  type Decision,
  type DecisionRequest,
  decide,
  decideAll,
  type PolicySet,
  requestIssues,
} from "../../src/index.js";
import { loadPolicies } from "../../src/node/index.js";
import { policy, supportAll, when } from "../support/compose.js";
import { throwingProxy } from "../support/hostile.js";
import { compiled, SHIPPED_ROOT, shipped, shippedFiles } from "../support/policies.js";
import { ask, KINDS } from "../support/requests.js";

const REQUEST = ask("apis.deleteApi");

/** `decide` with arguments of wrong types. */
const decideUnknown = (policies: unknown, request: unknown): Decision =>
  Reflect.apply(decide, undefined, [policies, request]);
const without = (field: string) => Object.fromEntries(Object.entries(REQUEST).filter(([name]) => name !== field));

describe("a refusal that is one has no fault", () => {
  const tracer = decisionTracer(shipped);

  test.each(Object.keys(KINDS))("%s: allowed, not granted, prohibited", (operation) => {
    const some = [
      ask(operation),
      ask(operation, { roles: ["custom"] }),
      ask(operation, { roles: ["nobody has this role"] }),
      ask(operation, { account: { status: "suspended" } }),
      ask(operation, { accountId: "acc_2" }),
    ];
    for (const one of some) {
      expect(decide(shipped, one)).not.toHaveProperty("fault");
      expect(traceDecision(tracer, one)).not.toHaveProperty("fault");
    }
  });

  test("an operation that the permission layer alone knows is not supported (docs/contract.md §7.4.5)", () => {
    const set = compiled([
      ...supportAll("other"),
      { path: "doc.yaml", text: policy({ rules: ["actions: [archive], roles: [user], effect: EFFECT_ALLOW"] }) },
    ]);
    const { outcome, fault } = decide(set, doc("archive"));
    expect([outcome, fault]).toEqual(["forbidden", undefined]);
  });

  test("an operation that nobody is given, and the platform supports", () => {
    const platform = policy({
      version: "platform",
      rules: ["actions: [archive], roles: [account], effect: EFFECT_ALLOW"],
    });
    const set = compiled([
      { path: "platform.yaml", text: platform },
      { path: "doc.yaml", text: policy({ rules: ["actions: [read], roles: [user], effect: EFFECT_ALLOW"] }) },
    ]);
    expect(decide(set, doc("archive"))).toMatchObject({ outcome: "insufficient_permissions" });
    expect(decide(set, doc("archive"))).not.toHaveProperty("fault");
  });
});

test("an operation that the platform alone names is known, though none of its rules applies", () => {
  const rules = [`actions: [archive], roles: [account], effect: EFFECT_ALLOW, ${when("P.attr.mayArchive == true")}`];
  const set = compiled([
    { path: "platform.yaml", text: policy({ version: "platform", rules }) },
    { path: "doc.yaml", text: policy({ rules: ["actions: [read], roles: [user], effect: EFFECT_ALLOW"] }) },
  ]);
  const request = { ...doc("archive"), account: { id: "a", attr: { mayArchive: false } } };
  expect(decide(set, request)).toMatchObject({ outcome: "forbidden" });
  expect(decide(set, request)).not.toHaveProperty("fault");
  expect(decide(set, { ...request, operation: "burn" })).toMatchObject({ fault: { kind: "unknown_operation" } });
});

test.each(["0.55", "0.58"] as const)("an operation that a role policy alone names is known, at level %s", (cerbos) => {
  const warden = `apiVersion: api.cerbos.dev/v1
rolePolicy:
  role: warden
  rules:
    - { resource: doc, allowActions: [burn] }
`;
  const rules = ["actions: [read], roles: [user], effect: EFFECT_ALLOW"];
  const set = compiled(
    [...supportAll("doc"), { path: "doc.yaml", text: policy({ rules }) }, { path: "warden.yaml", text: warden }],
    { cerbos },
  );
  expect(decide(set, doc("burn"))).not.toHaveProperty("fault");
  expect(decide(set, doc("burnn"))).toMatchObject({ fault: { kind: "unknown_operation" } });
});

const NAME = "must be a string of 1 to 4096 characters";
const VERSION = "must be absent: the layer is the policy version";
const unreadable = (part: object) => ({
  ...part,
  get id() {
    throw new Error("no");
  },
});

test("a trace needs attributes that can be read to their end, and says whose cannot", () => {
  const tracer = decisionTracer(shipped);
  for (const part of ["key", "resource", "account"] as const) {
    const request = { ...REQUEST, [part]: { ...REQUEST[part], attr: throwingProxy() } };
    const { permission, platform } = traceDecision(tracer, request);
    const fault = { kind: "invalid_request", path: part, message: `invalid request: ${part} cannot be read` };
    expect([permission.verdict.fault, platform.verdict.fault]).toEqual([
      part === "account" ? undefined : fault,
      part === "key" ? undefined : fault,
    ]);
  }
});

test.each<[path: string, message: string, change: object]>([
  ["key", "must be an object", { key: null }],
  ["key", "cannot be read", { key: unreadable(REQUEST.key) }],
  ["key.roles", "must be a list of 1 to 1000 role names", { key: { ...REQUEST.key, roles: ["admin", ""] } }],
  ["key.id", NAME, { key: { ...REQUEST.key, id: "" } }],
  ["key.attr", "must be an object", { key: { ...REQUEST.key, attr: [] } }],
  ["key.policyVersion", VERSION, { key: { ...REQUEST.key, policyVersion: "default" } }],
  ["key.scope", NAME, { key: { ...REQUEST.key, scope: 7 } }],
  ["operation", NAME, { operation: "" }],
  ["resource", "must be an object", { resource: null }],
  ["resource", "cannot be read", { resource: unreadable(REQUEST.resource) }],
  ["resource.kind", NAME, { resource: { ...REQUEST.resource, kind: "" } }],
  ["resource.id", NAME, { resource: { ...REQUEST.resource, id: "" } }],
  ["resource.attr", "must be an object", { resource: { ...REQUEST.resource, attr: null } }],
  ["resource.policyVersion", VERSION, { resource: { ...REQUEST.resource, policyVersion: "default" } }],
  ["resource.scope", NAME, { resource: { ...REQUEST.resource, scope: 7 } }],
  ["account", "must be an object", { account: null }],
  ["account", "cannot be read", { account: unreadable(REQUEST.account) }],
  ["account.id", NAME, { account: { ...REQUEST.account, id: "" } }],
  ["account.attr", "must be an object", { account: { ...REQUEST.account, attr: "a" } }],
  ["account.policyVersion", VERSION, { account: { ...REQUEST.account, policyVersion: "default" } }],
  ["account.scope", NAME, { account: { ...REQUEST.account, scope: 7 } }],
  ["now", "must be a valid Date", { now: new Date(Number.NaN) }],
])("what is wrong with a part is said in words: %s %s", (path, message, change) => {
  const request = Object.defineProperties({ ...REQUEST }, Object.getOwnPropertyDescriptors(change));
  expect(requestIssues(request)).toEqual([{ path, message }]);
  expect(decideUnknown(shipped, request).fault).toEqual({
    kind: "invalid_request",
    path,
    message: `invalid request: ${path} ${message}`,
  });
});

describe("names", () => {
  const named = (length: number) => ({ ...REQUEST, resource: { ...REQUEST.resource, kind: "k".repeat(length) } });

  test("have up to 4,096 code units", () => {
    expect(requestIssues(named(4_096))).toEqual([]);
    expect(requestIssues(named(4_097))).toEqual([{ path: "resource.kind", message: NAME }]);
  });

  test("are said whole up to 160 code units, and by their beginning beyond", () => {
    const said = (length: number) => decide(shipped, named(length)).fault?.message;
    expect(said(160)).toBe(`no policy is about the kind "${"k".repeat(160)}"`);
    expect(said(161)).toBe(`no policy is about the kind "${"k".repeat(160)}…"`);
  });
});

test("what is no request at all has one issue, which says so", () => {
  for (const request of [undefined, null, 7, "request"]) {
    const message = "must be an object";
    expect(requestIssues(request)).toEqual([{ path: "", message }]);
  }
});

const doc = (operation: string, kind = "doc", attr = {}): DecisionRequest => ({
  key: { id: "k", roles: ["user"] },
  operation,
  resource: { kind, id: "1", attr },
  account: { id: "a" },
});

describe("a request that is malformed", () => {
  test.each([
    [without("key"), "key", "is missing", "insufficient_permissions"],
    [{ ...REQUEST, key: undefined }, "key", "is missing", "insufficient_permissions"],
    [{ ...REQUEST, key: { ...REQUEST.key, roles: undefined } }, "key.roles", "is missing", "insufficient_permissions"],
    [{ ...REQUEST, key: { ...REQUEST.key, roles: [] } }, "key.roles", "must be", "insufficient_permissions"],
    [without("account"), "account", "is missing", "forbidden"],
    [{ ...REQUEST, account: undefined }, "account", "is missing", "forbidden"],
    [{ ...REQUEST, account: null }, "account", "must be", "forbidden"],
    [{ ...REQUEST, resource: { kind: "api" } }, "resource.id", "is missing", "forbidden"],
    [without("operation"), "operation", "is missing", "forbidden"],
    [{ ...REQUEST, operation: 7 }, "operation", "must be", "forbidden"],
    [{ ...REQUEST, now: "2026-01-01" }, "now", "must be", "forbidden"],
    [undefined, "key", "is missing", "forbidden"],
  ])("%#: %o", (request, path, message, outcome) => {
    const decision = decideUnknown(shipped, request);
    expect(decision.outcome).toBe(outcome);
    expect(decision.fault).toMatchObject({ kind: "invalid_request", path });
    expect(decision.fault?.message).toContain(`invalid request: ${path} ${message}`);
  });

  test("is one where the platform prohibits the operation as well; what the platform says is the same", () => {
    const prohibited = ask("apis.deleteApi", { resource: { system: true } });
    const decision = decideUnknown(shipped, { ...prohibited, key: undefined });
    expect(decision.fault).toMatchObject({ kind: "invalid_request", path: "key" });
    expect(decision.platform).toEqual(decide(shipped, prohibited).platform);
    expect(decision.platform).not.toHaveProperty("fault");
  });

  test("of a permission-only set needs no account", () => {
    const set = compiled([{ path: "doc.yaml", text: policy({ rules: [READ] }) }], { platform: "none" });
    expect(decideUnknown(set, { ...doc("read"), account: undefined })).not.toHaveProperty("fault");
  });
});

const READ = "name: read, actions: [read], roles: [user], effect: EFFECT_ALLOW";

describe("what no policy knows", () => {
  test.each([
    ["apis.delteApi", "api", "unknown_operation", 'no policy knows "apis.delteApi" on "api"'],
    ["apis.deleteApi", "key", "unknown_operation", 'no policy knows "apis.deleteApi" on "key"'],
    ["apis.deleteApi", "apii", "unknown_kind", 'no policy is about the kind "apii"'],
  ])("%s on %s", (operation, kind, fault, message) => {
    const request = { ...REQUEST, operation, resource: { ...REQUEST.resource, kind } };
    const { outcome, platform, permission, fault: found } = decide(shipped, request);
    // A fault is still forbidden: docs/contract.md §7.4.5.
    expect(outcome).toBe("forbidden");
    expect(platform.reasons).toMatchObject([{ kind: "default", reason: "not_available" }]);
    expect(found).toEqual({ kind: fault, path: fault === "unknown_kind" ? "resource.kind" : "operation", message });
    for (const verdict of [permission, platform]) expect(verdict).not.toHaveProperty("fault");
  });

  /** Policies of both layers about `doc`, by the actions of their rules, and whether they know `publish`. */
  test.each<[permission: string, platform: string, known: boolean]>([
    ["[read]", "[read]", false],
    ["[publish]", "[read]", true],
    ["[read]", "[publish]", true],
    ['["pub*"]', "[read]", true],
    ['["*"]', "[read]", false],
    ["[read]", '["*"]', false],
    ['["*"]', '["*"]', true],
  ])("permission %s, platform %s", (permission, platform, known) => {
    const rule = (actions: string, role: string) => `actions: ${actions}, roles: [${role}], effect: EFFECT_ALLOW`;
    const set = compiled([
      // No caller has the role: whether an operation is known does not depend on the caller.
      { path: "permission.yaml", text: policy({ rules: [rule(permission, "others")] }) },
      { path: "platform.yaml", text: policy({ version: "platform", rules: [rule(platform, "account")] }) },
    ]);
    expect(decide(set, doc("publish")).fault?.kind).toBe(known ? undefined : "unknown_operation");
  });

  test.each(['["*"]', '[read, "*"]'])("a prohibition for every operation names none: %s", (actions) => {
    const rules = [
      `name: frozen, actions: ${actions}, roles: [account], effect: EFFECT_DENY`,
      "actions: [read], roles: [account], effect: EFFECT_ALLOW",
    ];
    const set = compiled([
      { path: "doc.yaml", text: policy({ rules: [READ] }) },
      { path: "platform.yaml", text: policy({ version: "platform", rules }) },
    ]);
    expect(decide(set, doc("raed")).fault?.kind).toBe("unknown_operation");
    expect(decide(set, doc("read")).fault).toBeUndefined();
  });

  test("policies of other versions, scopes, principals and roles", () => {
    const files = [
      { path: "doc.yaml", text: policy({ rules: [READ] }) },
      { path: "other.yaml", text: policy({ version: "draft", rules: [READ.replace("[read]", "[of_a_draft]")] }) },
      {
        path: "scoped.yaml",
        text: policy({ body: "scope: acme", rules: [READ.replace("[read]", "[in_a_scope]")] }),
      },
      { path: "ann.yaml", text: principalPolicy("doc", "of_ann") },
      { path: "bob.yaml", text: principalPolicy('"*"', "of_any_kind", "bob") },
      { path: "role.yaml", text: rolePolicy("of_a_role*") },
    ];
    const set = compiled(files, { platform: "none" });
    const kinds = ["of_a_draft", "in_a_scope", "of_ann", "of_any_kind", "of_a_role_too", "of_nobody"].map(
      (operation) => [operation, decide(set, doc(operation)).fault?.kind] as const,
    );
    expect(Object.fromEntries(kinds)).toEqual({
      of_a_draft: "unknown_operation",
      in_a_scope: undefined,
      of_ann: undefined,
      // A rule for any kind allows it.
      of_any_kind: undefined,
      of_a_role_too: undefined,
      of_nobody: "unknown_operation",
    });
    expect(decide(set, doc("of_any_kind", "dok")).fault).toBeUndefined();
    expect(decide(set, doc("read", "dok")).fault?.kind).toBe("unknown_kind");
  });

  test("a kind goes by each of its spellings", () => {
    const set = compiled([{ path: "a.yaml", text: policy({ resource: '"album:object"', rules: [READ] }) }], {
      platform: "none",
    });
    for (const kind of ["album:object", "album_object"]) {
      expect(decide(set, { ...doc("read", kind), key: { id: "k", roles: ["none"] } }).fault).toBeUndefined();
      expect(decide(set, doc("raed", kind)).fault?.kind).toBe("unknown_operation");
    }
  });

  test("a kind is known that one of the layers knows", () => {
    const read = "actions: [read], roles: ['*'], effect: EFFECT_ALLOW";
    const set = compiled([
      { path: "doc.yaml", text: policy({ resource: "doc", rules: [read] }) },
      { path: "note.yaml", text: policy({ resource: "note", version: "platform", rules: [read] }) },
    ]);
    const faultOf = (kind: string) => decide(set, { ...doc("raed", kind), account: { id: "a" } }).fault?.kind;
    expect(["doc", "note", "dok"].map(faultOf)).toEqual(["unknown_operation", "unknown_operation", "unknown_kind"]);
  });

  test("names of any length make a short message", () => {
    const { fault } = decide(shipped, { ...REQUEST, operation: "x".repeat(4_000) });
    expect(fault?.message.length).toBeLessThan(400);
  });
});

function principalPolicy(resource: string, action: string, principal = "ann"): string {
  return `apiVersion: api.cerbos.dev/v1
principalPolicy:
  principal: ${principal}
  version: default
  rules:
    - resource: ${resource}
      actions: [{action: ${action}, effect: EFFECT_ALLOW}]
`;
}

function rolePolicy(action: string): string {
  return `apiVersion: api.cerbos.dev/v1
rolePolicy:
  role: visitor
  scope: ""
  rules:
    - {resource: doc, allowActions: ["${action}"]}
`;
}

describe("what cannot be evaluated", () => {
  const rules = [
    `name: read, actions: [read], roles: [user], effect: EFFECT_ALLOW`,
    `name: locked, actions: [read], roles: [user], effect: EFFECT_DENY, ${when("R.attr.locked")}`,
    `name: old, actions: [read], roles: [user], effect: EFFECT_DENY, ${when("R.attr.old")}`,
    `name: write, actions: [write], roles: [user], effect: EFFECT_ALLOW, ${when("R.attr.mine")}`,
    `name: write_all, actions: [write], roles: [chief], effect: EFFECT_ALLOW`,
    `name: write_not, actions: [write], roles: [guest], effect: EFFECT_DENY`,
  ];
  const set = compiled([...supportAll("doc"), { path: "doc.yaml", text: policy({ rules }) }]);
  const faultWith = (attr: object, operation = "read", roles = ["user"]) => {
    const decision = decide(set, { ...doc(operation, "doc", attr), key: { id: "k", roles } });
    expect(decision.permission.fault).toBe(decision.fault);
    expect(decision.platform).not.toHaveProperty("fault");
    return [decision.outcome, decision.fault?.kind] as const;
  };

  test.each<[object, string | undefined]>([
    [{ locked: false, old: false }, undefined],
    [{ locked: true, old: false }, undefined],
    [{ locked: false }, "evaluation"],
    [{ locked: new Date(0), old: false }, "evaluation"],
    [{ locked: "yes", old: false }, "evaluation"],
    [{ locked: 1n, old: false }, "evaluation"],
    [{}, "evaluation"],
    // A DENY rule that holds denies whether or not the other one errs: the result is a refusal.
    [{ locked: true }, undefined],
    [{ old: true }, undefined],
  ])("%o", (attr, fault) => {
    const denied = Object.values(attr).some((value) => value !== false) || Object.keys(attr).length < 2;
    expect(faultWith(attr)).toEqual([denied ? "insufficient_permissions" : "allow", fault]);
  });

  test("a role that errs, beside one that is allowed and one that is denied", () => {
    expect(faultWith({}, "write")).toEqual(["insufficient_permissions", "evaluation"]);
    expect(faultWith({}, "write", ["user", "chief"])).toEqual(["insufficient_permissions", "evaluation"]);
    // Without the error the role `user` might be allowed.
    expect(faultWith({}, "write", ["user", "guest"])).toEqual(["insufficient_permissions", "evaluation"]);
    expect(faultWith({}, "write", ["guest"])).toEqual(["insufficient_permissions", undefined]);
  });

  test("says which rule, what and where", () => {
    const { fault } = decide(set, doc("write"));
    expect(fault).toEqual({
      kind: "evaluation",
      path: expect.stringMatching(/^doc\.yaml:9:\d+$/),
      message: expect.stringMatching(/^resource\.doc\.vdefault#write: R\.attr\.mine: /),
    });
  });

  test("where the platform prohibits the operation anyway, it is a refusal", () => {
    const platform = policy({
      version: "platform",
      rules: ["name: no, actions: [read], roles: [account], effect: EFFECT_DENY"],
    });
    const prohibited = compiled([
      { path: "platform.yaml", text: platform },
      { path: "doc.yaml", text: policy({ rules }) },
    ]);
    const { outcome, permission, fault } = decide(prohibited, doc("read"));
    expect([outcome, permission.fault?.kind, fault]).toEqual(["forbidden", "evaluation", undefined]);
  });

  test("attributes that the enforced schemas refuse", () => {
    const enforced = compiled(shippedFiles, { schemaEnforcement: "reject" });
    const { outcome, fault } = decide(enforced, ask("apis.getApi", { resource: { keyCount: 1.5 } }));
    expect([outcome, fault?.kind]).toEqual(["forbidden", "invalid_attributes"]);
    expect(fault?.message).toContain("/keyCount");
  });
});

describe("what is no policies", () => {
  const loaded = compilePolicies(shippedFiles);
  const failed = compilePolicies([{ path: "a.yaml", text: "" }]);
  const cases: readonly (readonly [string, unknown, RegExp])[] = [
    ["nothing", undefined, /they are undefined/],
    ["null", null, /they are null/],
    ["a directory", "policies", /they are a string/],
    ["an Either", loaded, /the Either/],
    ["an Either of issues", failed, /did not load/],
    ["a promise", Promise.resolve(shipped), /a promise: await it/],
    ["a task that was not run", loadPolicies(SHIPPED_ROOT), /a task: run it/],
    ["something else", { policies: shipped }, /does not come from loadPolicies or compilePolicies/],
    ["a list", [], /does not come from loadPolicies/],
    ["what cannot be read", throwingProxy(), /cannot be read/],
    ["layers that cannot be asked", { permission: {}, platform: {} }, /does not come from loadPolicies/],
  ];

  test.each(cases)("%s: denied, with the mistake and the mend", async (_, policies, message) => {
    const decision = decideUnknown(policies, REQUEST);
    expect(decision.outcome).toBe("forbidden");
    expect(decision.fault).toEqual({ kind: "invalid_policies", path: "", message: expect.stringMatching(message) });
    for (const { effect, reasons } of [decision.permission, decision.platform]) {
      expect([effect, reasons.map(({ reason }) => reason)]).toEqual(["deny", ["invalid_policies"]]);
    }
    const set = policies as PolicySet;
    expect(decideAll(set, REQUEST, [REQUEST.resource, REQUEST.resource])).toEqual([decision, decision]);
    const never = { checkResources: () => Promise.reject(new Error("asked")) };
    expect(await remoteDecider(never, set)(REQUEST)()).toEqual({ _tag: "Right", right: decision });
    const { outcome, fault, permission, platform } = explain(set, REQUEST);
    expect({ outcome, fault, permission: permission.verdict, platform: platform.verdict }).toEqual(decision);
  });
});

test("what is no list of resources is denied, by one decision", () => {
  for (const resources of [undefined, null, {}, "ab", new Set([REQUEST.resource]), throwingProxy()]) {
    const decisions: readonly Decision[] = Reflect.apply(decideAll, undefined, [shipped, REQUEST, resources]);
    expect(decisions).toMatchObject([
      { outcome: "forbidden", fault: { kind: "invalid_request", path: "resources", message: expect.any(String) } },
    ]);
  }
  // A hole in the list is not a resource.
  const holes: readonly Decision[] = Reflect.apply(decideAll, undefined, [shipped, REQUEST, new Array(2)]);
  expect(holes.map(({ fault }) => fault?.path)).toEqual(["resource", "resource"]);
  expect(decideAll(shipped, REQUEST, [])).toEqual([]);
});
