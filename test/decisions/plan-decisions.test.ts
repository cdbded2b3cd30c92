/** Plans of decisions, case by case; `test/property/lists.test.ts` compares them with decisions on rows. */

import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { PlanFormCache } from "../../src/engine/residual/plan-form-cache.js";
import { type CompileOptions, decide, type Filter, matches, type PolicyFile, planDecisions } from "../../src/index.js";
import { policy, supportAll, when } from "../support/compose.js";
import { hostileAccount, hostileKey } from "../support/hostile.js";
import { compiled, shipped } from "../support/policies.js";
import { sized } from "../support/size.js";

/** A permission layer of one rule with this condition. */
function files(condition: string, more = ""): readonly PolicyFile[] {
  const text = `
apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
${more}
  rules:
    - { name: theirs, actions: [read], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: ${JSON.stringify(condition)} } } }
`;
  return [{ path: "doc.yaml", text }];
}

const KEY = { id: "k1", roles: ["user"], attr: { team: "red", ids: ["a", "b"] } };
const ASKED = { key: KEY, operation: "read", kind: "doc" } as const;

function planOf(condition: string, asked: object = {}, options: Partial<CompileOptions> = {}) {
  const set = compiled(files(condition), { ...options, platform: "none" });
  return planDecisions(set, { ...ASKED, account: { id: "a1" }, ...asked });
}

const attr = (...path: readonly string[]) => ({ of: "attr", path });

test.each<[condition: string, filter: unknown]>([
  ["R.attr.team == P.attr.team", { op: "in", term: attr("team"), values: ["red"] }],
  [
    "R.attr.team != P.attr.team",
    {
      op: "all",
      of: [
        { op: "present", term: attr("team"), isJson: true },
        { op: "not", of: { op: "in", term: attr("team"), values: ["red"] } },
      ],
    },
  ],
  ["R.attr.id in P.attr.ids", { op: "in", term: attr("id"), values: ["a", "b"] }],
  ["P.attr.ids.exists(i, i == R.attr.id)", { op: "in", term: attr("id"), values: ["a", "b"] }],
  ["R.attr.level < 1 + 2", { op: "order", term: attr("level"), symbol: "<", value: 3 }],
  ["3.0 >= R.attr.limits.keys", { op: "order", term: attr("limits", "keys"), symbol: "<=", value: 3 }],
  ["R.attr.open", { op: "in", term: attr("open"), values: [true] }],
  ["has(R.attr.team)", { op: "present", term: attr("team") }],
  [
    "!has(R.attr.team) || R.attr.team == 'red'",
    {
      op: "any",
      of: [
        { op: "not", of: { op: "present", term: attr("team") } },
        { op: "in", term: attr("team"), values: ["red"] },
      ],
    },
  ],
  ["'red' in R.attr.tags", { op: "includes", term: attr("tags"), value: "red" }],
  ["R.id == 'd1'", { op: "in", term: { of: "id", path: [] }, values: ["d1"] }],
  ["R.attr.name.startsWith('a')", { op: "text", term: attr("name"), how: "startsWith", value: "a" }],
  ["size(R.attr.tags) == 2", { op: "size", term: attr("tags"), symbol: "==", value: 2 }],
  ["R.attr.open && P.attr.team == 'red'", { op: "in", term: attr("open"), values: [true] }],
  ["R.attr.open && [?P.attr.?team, 'x'] == ['red', 'x']", { op: "in", term: attr("open"), values: [true] }],
  ["R.attr.open && {?'a': P.attr.?none} == {}", { op: "in", term: attr("open"), values: [true] }],
  ["R.attr.open || [?P.attr.team] == []", { op: "in", term: attr("open"), values: [true] }],
])("%s", (condition, filter) => {
  const plan = planOf(condition);
  expect(plan).toEqual({
    outcome: "some",
    filter,
    isExact: true,
    reasons: [{ kind: "rule", reason: "theirs", rule: "theirs", policy: "resource.doc.vdefault", layer: "permission" }],
  });
});

test("what does not depend on the row is all or nothing, with the reasons", () => {
  const reason = { rule: "theirs", policy: "resource.doc.vdefault", layer: "permission" };
  expect(planOf("P.attr.team == 'red'")).toMatchObject({
    outcome: "all",
    filter: { op: "all", of: [] },
    reasons: [{ ...reason, kind: "rule", reason: "theirs" }],
  });
  expect(planOf("P.attr.team == 'blue' && R.attr.open")).toMatchObject({
    outcome: "none",
    filter: { op: "any", of: [] },
    reasons: [{ kind: "default", reason: "not_granted", layer: "permission" }],
  });
  expect(planOf("P.attr.nothing == R.attr.open")).toMatchObject({
    outcome: "none",
    reasons: [{ ...reason, kind: "error", reason: "theirs" }],
    fault: { kind: "evaluation", path: expect.stringContaining("doc.yaml:") },
  });
});

test("a question that is refused is a filter of its own, exact, with the reason and its layer", () => {
  const planned = (asked: object) =>
    Reflect.apply(planDecisions, undefined, [shipped, { ...ASKED, kind: "api", operation: "apis.getApi", ...asked }]);
  const reason = { kind: "error", reason: "invalid_request", rule: "", policy: "" };
  const refused = { outcome: "none", filter: { op: "any", of: [] }, isExact: true };
  expect(planned({ key: null, account: { id: "a1" } })).toEqual({
    ...refused,
    reasons: [{ ...reason, layer: "permission" }],
    fault: { kind: "invalid_request", path: "key", message: "invalid request: key must be an object" },
  });
  expect(planned({})).toEqual({
    ...refused,
    reasons: [{ ...reason, layer: "platform" }],
    fault: { kind: "invalid_request", path: "account", message: "invalid request: account is missing" },
  });
  expect(Reflect.apply(planDecisions, undefined, [shipped, null])).toEqual({
    ...refused,
    reasons: [{ ...reason, layer: "platform" }],
    fault: { kind: "invalid_request", path: "", message: "invalid request: cannot be read" },
  });
});

test("the reasons of some are all rules that depend on the row; of none that could be, what keeps it from being", () => {
  const reasonsOf = (denies: string) => {
    const rules = [
      `name: theirs, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when("R.attr.open == true")}`,
      `name: locked, actions: [read], roles: [user], effect: EFFECT_DENY, ${when(denies)}`,
    ];
    const set = compiled([{ path: "doc.yaml", text: policy({ rules }) }], { platform: "none" });
    const plan = planDecisions(set, { ...ASKED, account: { id: "a1" } });
    return [plan.outcome, ...plan.reasons.map(({ rule, layer }) => `${layer} ${rule}`)];
  };
  expect(reasonsOf("R.attr.locked == true")).toEqual(["some", "permission theirs", "permission locked"]);
  expect(reasonsOf("R.attr.open == true")).toEqual(["none", "permission theirs", "permission locked"]);
});

test("a refusal that is one has no fault", () => {
  const closed = planOf("false && R.attr.open");
  expect(closed).toMatchObject({ outcome: "none" });
  expect(closed).not.toHaveProperty("fault");
});

test("a permission-only set needs no account", () => {
  const set = compiled(files("R.attr.open"), { platform: "none" });
  expect(Reflect.apply(planDecisions, undefined, [set, ASKED])).toMatchObject({ outcome: "some", isExact: true });
});

test("unknown kinds, operations, and what is no request are none, with the fault", () => {
  const fault = (asked: object) => {
    const { outcome, filter, fault } = planOf("R.attr.open", asked);
    expect({ outcome, filter }).toEqual({ outcome: "none", filter: { op: "any", of: [] } });
    return fault?.kind;
  };
  expect(fault({ kind: "nothing" })).toBe("unknown_kind");
  expect(fault({ operation: "burn" })).toBe("unknown_operation");
  expect(fault({ key: { id: "", roles: [] } })).toBe("invalid_request");
  expect(fault({ kind: 3 })).toBe("invalid_request");
  expect(fault({ resource: { attr: [] } })).toBe("invalid_request");
  expect(fault({ resource: null })).toBe("invalid_request");
  expect(fault({ resource: "d1" })).toBe("invalid_request");
  expect(planDecisions(JSON.parse("{}"), { ...ASKED, account: { id: "a1" } }).fault?.kind).toBe("invalid_policies");
  expect(planDecisions(shipped, JSON.parse("null"))).toMatchObject({
    outcome: "none",
    fault: { kind: "invalid_request" },
  });
});

test("one plan after another is made, however many there were", () => {
  const condition = "R.attr.team == P.attr.team";
  const plans = Array.from({ length: 12 }, () => planOf(condition));
  expect(plans).toEqual(Array.from({ length: 12 }, () => plans[0]));
  expect(plans[0]).toMatchObject({ outcome: "some" });
});

test("whatever it is given, it does not throw", () => {
  fc.assert(
    fc.property(hostileKey, hostileAccount, (key, account) => {
      const asked = { ...ASKED, operation: "apis.getApi", kind: "api", account: { id: "a1" } };
      const { outcome, filter } = planDecisions(shipped, Object.assign(asked, { key: key(), account: account() }));
      expect(["all", "none", "some"]).toContain(outcome);
      expect(typeof matches(filter, { id: "a1", attr: {} })).toBe("boolean");
    }),
    { numRuns: sized(2_000) },
  );
});

test("each value is read once, and none that no rule reads", () => {
  const reads: string[] = [];
  const watched = (part: string, attr: object): object =>
    new Proxy(attr, {
      get: (target, name) => {
        reads.push(`${part}.${String(name)}`);
        return Reflect.get(target, name);
      },
    });
  const key = { ...KEY, attr: watched("key", { team: "red", ids: ["a"], other: 1 }) };
  const resource = { attr: watched("resource", { open: true, other: 1 }) };
  const planned = planOf("R.attr.open && R.attr.team == P.attr.team && P.attr.team in P.attr.ids + ['red']", {
    key,
    resource,
  });
  expect(planned.outcome).toBe("some");
  expect(reads.sort()).toEqual(["key.ids", "key.team", "resource.open"]);
});

test("a part that is too large to be read is one that is at fault, whatever the other parts are", {
  tags: "long",
}, () => {
  const attr = { system: new Proxy({}, { ownKeys: () => Array.from({ length: 1_000_001 }, (_, i) => String(i)) }) };
  const key = { id: "k", roles: ["viewer"], attr: { accountId: "acc" } };
  const asked = { key, operation: "apis.getApi", kind: "api", account: { id: "acc" }, withForbidden: true };
  const policies = compiled(files("P.attr.system == R.attr.open"), { platform: "none" });
  const large = { ...ASKED, account: { id: "a1" }, key: { ...KEY, attr } };
  expect(planDecisions(policies, large)).toMatchObject({
    outcome: "none",
    reasons: [{ kind: "error", reason: "invalid_request", layer: "permission" }],
    fault: { kind: "invalid_request", path: "key.attr" },
  });
  expect(planDecisions(shipped, { ...asked, key: JSON.parse("{}") }).forbidden).toEqual(
    planDecisions(shipped, asked).forbidden,
  );
});

test("what somebody has put on Object.prototype is no part of what is asked", () => {
  Object.defineProperty(Object.prototype, "account", { value: { id: "a1" }, configurable: true });
  try {
    const asked = { key: KEY, operation: "apis.getApi", kind: "api" };
    expect(Reflect.apply(planDecisions, undefined, [shipped, asked])).toMatchObject({
      outcome: "none",
      fault: { kind: "invalid_request", path: "account" },
    });
  } finally {
    Reflect.deleteProperty(Object.prototype, "account");
  }
});

test("a plan that reads its own request, several times at each depth, comes to an end", () => {
  const set = compiled(files("P.attr.a == R.attr.open || P.attr.b == R.attr.open"), { platform: "none" });
  let reads = 0;
  const again = () => {
    reads += 1;
    return planDecisions(set, asked).outcome;
  };
  const attr = Object.defineProperties(
    {},
    { a: { get: again, enumerable: true }, b: { get: again, enumerable: true } },
  );
  const asked = { ...ASKED, account: { id: "a1" }, key: { ...KEY, attr } };
  expect(planDecisions(set, asked).outcome).toBe("some");
  // Two reads at each of five depths, doubled at each depth.
  expect(reads).toBe(2 + 4 + 8 + 16 + 32);
});

test("any number of plans, one after the other", () => {
  const set = compiled(files("P.attr.team == R.attr.team"), { platform: "none" });
  const asked = { ...ASKED, account: { id: "a1" } };
  for (let i = 0; i < 10; i++) expect(planDecisions(set, asked).outcome).toBe("some");
});

test("what is known of the resource is folded in", () => {
  const condition = "R.attr.team == P.attr.team && R.attr.open && R.id != 'd0'";
  expect(planOf(condition, { resource: { id: "d1", attr: { team: "red" } } }).filter).toEqual({
    op: "in",
    term: attr("open"),
    values: [true],
  });
  expect(planOf(condition, { resource: { attr: { team: "blue" } } }).outcome).toBe("none");
});

test("the time is fixed once, and said", () => {
  const now = new Date("2026-01-01T00:00:00.5Z");
  expect(planOf("now() < timestamp('2027-01-01T00:00:00Z')", { now })).toMatchObject({ outcome: "all", now });
  const plan = planOf("timestamp(R.attr.until) > now()", { now });
  expect(plan).toMatchObject({ outcome: "some", now, isExact: true });
  expect(matches(plan.filter, { attr: { until: "2026-01-01T00:00:01Z" } })).toBe(true);
  expect(matches(plan.filter, { attr: { until: "2026-01-01T00:00:00Z" } })).toBe(false);
  expect(
    matches(
      planOf("R.attr.since.timeSince() > duration('1h')".replace("R.attr.since", "timestamp(R.attr.since)"), { now })
        .filter,
      { attr: { since: "2020-01-01T00:00:00Z" } },
    ),
  ).toBe(true);
  expect(planOf("R.attr.open", { now })).not.toHaveProperty("now");
  expect(planOf("now() < timestamp('2027-01-01T00:00:00Z')")).toMatchObject({
    outcome: "none",
    fault: { kind: "evaluation" },
  });
});

test("an expression that is no filter is evaluated for each row", () => {
  const { filter } = planOf("R.attr.a * 2.0 == R.attr.b");
  expect(filter).toMatchObject({ op: "expression", is: true, reads: ["R.attr.a", "R.attr.b"] });
  expect(JSON.parse(JSON.stringify(filter))).not.toHaveProperty("value");
  expect(matches(filter, { attr: { a: 2, b: 4 } })).toBe(true);
  expect(matches(filter, { attr: { a: 2, b: 5 } })).toBe(false);
  expect(matches(filter, { attr: { a: "2", b: 4 } })).toBe(false);
});

test("where nothing can be said the filter is wider, and says so", () => {
  // More passes than the step budget allows: `decide` refuses each row.
  const ids = Array.from({ length: 1_000 }, (_, i) => String(i));
  const condition = "P.attr.ids.exists(a, P.attr.ids.exists(b, a + b == R.attr.id))";
  const plan = planOf(condition, { key: { ...KEY, attr: { ids } } });
  expect(plan).toMatchObject({ outcome: "some", filter: { op: "unknown" }, isExact: false });
  expect(matches(plan.filter, {})).toBe(true);
});

test("under enforced schemas it is a pre-filter, and a key that is not as it should be has nothing", () => {
  const schema = JSON.stringify({ type: "object", properties: { team: { type: "string" } }, required: ["team"] });
  const policy = files(
    "R.attr.open",
    "  schemas: { principalSchema: { ref: 'cerbos:///any.json' }, resourceSchema: { ref: 'cerbos:///any.json' } }",
  );
  const set = compiled([...policy, { path: "_schemas/any.json", text: schema }], {
    platform: "none",
    schemaEnforcement: "reject",
  });
  const plan = planDecisions(set, { ...ASKED, account: { id: "a1" } });
  expect(plan).toMatchObject({ outcome: "some", isExact: false });
  expect(matches(plan.filter, { attr: { open: true } })).toBe(true);
  expect(
    decide(set, { ...ASKED, account: { id: "a1" }, resource: { kind: "doc", id: "d", attr: { open: true } } }).outcome,
  ).not.toBe("allow");
  const other = planDecisions(set, { ...ASKED, key: { ...KEY, attr: {} }, account: { id: "a1" } });
  expect(other).toMatchObject({ outcome: "none", fault: { kind: "invalid_attributes" } });
  const ofKeys = files("R.attr.open", "  schemas: { principalSchema: { ref: 'cerbos:///any.json' } }");
  const exact = compiled([...ofKeys, { path: "_schemas/any.json", text: schema }], {
    platform: "none",
    schemaEnforcement: "reject",
  });
  expect(planDecisions(exact, { ...ASKED, account: { id: "a1" } })).toMatchObject({ outcome: "some", isExact: true });
});

test("what is read whole has to be as declared with all that is in it, also where the key is known here", () => {
  const schema = JSON.stringify({
    type: "object",
    properties: { meta: { type: "object", properties: { k: { type: "string" }, n: { type: "number" } } } },
  });
  const more = "  schemas: { resourceSchema: { ref: 'cerbos:///any.json' } }";
  const schemas = { path: "_schemas/any.json", text: schema };
  const asked = { ...ASKED, account: { id: "a1" } };
  for (const condition of ["['k'].exists(k, R.attr.meta[k] == 'red')", "cel.bind(m, R.attr.meta, m.k == 'red')"]) {
    const set = compiled([...files(condition, more), schemas], { platform: "none" });
    const { filter } = planDecisions(set, asked);
    for (const meta of [{ k: "red" }, { k: "red", n: 1 }, { k: "red", n: "1" }, { k: "blue", n: 1 }]) {
      const row = { id: "d", attr: { meta } };
      const { outcome } = decide(set, { ...asked, resource: { kind: "doc", ...row } });
      expect([meta, matches(filter, row)]).toEqual([meta, outcome === "allow"]);
    }
  }
});

test("a form that another request was planned by is filled with the values of this one", () => {
  const condition = `R.attr.team == P.attr.team && R.attr.team in ["red", "blue"] || R.attr.id in P.attr.ids
    || P.attr.ids.exists(i, R.attr.owner == "u" + i) || R.attr.limits[P.attr.team] < size(P.attr.ids)`;
  const set = compiled(files(condition), { platform: "none" });
  const values = ["red", "blue", "green", "", null, 3, true, [], { red: 1 }];
  const lists = [[], ["a"], ["b", "a"], ["a", "a"], ["x", 1, null], [["a"]], "a", { a: 1 }, "0123456789".split("")];
  for (const team of [...values, ...values]) {
    for (const ids of lists) {
      const key = { ...KEY, attr: { team, ids } };
      const found = planDecisions(set, { ...ASKED, account: { id: "a1" }, key });
      expect(JSON.stringify(found)).toBe(JSON.stringify(planOf(condition, { key })));
    }
  }
});

test("a variable for which one condition had too little left is known in the next", () => {
  const heavy = "size(P.attr.n.map(x, P.attr.n.map(y, x + y)))";
  const rule = (name: string, condition: string) =>
    `name: ${name}, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(condition)}`;
  const text = policy({
    body: `variables: { local: { v: '${heavy}' } }`,
    rules: [rule("first", `${heavy} == 1 || V.v == 127 && R.attr.a`), rule("second", "V.v == 127 && R.attr.b")],
  });
  const set = compiled([{ path: "doc.yaml", text }], { platform: "none" });
  const key = { id: "k1", roles: ["user"], attr: { n: Array.from({ length: 127 }, (_, i) => i) } };
  const { filter, isExact } = planDecisions(set, { ...ASKED, account: { id: "a1" }, key });
  // The first condition is unknown. The second errs where `b` is not a boolean, and otherwise has the value of `b`.
  const b = {
    op: "any",
    of: [
      { op: "type", term: attr("b"), types: ["boolean"] },
      { op: "in", term: attr("b"), values: [true] },
    ],
  };
  expect([filter, isExact]).toEqual([{ op: "all", of: [{ op: "unknown" }, b] }, false]);
});

test("hostile names stay names", () => {
  const condition = `R.attr["a' OR 1=1 --"] == "'; DROP TABLE docs; --" || R.attr.__proto__ == 1`;
  const { filter } = planOf(condition);
  expect(matches(filter, { attr: { "a' OR 1=1 --": "'; DROP TABLE docs; --" } })).toBe(true);
  expect(matches(filter, { attr: {} })).toBe(false);
});

test("the shipped policies: the apis that a key may read", () => {
  const attr = { accountId: "acc", workspaceIds: ["w1", "w2"], environment: "production", permissions: [] };
  const account = {
    id: "acc",
    attr: { plan: "pro", status: "active", limits: { apis: 9, keys: 9 }, usage: { apis: 1, keys: 1 }, holds: [] },
  };
  const plan = planDecisions(shipped, {
    key: { id: "k", roles: ["viewer"], attr },
    operation: "apis.getApi",
    kind: "api",
    account,
  });
  expect(plan).toMatchObject({ outcome: "some", isExact: true });
  const names: string[] = [];
  const look = (filter: Filter): void => {
    if (filter.op === "all" || filter.op === "any") for (const part of filter.of) look(part);
    else names.push(filter.op);
  };
  look(plan.filter);
  expect(names).not.toContain("expression");
});

test("the rows that are forbidden, if they are asked for", () => {
  const platform = `
apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: platform
  rules:
    - { name: kept, actions: [read], effect: EFFECT_ALLOW, roles: [account], condition: { match: { expr: R.attr.held != true } } }
`;
  const set = compiled([...files("R.attr.open"), { path: "platform.yaml", text: platform }]);
  const asked = { ...ASKED, account: { id: "a1", attr: {} } };
  expect(planDecisions(set, asked)).not.toHaveProperty("forbidden");
  const { filter, forbidden } = planDecisions(set, { ...asked, withForbidden: true });
  expect(forbidden).toMatchObject({ outcome: "some", isExact: true });
  expect(planDecisions(set, { ...asked, withForbidden: true })).not.toHaveProperty("fault");
  for (const values of [{ open: true }, { held: true }, { held: true, open: true }, { held: 3, open: true }, {}]) {
    const row = { id: "d1", attr: values };
    const { outcome } = decide(set, { ...asked, resource: { kind: "doc", ...row } });
    expect([matches(filter, row), matches(forbidden?.filter ?? filter, row)]).toEqual([
      outcome === "allow",
      outcome === "forbidden",
    ]);
  }
  // A permission-only set forbids nothing.
  expect(planOf("R.attr.open", { withForbidden: true }).forbidden).toMatchObject({ outcome: "none", isExact: true });
  // The platform layer is still asked if the key is malformed, but not if the account is.
  const faulty = planDecisions(set, { ...asked, withForbidden: true, key: JSON.parse('{"id":""}') });
  expect([faulty.outcome, faulty.forbidden]).toEqual(["none", forbidden]);
  const nobody = planDecisions(set, { ...asked, withForbidden: true, account: JSON.parse('{"id":""}') });
  const all = { outcome: "all", filter: { op: "all", of: [] }, isExact: true };
  expect([nobody.fault?.path, nobody.forbidden]).toEqual(["account.id", all]);
  expect(planDecisions(JSON.parse("{}"), { ...asked, withForbidden: true }).forbidden).toMatchObject({
    outcome: "all",
  });
  expect(planDecisions(JSON.parse("{}"), asked)).not.toHaveProperty("forbidden");
});

test("a part that does not say what it has is at fault, where all of it is to be read", () => {
  const uses = "  schemas: { resourceSchema: { ref: 'cerbos:///any.json' } }";
  const schema = { path: "_schemas/any.json", text: "{}" };
  const set = compiled([...files("R.attr.open", uses), schema], { platform: "none", schemaEnforcement: "reject" });
  const hidden = new Proxy({}, { ownKeys: () => expect.unreachable() });
  const asked = { ...ASKED, account: { id: "a1" } };
  expect(planDecisions(set, asked).outcome).toBe("some");
  const refused = (path: string) => ({
    outcome: "none",
    fault: { kind: "invalid_request", path, message: `invalid request: ${path} cannot be read` },
  });
  expect(planDecisions(set, { ...asked, key: { ...KEY, attr: hidden } })).toMatchObject(refused("key.attr"));
  expect(planDecisions(set, { ...asked, resource: { attr: hidden } })).toMatchObject(refused("resource.attr"));
  // The same holds if another part is malformed too.
  const other = { ...asked, operation: "" };
  expect(planDecisions(set, { ...other, key: { ...KEY, attr: hidden } })).toMatchObject(refused("key.attr"));
  expect(planDecisions(set, { ...other, resource: { attr: hidden } }).fault?.path).toBe("operation");
  expect(planDecisions(shipped, { ...asked, account: { id: "" }, resource: { attr: hidden } })).toMatchObject(
    refused("resource.attr"),
  );
  const account = { id: "a1", attr: hidden as never };
  const both = compiled([...files("R.attr.open", uses), schema, ...supportAll("doc")], { schemaEnforcement: "reject" });
  expect(planDecisions(both, { ...asked, account })).toMatchObject(refused("account.attr"));
  expect(planDecisions(shipped, { ...other, account }).reasons.map(({ layer, kind }) => `${layer} ${kind}`)).toEqual([
    "platform error",
  ]);
  expect(planDecisions(shipped, { ...other, account }).fault?.path).toBe("operation");
});

test("of a set with one layer nothing is forbidden, whatever is wrong with the request", () => {
  const set = compiled(files("R.attr.open"), { platform: "none" });
  const asked = { ...ASKED, account: { id: "a1" }, withForbidden: true };
  for (const change of [{}, { operation: "" }, { kind: "" }, { key: { id: "" } as never }]) {
    expect(planDecisions(set, { ...asked, ...change }).forbidden).toEqual({
      outcome: "none",
      filter: { op: "any", of: [] },
      isExact: true,
    });
  }
});

test("a form is made once for the same answers, and once where it says which rows are forbidden", () => {
  const set = compiled(files("R.attr.team == P.attr.team || P.attr.lead == true"), { platform: "none" });
  const ask = (attr: object, withForbidden = false) =>
    planDecisions(set, { ...ASKED, account: { id: "a1" }, key: { ...KEY, attr }, withForbidden });
  const made = vi.spyOn(PlanFormCache.prototype, "add");
  const after = (attr: object, withForbidden = false) => {
    ask(attr, withForbidden);
    return made.mock.calls.length;
  };
  const counts = [
    after({ team: "red" }),
    after({ team: "red" }),
    after({ team: "blue" }),
    after({ team: "red", lead: true }),
  ];
  expect(counts).toEqual([1, 1, 1, 2]);
  expect([after({ team: "red" }, true), after({ team: "red" }, true), after({ team: "red" })]).toEqual([3, 3, 3]);
  made.mockRestore();
});

test.each(["V.m.y == 'a'", "V.m['y'] == 'a'"])("a variable is read with all that is in it: %s", (condition) => {
  const schema = { type: "object", properties: { m: { type: "object", properties: { n: { type: "number" } } } } };
  const more = "  schemas: { resourceSchema: { ref: 'cerbos:///doc.json' } }\n  variables: { local: { m: R.attr.m } }";
  const policies = [...files(condition, more), { path: "_schemas/doc.json", text: JSON.stringify(schema) }];
  const set = compiled(policies, { platform: "none" });
  const { filter } = planDecisions(set, { ...ASKED, account: { id: "a1" } });
  for (const n of [1, "one"]) {
    const resource = { kind: "doc", id: "d1", attr: { m: { y: "a", n } } };
    const { outcome } = decide(set, { ...ASKED, account: { id: "a1" }, resource });
    expect([n, outcome]).toEqual([n, n === 1 ? "allow" : "insufficient_permissions"]);
    expect([n, matches(filter, resource)]).toEqual([n, n === 1]);
  }
});
