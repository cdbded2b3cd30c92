/** Whether a key may do everything that another may. */

import { describe, expect, test } from "vitest";
import { type Coverage, covers, coversInSteps, type DecisionRequest, decide, type PolicySet } from "../../src/index.js";
import { permissions, policy, when } from "../support/compose.js";
import { HOSTILE_KEYS, throwingProxy } from "../support/hostile.js";
import { compiled, shipped, shippedFiles } from "../support/policies.js";
import { ask } from "../support/requests.js";
import { say } from "../support/seed.js";
import { callsOf, countThroughout } from "../support/work.js";

type Key = DecisionRequest["key"];

const key = (
  id: string,
  { roles = ["custom"], ...attr }: { roles?: readonly string[]; [name: string]: unknown } = {},
) => ({
  ...ask("apis.getApi", { roles }).key,
  id,
  attr: { ...ask("apis.getApi").key.attr, ...attr },
});

/** The shipped policies, with a rule that reads more of the resource. */
const tightened = compiled(
  shippedFiles.map(({ path, text }) => ({
    path,
    text: text.replace(
      'V.in_reach && hasIntersection(P.attr.permissions, ["api.*.delete_api"',
      'V.in_reach && R.attr.state == "draft" && hasIntersection(P.attr.permissions, ["api.*.delete_api"',
    ),
  })),
);

const covering = (set: PolicySet, maker: Key, holder: Key, before?: Key): Coverage =>
  covers(set, { maker, holder, ...(before && { before }) });

function expectShown(set: PolicySet, maker: Key, holder: Key, coverage: Coverage) {
  const { request } = coverage.covered ? { request: undefined } : coverage;
  if (request === undefined) throw new Error(`no request shows it: ${JSON.stringify(coverage)}`);
  const effect = (one: Key) => decide(set, { ...request, key: one, account: { id: "a", attr: {} } }).permission.effect;
  expect([effect(holder), effect(maker)]).toEqual(["allow", "deny"]);
  return request;
}

const every = (permission: string) => ({ permissions: [permission] });

describe.each([
  ["the shipped policies", shipped],
  ["a set with a tightened rule", tightened],
])("%s", (_, set) => {
  test.each([
    ["admin over any key of its reach", { roles: ["admin"] }, every("api.api_1.delete_api")],
    ["all APIs over one", every("api.*.delete_api"), every("api.api_1.delete_api")],
    [
      "every workspace over one",
      { ...every("api.*.read_api") },
      { ...every("api.*.read_api"), workspaceIds: ["ws_1"] },
    ],
    ["the keys of all APIs over one key", every("api.*.read_key"), { ...every("key.key_1.read_key") }],
    ["editor over viewer", { roles: ["editor"] }, { roles: ["viewer"] }],
    ["any key over one that may do nothing", {}, { workspaceIds: ["ws_1"] }],
    ["any key over one that reaches nothing", {}, { roles: ["admin"], workspaceIds: [] }],
    ["any key over a permission that no policy reads", {}, every("api.*.fly")],
  ])("covered: %s", (_what, maker, holder) => {
    expect(covering(set, key("maker", maker), key("holder", holder))).toEqual({ covered: true });
  });

  test.each([
    ["one API over all", every("api.api_1.delete_api"), every("api.*.delete_api"), "apis.deleteApi"],
    ["another API", every("api.api_1.read_api"), every("api.api_2.read_api"), "apis.getApi"],
    [
      "one workspace over every one",
      { ...every("api.*.read_api"), workspaceIds: ["ws_1"] },
      every("api.*.read_api"),
      "apis.getApi",
    ],
    ["one key over the keys of an API", every("key.key_1.read_key"), every("api.api_1.read_key"), "apis.listKeys"],
    ["creating keys over deleting drafts", every("api.*.create_key"), every("api.*.delete_api"), "apis.deleteApi"],
    ["an account over another", { roles: ["admin"] }, { roles: ["viewer"], accountId: "acc_2" }, "apis.getApi"],
    [
      "an environment over another",
      { roles: ["admin"] },
      { roles: ["viewer"], environment: "development" },
      "apis.getApi",
    ],
  ])("not covered: %s", (_what, maker, holder, operation) => {
    const [one, other] = [key("maker", maker), key("holder", holder)];
    expect(expectShown(set, one, other, covering(set, one, other)).operation).toBe(operation);
  });

  test("what the key may do already needs no maker", () => {
    const maker = key("maker", every("api.api_1.read_api"));
    const before = key("holder", every("api.api_2.read_api"));
    const holder = key("holder", { permissions: ["api.api_1.read_api", "api.api_2.read_api"] });
    expect(covering(set, maker, holder).covered).toBe(false);
    expect(covering(set, maker, holder, before)).toEqual({ covered: true });
    const more = key("holder", { permissions: ["api.api_1.read_api", "api.api_3.read_api"] });
    expect(expectShown(set, maker, more, covering(set, maker, more, before)).resource.id).toBe("api_3");
  });

  test("every key may revoke itself: that needs no maker", () => {
    expect(covers(set, { maker: key("maker"), holder: key("holder") })).toEqual({ covered: true });
  });

  test("a permission for itself needs one, whatever the maker may do with itself", () => {
    const holder = key("holder", every("key.holder.update_key"));
    for (const maker of [key("maker"), key("maker", every("key.maker.update_key"))]) {
      const { resource } = expectShown(set, maker, holder, covers(set, { maker, holder }));
      expect(resource).toMatchObject({ kind: "key", id: "holder" });
    }
  });

  test("revoking itself where the maker could not needs one", () => {
    const [maker, holder] = [key("maker"), key("holder", { environment: "development" })];
    expectShown(set, maker, holder, covers(set, { maker, holder }));
  });
});

describe("the work of a comparison", () => {
  countThroughout();
  const many = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `${at + from}`);
  const large = (id: string, roles: readonly string[]) =>
    key(id, {
      roles,
      permissions: many(50).map((at) => `api.api_${at}.create_key`),
      workspaceIds: many(20).map((at) => `ws_${at}`),
    });
  const admin = key("maker", { roles: ["admin"], workspaceIds: ["*"] });
  const compare = (maker: Key, holder: Key) => () => expect(covers(shipped, { maker, holder }).covered).toBe(true);

  test("grows little with permissions and workspaces", () => {
    const [small, big] = [key("holder", { roles: ["custom"], permissions: [] }), large("holder", ["custom", "viewer"])];
    for (const holder of [small, big]) compare(admin, holder)();
    const [one, other] = [small, big].map((holder) => callsOf(compare(admin, holder)));
    say(`calls for a small key: ${one}, for a large one: ${other}`);
    expect(other).toBeLessThan(20_000);
  });

  test("is done once for roles that allow the same", () => {
    const set = compiled(shippedFiles);
    const calls = (...roles: string[]) => callsOf(() => covers(set, { maker: admin, holder: large("holder", roles) }));
    calls("admin");
    const first = calls("admin", "custom");
    const roles = [
      ["admin", "editor", "custom"],
      ["custom", "editor", "viewer", "admin"],
    ];
    for (const more of roles) expect(calls(...more)).toBeLessThan(first / 2);
  });

  test.each([
    [["admin"]],
    [["editor", "custom"]],
    [["viewer", "editor", "custom"]],
    [["viewer", "editor", "admin", "custom"]],
  ])("is small in each step, for a maker with the roles %j", (roles) => {
    const pair = { maker: large("maker", roles), holder: large("holder", ["custom"]) };
    covers(shipped, pair);
    const steps = coversInSteps(shipped, pair);
    const calls: number[] = [];
    let isDone = false;
    const next = () => {
      isDone = steps.next().done === true;
    };
    while (!isDone) calls.push(callsOf(next));
    say(`calls of ${calls.length} steps: ${Math.max(...calls)} at most`);
    // Some 10,000 calls take a millisecond.
    expect(Math.max(...calls)).toBeLessThan(3_000);
  });

  test("is done in steps, which have the answer in the end", () => {
    const [maker, holder] = [key("maker", every("api.api_1.delete_api")), key("holder", every("api.*.delete_api"))];
    for (const pair of [
      { maker: admin, holder: large("holder", ["editor"]) },
      { maker, holder },
      { maker: holder, holder: maker },
    ]) {
      const steps = coversInSteps(shipped, pair);
      let count = 0;
      let step = steps.next();
      for (; step.done !== true; step = steps.next()) count += 1;
      expect(step.value).toEqual(covers(shipped, pair));
      expect(count).toBeGreaterThan(2);
    }
  });

  test("in steps, keys are read in the first one", () => {
    const pair = { maker: key("maker", every("api.*.read_api")), holder: key("holder", every("api.*.read_api")) };
    const steps = coversInSteps(shipped, pair);
    steps.next();
    Object.assign(pair.maker.attr, { permissions: [] });
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    expect(step.value).toEqual({ covered: true });
  });
});

test("an id that the policies name is not that of just any key", () => {
  const set = permissions({
    "doc.yaml": policy({ rules: [`actions: [read], roles: ["*"], effect: EFFECT_ALLOW, ${when('P.id == "root"')}`] }),
  });
  const [maker, holder] = [key("maker"), key("root")];
  expectShown(set, maker, holder, covers(set, { maker, holder }));
});

const rule = (name: string, actions: string, condition: string, roles = "user") =>
  `name: ${name}, actions: ["${actions}"], roles: [${roles}], effect: EFFECT_ALLOW, ${when(condition)}`;
const docs = (...rules: readonly string[]) => permissions({ "doc.yaml": policy({ rules }) });
const user = (attr: Key["attr"], roles: readonly string[] = ["user"]): Key => ({ id: "u", roles: [...roles], attr });

describe("conditions of other sets", () => {
  test.each([
    ["an order", "R.attr.level < P.attr.level", { level: 3 }, { level: 2 }, { level: 4 }],
    ["two bounds", "R.attr.n > P.attr.from && R.attr.n < 10.0", { from: 1 }, { from: 2 }, { from: 0 }],
    ["texts in order", "R.attr.name < P.attr.name", { name: "m" }, { name: "a" }, { name: "z" }],
    ["prefixes", "R.attr.path.startsWith(P.attr.path)", { path: "/a" }, { path: "/a/b" }, { path: "/b" }],
    ["a list of the row", "P.attr.team in R.attr.teams", { team: "a" }, { team: "a" }, { team: "b" }],
    [
      "items of a list",
      "R.attr.tags.exists(t, t in P.attr.tags)",
      { tags: ["a", "b"] },
      { tags: ["a"] },
      { tags: ["c"] },
    ],
    [
      "all items of a list",
      "R.attr.tags.all(t, t in P.attr.tags)",
      { tags: ["a", "b"] },
      { tags: ["a"] },
      { tags: ["c"] },
    ],
    ["a nested attribute", "R.attr.owner.team == P.attr.team", { team: "a" }, { team: "a" }, { team: "b" }],
    ["an id", "R.id in P.attr.ids", { ids: ["1", "2"] }, { ids: ["1"] }, { ids: ["3"] }],
    ["a negation", "!(R.attr.owner in P.attr.not)", { not: ["a"] }, { not: ["a", "b"] }, { not: [] }],
    ["an absent attribute", "has(R.attr.x) || P.attr.all", { all: true }, { all: false }, undefined],
  ])("%s", (_, condition, maker, less, more) => {
    const set = docs(rule("a", "read", condition));
    expect(covers(set, { maker: user(maker), holder: user(less) })).toEqual({ covered: true });
    expect(covers(set, { maker: user(maker), holder: user(maker) })).toEqual({ covered: true });
    const [one, other] = more === undefined ? [user(less), user(maker)] : [user(maker), user(more)];
    expectShown(set, one, other, covers(set, { maker: one, holder: other }));
  });

  test("an operation that only a pattern matches, in words of no policy", () => {
    const set = docs(rule("a", "doc.*", "true"), rule("b", "doc.read", "true", "reader"));
    const [maker, holder] = [user({}, ["reader"]), user({})];
    expectShown(set, maker, holder, covers(set, { maker, holder }));
    expect(covers(set, { maker: holder, holder: maker })).toEqual({ covered: true });
  });

  test.each([
    ["another row", "R.id == P.id || R.id in P.attr.ids", { ids: ["u", "w"] }, { ids: [] }, { id: "w" }],
    [
      "itself, in another state",
      "R.id == P.id && R.attr.x in P.attr.states",
      { states: ["a", "b"] },
      { states: ["a"] },
      { id: "u", attr: { x: "b" } },
    ],
  ])("a row that both keys may touch as their own hides no other: %s", (_, condition, more, less, resource) => {
    const set = docs(rule("a", "read", condition));
    const [maker, holder] = [{ ...user(less), id: "m" }, user(more)];
    expect(expectShown(set, maker, holder, covering(set, maker, holder)).resource).toMatchObject(resource);
    expect(covering(set, { ...user(more), id: "m" }, user(less))).toEqual({ covered: true });
  });

  test("a condition without a form of its own is undecided, not covered", () => {
    const set = docs(rule("a", "read", "R.attr.name.matches(P.attr.pattern)"));
    const [maker, holder] = [user({ pattern: "^a.*" }), user({ pattern: "^ab.*" })];
    expect(covers(set, { maker, holder })).toEqual({ covered: false, undecided: true });
  });

  test("the time is not known: undecided", () => {
    const set = docs(rule("a", "read", 'now() > timestamp("2020-01-01T00:00:00Z")'));
    expect(covers(set, { maker: user({}, ["other"]), holder: user({}) })).toEqual({ covered: false, undecided: true });
  });

  test("the time is not known, and allows rows beside those that are: undecided", () => {
    const part = "R.attr.x == 1";
    const always = rule("a", "read", `${part} || now() > timestamp("2020-01-01T00:00:00Z")`);
    const set = docs(always, rule("b", "read", part, "other"));
    const [maker, holder] = [user({}, ["other"]), user({})];
    expect(covers(set, { maker, holder })).toEqual({ covered: false, undecided: true });
  });

  test.each([
    [
      "scopes are searched leniently",
      { "doc.yaml": policy({ rules: [rule("a", "read", "R.scope == P.attr.scope")] }) },
      { lenientScopeSearch: true },
    ],
    [
      "the holder has a policy of its own",
      {
        "doc.yaml": policy({ rules: [rule("a", "write", "true")] }),
        "u.yaml": `apiVersion: api.cerbos.dev/v1
principalPolicy:
  principal: u
  version: default
  rules:
    - { resource: doc, actions: [{ action: read, effect: EFFECT_ALLOW, ${when("R.scope == P.attr.scope")} }] }
`,
      },
      {},
    ],
  ])("a scope that no policy names is undecided, not covered, where %s", (_, files, options) => {
    const set = permissions(files, options);
    const [maker, holder] = ["one", "two"].map((scope) => user({ scope }));
    if (maker === undefined || holder === undefined) throw new Error("there are two keys");
    const resource = { kind: "doc", id: "d", scope: "two", attr: {} };
    const effects = [maker, holder].map(
      (one) => decide(set, { key: one, operation: "read", resource, account: { id: "a", attr: {} } }).permission.effect,
    );
    expect(effects).toEqual(["deny", "allow"]);
    expect(covering(set, maker, holder)).toEqual({ covered: false, undecided: true });
  });

  test("a denial takes away from the maker alone", () => {
    const deny = `name: d, actions: [read], roles: [user], effect: EFFECT_DENY, ${when("P.attr.guest && R.attr.secret")}`;
    const guarded = docs(rule("a", "read", "true"), deny);
    const [less, more] = [user({ guest: true }), user({ guest: false })];
    expect(covers(guarded, { maker: more, holder: less }).covered).toBe(true);
    expectShown(guarded, less, more, covers(guarded, { maker: less, holder: more }));
  });

  test("what the key may do already, and what the maker may, are covered together and not alone", () => {
    const set = docs(rule("a", "read", "R.attr.x in P.attr.list"));
    const [one, two, both] = [["a"], ["b"], ["a", "b"]].map((list) => user({ list }));
    if (one === undefined || two === undefined || both === undefined) throw new Error("there are three keys");
    expect(covering(set, one, both, two)).toEqual({ covered: true });
    const more = user({ list: ["a", "b", "c"] });
    expect(expectShown(set, one, more, covering(set, one, more, two)).resource.attr).toMatchObject({ x: "c" });
    for (const [maker, before] of [
      [undefined, two],
      [one, { id: 7 }],
    ]) {
      expect(covers(set, Object({ maker, holder: both, before }))).toEqual({ covered: false, undecided: true });
    }
  });

  test("schemas that are enforced refuse the same rows to both keys", () => {
    const files = shippedFiles.map(({ path, text }) => ({
      path,
      text: text.replace("schemaEnforcement: none", "schemaEnforcement: reject"),
    }));
    const set = compiled(files);
    expect(set.permission.enforcesSchemas).toBe(true);
    const [maker, holder] = [key("maker", { roles: ["admin"] }), key("holder", every("api.*.read_api"))];
    expect(covering(set, maker, holder)).toEqual({ covered: true });
    expect(covering(set, holder, maker).covered).toBe(false);
  });
});

describe("whatever is passed, nothing throws, and only two keys are covered", () => {
  const asked = (set: unknown, request: unknown): Coverage => Reflect.apply(covers, undefined, [set, request]);
  const admin = key("admin", { roles: ["admin"] });

  test("keys that are none", () => {
    for (const make of HOSTILE_KEYS) {
      const { outcome } = decide(shipped, Object.assign(Object.create(null), ask("apis.getApi"), { key: make() }));
      expect(asked(shipped, { maker: make(), holder: admin }).covered).toBe(false);
      expect(asked(shipped, { maker: admin, holder: admin, before: make() ?? 7 }).covered, outcome).toBeTypeOf(
        "boolean",
      );
    }
    expect(asked(shipped, { maker: admin, holder: undefined })).toEqual({ covered: false, undecided: true });
    expect(asked(shipped, { maker: admin, holder: admin, before: 7 })).toEqual({ covered: false, undecided: true });
  });

  test.each([undefined, null, 7, {}, [], throwingProxy()])("requests that are none: %#", (request) => {
    expect(asked(shipped, request)).toEqual({ covered: false, undecided: true });
  });

  test.each([undefined, null, {}, throwingProxy(), []])("policies that are none: %#", (set) => {
    expect(asked(set, { maker: admin, holder: admin })).toEqual({ covered: false, undecided: true });
  });
});
