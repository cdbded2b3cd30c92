/**
 * The cost of each feature of the policy language, relative to a policy with one condition, and the cost of that policy
 * relative to handwritten code. A feature that costs far more than its work has fallen off a fast path.
 */

import {
  type Attributes,
  compilePolicies,
  type DecisionRequest,
  decide,
  type JsonValue,
  type PolicyFile,
} from "../src/index.js";
import { interleave, type Spread, show, spread } from "./rounds.js";

const REQUESTS = 512;
/** Passes over the requests in a round: enough to make the start of a round negligible. */
const PASSES = 8;
const ROUNDS = 21;
/** Decisions of each case before the first round: enough for functions to be generated and compiled. */
const WARM_UP = 40_000;

type Outcome = "allow" | "insufficient_permissions";

interface Case {
  readonly name: string;
  readonly policies: readonly object[];
  readonly globals?: { readonly [name: string]: JsonValue };
  readonly request: (i: number) => DecisionRequest;
  /** The handwritten condition, if the work of the condition itself explains the difference. */
  readonly hand?: Condition;
  /** The handwritten output of allowed requests, if there is one. */
  readonly says?: Output;
}

type Output = (key: DecisionRequest["key"], resource: DecisionRequest["resource"]) => JsonValue;

type Condition = (key: DecisionRequest["key"], resource: DecisionRequest["resource"], now: number) => boolean;

/** Every second request is allowed. */
function outcomeOf(i: number): Outcome {
  return i % 2 === 0 ? "allow" : "insufficient_permissions";
}

const OWNED = "R.attr.owner == P.attr.account";
const isOwned: Condition = (key, resource) => resource.attr?.owner === key.attr?.account;

function rule(expr: string | undefined, more: object = {}): object {
  const condition = expr === undefined ? {} : { condition: { match: { expr } } };
  return { actions: ["read"], roles: ["user"], effect: "EFFECT_ALLOW", ...condition, ...more };
}

function permissions(rules: readonly object[], more: object = {}): object {
  return { resourcePolicy: { resource: "doc", version: "default", rules, ...more } };
}

function platform(more: object = {}): object {
  const supported = { actions: ["read"], roles: ["account"], effect: "EFFECT_ALLOW" };
  return { resourcePolicy: { resource: "doc", version: "platform", rules: [supported], ...more } };
}

interface More {
  readonly roles?: readonly string[];
  /** The scope of the resource. */
  readonly scope?: string;
  readonly now?: Date;
}

/** Builds a request from parts parsed from JSON, in an object literal, as a handler does. */
function requestWith(
  i: number,
  attr: object = {},
  keyAttr: object = {},
  { roles = ["user"], scope, now }: More = {},
): DecisionRequest {
  const owner = `acc_${i}`;
  const request: DecisionRequest = {
    key: { id: `key_${i}`, roles: [...roles], attr: { account: owner, ...keyAttr } },
    operation: "read",
    resource: {
      kind: "doc",
      id: `doc_${i}`,
      attr: { owner: i % 2 === 0 ? owner : "acc_x", ...attr },
      ...(scope === undefined ? {} : { scope }),
    },
    account: { id: owner, attr: { plan: "pro" } },
  };
  const { key, operation, resource, account }: DecisionRequest = JSON.parse(JSON.stringify(request));
  return now === undefined ? { key, operation, resource, account } : { key, operation, resource, account, now };
}

function simple(
  name: string,
  rules: readonly object[],
  request: Case["request"] = (i) => requestWith(i),
  hand?: Condition,
): Case {
  return { name, policies: [permissions(rules), platform()], request, ...(hand === undefined ? {} : { hand }) };
}

function beside(name: string, unrelated: readonly object[], globals: Case["globals"] = {}): Case {
  const policies = [permissions([rule(OWNED)]), platform(), ...unrelated];
  return { name, policies, globals, request: (i) => requestWith(i) };
}

function scopes(name: string, chain: readonly string[]): Case {
  const policies = ["", ...chain].flatMap((scope) => [permissions([rule(OWNED)], { scope }), platform({ scope })]);
  const scope = chain.at(-1) ?? "";
  return { name, policies, request: (i) => requestWith(i, {}, {}, { scope }) };
}

function roles(name: string, more: readonly string[]): Case {
  const request = (i: number): DecisionRequest => requestWith(i, {}, {}, { roles: ["user", ...more] });
  return simple(name, [rule(OWNED), rule('R.attr.owner == "nobody"', { roles: ["guest", "auditor"] })], request);
}

/** A key with many permissions. Only the last one matches. */
function permitted(name: string, count: number): Case {
  const expr = 'hasIntersection(P.attr.permissions, ["doc.*.read", "doc." + R.id + ".read"])';
  const request = (i: number): DecisionRequest => {
    const others = Array.from(
      { length: count - 1 },
      (_, n) => `doc.${n % 2 === 0 ? "doc" : "folder"}_${n + 1_000}.read`,
    );
    return requestWith(i, {}, { permissions: [...others, `doc.doc_${i % 2 === 0 ? i : "x"}.read`] });
  };
  return simple(name, [rule(expr)], request, ({ attr }, { id }) => {
    const held = attr?.permissions;
    return Array.isArray(held) && (held.includes("doc.*.read") || held.includes(`doc.${id}.read`));
  });
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 0, 1);

/** The instant of a text. Other values give NaN, so that every comparison is false. */
function instantOf(text: JsonValue | undefined): number {
  return typeof text === "string" ? Date.parse(text) : Number.NaN;
}

function timed(name: string, expr: string, hand: Condition): Case {
  const request = (i: number): DecisionRequest => {
    const at = new Date(NOW + (i % 2 === 0 ? DAY : -DAY) + i * 1_000).toISOString();
    return requestWith(i, { expires: at }, {}, { now: new Date(NOW) });
  };
  return simple(name, [rule(expr)], request, hand);
}

function members(name: string, expr: string, hand?: Condition): Case {
  const request = (i: number): DecisionRequest => {
    const own = i % 2 === 0;
    const list = Array.from({ length: 5 }, (_, n) => `key_${n === 4 && own ? i : 10_000 + n}`);
    return requestWith(i, {
      members: list,
      shared: list.map((id) => ({ id, on: true })),
      states: [own, own, true, true],
    });
  };
  return simple(name, [rule(expr)], request, hand);
}

const GROUPS = Array.from({ length: 60 }, (_, n) => `group_${n}`);

interface Share {
  readonly id?: JsonValue;
  readonly on?: JsonValue;
}

function isShare(value: JsonValue): value is { readonly [name: string]: JsonValue } & Share {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Lists of the key (5 elements) and of the resource (4 elements). */
function lists(name: string, expr: string): Case {
  return simple(name, [rule(expr)], (i) => {
    const own = i % 2 === 0 ? ["t_1", "t_2", "t_3", "t_4"] : ["t_11", "t_12", "t_13", "t_14"];
    return requestWith(i, { teams: own }, { teams: ["t_0", "t_1", "t_2", "t_3", "t_4"] });
  });
}

/** A row as a database mapper creates it: an instance of a class. */
class Row {
  readonly [name: string]: JsonValue;
  constructor(fields: Attributes) {
    Object.assign(this, fields);
  }
}

/** The base case, with rows made by `shaped`. */
function rows(name: string, shaped: (attr: Attributes) => Attributes): Case {
  return simple(name, [rule(OWNED)], (i) => {
    const { key, operation, resource, account } = requestWith(i);
    const { kind, id, attr = {} } = resource;
    return { key, operation, resource: { kind, id, attr: shaped(attr) }, account };
  });
}

/** The base case, with an output when allowed. */
function saying(name: string, expr: string, says: Output): Case {
  return { ...simple(name, [rule(OWNED, { output: { when: { ruleActivated: expr } } })]), hand: isOwned, says };
}

const BASE = simple("one condition", [rule(OWNED)]);

const CASES: readonly Case[] = [
  scopes("a scope and its parent", ["acme"]),
  scopes("a scope and two above it", ["acme", "acme.eu"]),
  {
    name: "a role policy",
    policies: [
      permissions([rule(OWNED)]),
      platform(),
      { rolePolicy: { role: "intern", parentRoles: ["user"], rules: [{ resource: "doc", allowActions: ["read"] }] } },
    ],
    request: (i) => {
      const one = requestWith(i);
      return { ...one, key: { ...one.key, roles: ["intern"] } };
    },
  },
  {
    name: "a derived role",
    policies: [
      permissions([rule(undefined, { roles: undefined, derivedRoles: ["owner"] })], { importDerivedRoles: ["owners"] }),
      platform(),
      {
        derivedRoles: {
          name: "owners",
          definitions: [{ name: "owner", parentRoles: ["user"], condition: { match: { expr: OWNED } } }],
        },
      },
    ],
    request: (i) => requestWith(i),
  },
  beside("somebody else's principal policy", [
    {
      principalPolicy: {
        principal: "somebody",
        version: "default",
        rules: [{ resource: "doc", actions: [{ action: "*", effect: "EFFECT_DENY" }] }],
      },
    },
  ]),
  beside("an unrelated policy in a scope", [
    permissions([rule(OWNED)], { resource: "other" }),
    permissions([rule(OWNED)], { resource: "other", scope: "acme" }),
  ]),
  beside("a global in an unrelated policy", [permissions([rule("G.open == true")], { resource: "other" })], {
    open: true,
  }),
  simple("a glob action", [rule(OWNED, { actions: ["re*"] })]),
  roles("two roles", ["guest"]),
  roles("three roles", ["guest", "auditor"]),
  members("exists, 5 elements", "R.attr.members.exists(m, m == P.id)"),
  members("exists, 5 maps", "R.attr.shared.exists(s, s.on && s.id == P.id)", ({ id }, { attr }) => {
    const shared = attr?.shared;
    return Array.isArray(shared) && shared.some((one) => isShare(one) && one.on === true && one.id === id);
  }),
  members("all, 4 elements", "R.attr.states.all(s, s)"),
  lists("two lists, hasIntersection", "hasIntersection(R.attr.teams, P.attr.teams)"),
  lists("two lists, isSubset", "R.attr.teams.isSubset(P.attr.teams)"),
  simple("a range of addresses", [rule('P.attr.address.inIPAddrRange("10.1.0.0/16")')], (i) =>
    requestWith(i, {}, { address: `10.${i % 2 === 0 ? 1 : 2}.7.${i % 256}` }),
  ),
  simple("a choice of two texts", [rule('R.attr.owner == (P.attr.on ? P.attr.account : "")')], (i) =>
    requestWith(i, {}, { on: true }),
  ),
  simple("a choice of two constants", [rule('R.attr.state == (P.attr.on ? "open" : "")')], (i) =>
    requestWith(i, { state: i % 2 === 0 ? "open" : "shut" }, { on: true }),
  ),
  simple("startsWith", [rule('R.attr.path.startsWith("shared/")')], (i) =>
    requestWith(i, { path: `${i % 2 === 0 ? "shared" : "private"}/${i}` }),
  ),
  timed("a timestamp", "timestamp(R.attr.expires) > now()", (_, { attr }, now) => instantOf(attr?.expires) > now),
  timed(
    "a timestamp and a duration",
    'timestamp(R.attr.expires) - now() > duration("1h")',
    (_, { attr }, now) => instantOf(attr?.expires) - now > HOUR,
  ),
  saying("an output, a text", '"read " + R.id', (_, { id }) => `read ${id}`),
  saying("an output, a map", '{"who": P.id, "whose": R.attr.owner}', ({ id }, { attr }) => ({
    who: id,
    whose: attr?.owner ?? null,
  })),
  saying("an output, all attributes", "R.attr", (_, { attr = {} }) => ({ ...attr })),
  simple(
    "60 rules for the action",
    Array.from({ length: 60 }, (_, n) =>
      rule(n === 59 ? OWNED : `R.attr.level == ${n}.0 && P.attr.group == "group_${n}"`),
    ),
    (i) => requestWith(i, { level: 100 + i }, { group: "none" }),
    (key, resource) => {
      for (let n = 0; n < 59; n++) if (resource.attr?.level === n && key.attr?.group === GROUPS[n]) return true;
      return isOwned(key, resource, 0);
    },
  ),
  rows("rows of a class", (attr) => new Row(attr)),
  rows("rows without a prototype", (attr) => Object.assign(Object.create(null), attr)),
  permitted("7 permissions", 7),
  permitted("70 permissions", 70),
  permitted("1,000 permissions", 1_000),
];

/** The last output. It is stored so that V8 does not optimize the output away. */
let said: JsonValue = null;

interface ByHand {
  readonly outcome: Outcome | "forbidden";
  readonly by: string[];
  readonly says?: JsonValue;
}

/** A case as handwritten code in a service. */
function byHand(
  { key, operation, resource, account, now }: DecisionRequest,
  holds: Condition,
  says: Output | undefined,
): ByHand {
  if (resource.kind !== "doc" || account.id === "") return { outcome: "forbidden", by: ["not_available"] };
  const allowed = operation === "read" && key.roles.includes("user") && holds(key, resource, now?.getTime() ?? 0);
  if (!allowed) return { outcome: "insufficient_permissions", by: [] };
  if (says === undefined) return { outcome: "allow", by: ["owned"] };
  said = says(key, resource);
  return { outcome: "allow", by: ["owned"], says: said };
}

function handOf({ name, request, says }: Case, holds: Condition): () => void {
  return checked(`${name}, by hand`, requestsOf(request), (one) => byHand(one, holds, says).outcome);
}

let sink = 0;

/** Checks the outcomes and outputs of a case. Returns a function that decides all its requests. */
function decisionsOf({ name, policies, globals = {}, request, hand, says }: Case): () => void {
  const files: PolicyFile[] = policies.map((policy, i) => ({
    path: `${i}.json`,
    text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", ...policy }),
  }));
  const loaded = compilePolicies(files, { globals });
  if (loaded._tag === "Left") throw new Error(`${name}: ${JSON.stringify(loaded.left)}`);
  const set = loaded.right;
  const requests = requestsOf(request);
  const run = checked(name, requests, (one) => decide(set, one).outcome);
  for (const one of requests) {
    const expected = hand === undefined || says === undefined ? undefined : byHand(one, hand, says).says;
    const [found] = decide(set, one).permission.outputs;
    if (JSON.stringify(found?.val) !== JSON.stringify(expected)) throw new Error(`${name}: ${JSON.stringify(found)}`);
  }
  return run;
}

function requestsOf(request: Case["request"]): readonly DecisionRequest[] {
  return Array.from({ length: REQUESTS }, (_, i) => request(i));
}

function checked(
  name: string,
  requests: readonly DecisionRequest[],
  answer: (request: DecisionRequest) => string,
): () => void {
  const check = (): void => {
    requests.forEach((one, i) => {
      const outcome = answer(one);
      if (outcome !== outcomeOf(i)) throw new Error(`${name}: ${outcome} for ${JSON.stringify(one)}`);
    });
  };
  const run = (): void => {
    for (let pass = 0; pass < PASSES; pass++) {
      for (const one of requests) if (answer(one) === "allow") sink++;
    }
  };
  check();
  for (let i = 0; i < WARM_UP; i += REQUESTS * PASSES) run();
  // Functions were generated in the meantime, so the outcomes are checked again.
  check();
  return run;
}

/**
 * Each case takes turns with the base case only. With many other cases between its turns, V8 would discard the code
 * that it compiled for the case.
 */
export async function benchCliffs(): Promise<void> {
  console.log(`${REQUESTS} requests a case, half of them allowed; every outcome checked; ${ROUNDS} rounds\n`);
  const base = decisionsOf(BASE);
  const { ratio, times, baseTimes } = compare(base, handOf(BASE, isOwned));
  line("by hand", "", baseTimes);
  line(BASE.name, `${show(ratio, 1)} × by hand`, times);
  console.log(`\nbeside "${BASE.name}", median (quartiles):`);
  for (const one of CASES) {
    const run = decisionsOf(one);
    const found = compare(run, base);
    const { hand } = one;
    const own = hand === undefined ? "" : `; ${show(compare(run, handOf(one, hand)).ratio, 1)} × the same by hand`;
    line(one.name, show(found.ratio), found.times, own);
  }
  if (sink === 0) throw new Error("nothing was allowed");
}

interface Comparison {
  readonly ratio: Spread;
  readonly times: readonly number[];
  readonly baseTimes: readonly number[];
}

function compare(run: () => void, base: () => void): Comparison {
  // Runs both once more, so that neither was compiled just now.
  interleave([base, run], 4, 1);
  const [baseTimes = [], times = []] = interleave([base, run], ROUNDS, REQUESTS * PASSES);
  return { ratio: spread(times.map((time, i) => time / (baseTimes[i] ?? Number.NaN))), times, baseTimes };
}

function line(name: string, ratio: string, times: readonly number[], more = ""): void {
  console.log(`${name.padEnd(34)} ${ratio.padEnd(24)} ${show(spread(times), 0)} ns${more}`);
}
