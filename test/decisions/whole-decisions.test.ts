/**
 * Whole decisions, whatever was asked before and by which way: for keys, accounts, scopes, kinds and actions that choose
 * different plans, with plans that have no conditions, a few, and more than a word of a set has bits. `decide` and deciders,
 * with generated code and without, are held against the naive evaluator; and to the last field against a set of policies
 * that was asked nothing before.
 */

import { isDeepStrictEqual } from "node:util";
import { afterEach, expect, test } from "vitest";
import { decideAny } from "../../src/decisions/decide.js";
import { type AnyDecider, deciderOf } from "../../src/decisions/decider.js";
import { Layer } from "../../src/engine/evaluate/layer.js";
import { type Decision, type DecisionRequest, decide, type PolicySet } from "../../src/index.js";
import { toFiles } from "../property/arbitraries/index.js";
import { comparable } from "../reference/comparable.js";
import type { PolicyDocuments, RuleDocument } from "../reference/documents.js";
import { naiveDecide } from "../reference/naive.js";
import { watchDecisions } from "../support/functions.js";
import { compiled } from "../support/policies.js";
import { withLayers } from "../support/with-layers.js";

const apiVersion = "api.cerbos.dev/v1";
const when = (expr: string) => ({ condition: { match: { expr } } });
const rule = (name: string, actions: readonly string[], more: Partial<RuleDocument>): RuleDocument => ({
  name,
  actions,
  roles: ["user"],
  effect: "EFFECT_ALLOW",
  ...more,
});
const deny = { effect: "EFFECT_DENY" } as const;

/** So many rules for one action, of which each looks at an attribute of its own. */
const many = (action: string, count: number): readonly RuleDocument[] =>
  Array.from({ length: count }, (_, i) =>
    rule(`${action}_${i}`, [action], {
      ...when(`R.attr.${i % 2 === 0 ? "n" : "m"} == ${i}.0`),
      ...(i % 5 === 4 && deny),
    }),
  );

const DOCUMENTS: PolicyDocuments = [
  {
    apiVersion,
    derivedRoles: {
      name: "roles",
      definitions: [
        { name: "owner", parentRoles: ["user"], ...when("R.attr.owner == P.id") },
        { name: "peer", parentRoles: ["user", "admin"], ...when("P.attr.team == R.attr.team") },
      ],
    },
  },
  {
    apiVersion,
    resourcePolicy: {
      resource: "doc",
      version: "default",
      importDerivedRoles: ["roles"],
      variables: { local: { open: "R.attr.open == true" } },
      rules: [
        rule("always", ["list"], {}),
        rule("open", ["read"], when("V.open")),
        rule("own", ["read", "edit"], { roles: [], derivedRoles: ["owner"] }),
        rule("peers", ["read"], { roles: [], derivedRoles: ["peer"], ...when('"read" in P.attr.permissions') }),
        rule("frozen", ["edit"], { roles: ["*"], ...deny, ...when("R.attr.frozen") }),
        rule("admin", ["*"], { roles: ["admin"] }),
        rule("told", ["tell"], { ...when("R.attr.open"), output: { when: { ruleActivated: "R.id + P.id" } } }),
        rule("late", ["wait"], when("now() > timestamp(R.attr.at)")),
        rule("shaped", ["match"], when('R.attr.owner.matches("^u")')),
        rule("shaped_too", ["match"], { ...when("R.attr.open"), ...deny }),
        ...many("seven", 7),
        ...many("nine", 9),
        ...many("sixty", 60),
      ],
    },
  },
  {
    apiVersion,
    resourcePolicy: {
      resource: "doc",
      version: "default",
      scope: "acme",
      rules: [rule("in_acme", ["read"], { ...deny, ...when("R.attr.frozen == true") })],
    },
  },
  { apiVersion, resourcePolicy: { resource: "note", version: "default", rules: [rule("any", ["read"], {})] } },
  {
    apiVersion,
    principalPolicy: {
      principal: "u2",
      version: "default",
      rules: [
        { resource: "doc", actions: [{ name: "hers", action: "read", effect: "EFFECT_DENY", ...when("R.attr.open") }] },
        { resource: "note", actions: [{ name: "not_hers", action: "*", effect: "EFFECT_DENY" }] },
      ],
    },
  },
  {
    apiVersion,
    rolePolicy: {
      role: "intern",
      version: "default",
      parentRoles: ["user"],
      rules: [{ resource: "doc", allowActions: ["read", "list"] }],
    },
  },
  {
    apiVersion,
    resourcePolicy: {
      resource: "doc",
      version: "platform",
      rules: [
        rule("supported", ["*"], { roles: ["account"] }),
        rule("closed", ["edit", "tell", "nine"], { roles: ["account"], ...deny, ...when('P.attr.plan == "free"') }),
        rule("held", ["read"], { roles: ["account"], ...deny, ...when("R.attr.held && P.attr.strict") }),
      ],
    },
  },
  {
    apiVersion,
    resourcePolicy: {
      resource: "note",
      version: "platform",
      rules: [rule("supported", ["*"], { roles: ["account"] })],
    },
  },
  {
    apiVersion,
    resourcePolicy: {
      resource: "doc",
      version: "platform",
      scope: "eu",
      rules: [rule("not_in_eu", ["list"], { roles: ["account"], ...deny })],
    },
  },
  {
    apiVersion,
    principalPolicy: {
      principal: "a2",
      version: "platform",
      rules: [
        { resource: "doc", actions: [{ name: "its", action: "read", effect: "EFFECT_DENY", ...when("R.attr.open") }] },
      ],
    },
  },
];

/** Those without what is some principal's own: what was asked for one is then asked for all. */
const IMPERSONAL = DOCUMENTS.filter(({ principalPolicy }) => principalPolicy === undefined);

const team = (permissions: readonly string[]) => ({ team: "red", permissions: [...permissions] });
const KEYS: readonly DecisionRequest["key"][] = [
  { id: "u1", roles: ["user"], attr: team(["read"]) },
  { id: "u1", roles: ["user"], attr: {} },
  { id: "u2", roles: ["user"], attr: team([]) },
  { id: "u3", roles: ["user", "admin"], attr: team(["read"]) },
  { id: "u4", roles: ["intern"], attr: team(["read"]) },
  { id: "u5", roles: ["nobody"], attr: {} },
  { id: "u6", roles: ["user"], scope: "acme", attr: team(["read"]) },
];
const ACCOUNTS: readonly DecisionRequest["account"][] = [
  { id: "a1", attr: { plan: "pro", strict: false } },
  { id: "a1", attr: { plan: "free", strict: true } },
  { id: "a2", attr: { plan: "pro" } },
  { id: "a3", attr: { plan: "pro", strict: true }, scope: "eu" },
];
const at = "2024-01-01T00:00:00Z";
const RESOURCES: readonly DecisionRequest["resource"][] = [
  { kind: "doc", id: "d1", attr: { owner: "u1", open: true, frozen: false, held: false, team: "red", n: 2, m: 3, at } },
  {
    kind: "doc",
    id: "d2",
    attr: {
      owner: "u2",
      open: false,
      frozen: true,
      held: true,
      team: "blue",
      n: 58,
      m: 59,
      at: "2030-01-01T00:00:00Z",
    },
  },
  { kind: "doc", id: "d3", attr: { owner: "u3", open: "yes", held: true, n: "4", m: 4 } },
  {
    kind: "doc",
    id: "d4",
    attr: { owner: "u1", open: true, frozen: true, held: false, team: "red", n: 0, m: 1, at },
    scope: "acme",
  },
  { kind: "doc", id: "d5", attr: { owner: "u1", open: true, held: false, n: 4, m: 54 }, scope: "eu" },
  { kind: "note", id: "n1", attr: {} },
  { kind: "other", id: "o1", attr: {} },
];
const ACTIONS = ["list", "read", "edit", "tell", "wait", "match", "seven", "nine", "sixty", "none"];
const now = new Date("2024-06-01T00:00:00Z");

/** Every key asks about every resource, with one or two of the accounts. */
function requestsFor(operation: string): readonly DecisionRequest[] {
  return KEYS.flatMap((key, k) =>
    RESOURCES.flatMap((resource, r) =>
      ACCOUNTS.flatMap((account, i) => {
        const isAsked = (operation.length + k + r + i) % 4 === 0 || (k === 0 && r === 0) || (k + i) % 7 === 3;
        return isAsked ? [{ key, operation, resource, account, now }] : [];
      }),
    ),
  );
}

let unwatch = () => {};
afterEach(() => unwatch());

const setOf = (documents: PolicyDocuments, codegen: boolean): PolicySet => compiled(toFiles(documents), { codegen });

/** What layers say that were asked nothing else. */
function expectedOf(documents: PolicyDocuments, requests: readonly DecisionRequest[]): readonly Decision[] {
  const set = setOf(documents, false);
  const layerOf = ({ version, defaultReason, equipment, typedReads, globals }: Layer) =>
    new Layer(set.model, version, defaultReason, {
      equipment,
      codegen: false,
      globals,
      enforceSchemas: false,
      typedReads,
    });
  return requests.map((request) =>
    decide(withLayers(set, layerOf(set.permission), set.platform && layerOf(set.platform)), request),
  );
}

function expectSame(requests: readonly DecisionRequest[], found: readonly Decision[], expected: readonly Decision[]) {
  for (const [i, decision] of found.entries()) {
    if (isDeepStrictEqual(decision, expected[i])) continue;
    expect({ request: requests[i], decision }).toEqual({ request: requests[i], decision: expected[i] });
  }
}

const SETS: readonly (readonly [string, PolicyDocuments])[] = [
  ["with policies of principals", DOCUMENTS],
  ["without", IMPERSONAL],
];

/** Each action, of either set. */
const CASES = SETS.flatMap(([what, documents]) => ACTIONS.map((action) => [action, what, documents] as const));

/** So often each is asked, by which every plan in use has its function. */
const ROUNDS = 24;

/** Asks all again and again. */
function expectRounds(
  all: readonly DecisionRequest[],
  ask: (one: DecisionRequest) => Decision,
  expected: readonly Decision[],
) {
  for (let round = 0; round < ROUNDS; round++) {
    const found = all.map(ask);
    if (round < 2 || round > ROUNDS - 3) expectSame(all, found, expected);
  }
}

test.each(CASES)("%s: what was asked nothing before agrees with the naive evaluator, %s", (action, _, documents) => {
  const requests = requestsFor(action);
  expect(expectedOf(documents, requests).map(comparable)).toEqual(
    requests.map((request) => comparable(naiveDecide(documents, request))),
  );
});

test("the requests come to every outcome", () => {
  const decisions = ACTIONS.flatMap((action) => expectedOf(DOCUMENTS, requestsFor(action)));
  const outcomes = new Set(decisions.map(({ outcome, fault }) => `${outcome} ${fault?.kind}`));
  expect([...outcomes].sort()).toEqual([
    "allow undefined",
    "forbidden evaluation",
    "forbidden undefined",
    "forbidden unknown_kind",
    "insufficient_permissions evaluation",
    "insufficient_permissions undefined",
    "insufficient_permissions unknown_operation",
  ]);
});

test.each(CASES)("%s: every round has the same answers, %s", (action, _, documents) => {
  const requests = requestsFor(action);
  const expected = expectedOf(documents, requests);
  const later = requests.map((request) => ({ ...request, now: new Date("2031-01-01") }));
  const afterwards = expectedOf(documents, later);
  for (const codegen of [true, false]) {
    const policies = setOf(documents, codegen);
    expectRounds(requests, (request) => decide(policies, request), expected);
    expectSame(
      later,
      later.map((request) => decide(policies, request)),
      afterwards,
    );
  }
});

test.each(CASES)("%s: so have deciders, %s", (action, what, documents) => {
  const requests = requestsFor(action);
  const expected = expectedOf(documents, requests);
  for (const binds of [true, false]) {
    const policies = setOf(documents, true);
    const deciders = new Map<string, AnyDecider>();
    let [bound, kind] = [0, ""];
    unwatch = watchDecisions((isBound, isFound) => {
      if (isBound && isFound && kind === "doc") bound++;
    });
    const ask = ({ key, account, ...rest }: DecisionRequest): Decision => {
      const name = `${KEYS.indexOf(key)} ${binds ? ACCOUNTS.indexOf(account) : ""}`;
      const decider = deciders.get(name) ?? deciderOf(policies, { key, ...(binds ? { account } : {}) });
      deciders.set(name, decider);
      kind = rest.resource.kind;
      return decider.decide({ ...rest, ...(binds ? {} : { account }) });
    };
    expectRounds(requests, ask, expected);
    unwatch();
    // What a principal's own policies choose is not bound, nor is what outputs are of.
    if (binds || what === "without") expect(bound > 0).toBe(action !== "tell");
  }
});

test.each(ACTIONS)("%s: a set of one layer alone says what the permission layer says", (action) => {
  const alone = compiled(toFiles(DOCUMENTS), { platform: "none" });
  const requests = requestsFor(action);
  const expected = expectedOf(DOCUMENTS, requests).map(({ permission }) => permission);
  for (let round = 0; round < ROUNDS; round++) {
    const found = requests.map((request) => decideAny(alone, request));
    if (round > 0 && round < ROUNDS - 1) continue;
    expect(found.map(({ permission }) => permission)).toEqual(expected);
    expect(found.map(({ platform, outcome }) => [platform.effect, outcome])).toEqual(
      expected.map(({ effect }) => ["allow", effect === "allow" ? "allow" : "insufficient_permissions"]),
    );
  }
});
