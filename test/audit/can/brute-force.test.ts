/**
 * What `can` says equals brute force: on generated sets, whose ways are evaluated on every combination of their values,
 * and on the shipped policies.
 *
 * @module-tag long
 */

import { afterAll, expect, test } from "vitest";
import { type CanOptions, type OperationPower, whatCan } from "../../../src/audit/index.js";
import { wordsOf } from "../../../src/audit/words/expression.js";
import { plain } from "../../../src/audit/words/phrase.js";
import { decideAny } from "../../../src/decisions/decide.js";
import type { DecisionRequest, PolicySet } from "../../../src/index.js";
import { findSolver } from "../../../src/solver/solver.js";
import { Random } from "../../differential/random.js";
import { permissions, policy, when } from "../../support/compose.js";
import { shipped } from "../../support/policies.js";
import { SEED } from "../../support/seed.js";
import { sized } from "../../support/size.js";

const solver = findSolver({ timeLimit: 20_000 });
afterAll(() => solver?.close());

async function powersOf(set: PolicySet, options: CanOptions): Promise<readonly OperationPower[]> {
  const found = await whatCan(set, solver, options);
  if (found.kind === "unknown") throw new Error(found.message);
  for (const { operation, result, why } of found.operations) {
    expect([operation, result, why]).toEqual([operation, "proved", undefined]);
  }
  return found.operations;
}

/** The values of the attributes that the atoms read. */
interface Cell {
  readonly state: string;
  readonly size: number;
  readonly owner: string;
  readonly team: string;
  readonly active: boolean;
  readonly held: readonly string[];
}

/** Statements about requests, and what each is for a cell. The key is `k` of the team `a`. */
const ATOMS: ReadonlyMap<string, (cell: Cell) => boolean> = new Map([
  ['R.attr.state == "draft"', ({ state }: Cell) => state === "draft"],
  ["R.attr.size > 3", ({ size }: Cell) => size > 3],
  ["R.attr.owner == P.id", ({ owner }: Cell) => owner === "k"],
  ["R.attr.team == P.attr.team", ({ team }: Cell) => team === "a"],
  ["P.attr.active == true", ({ active }: Cell) => active],
  ['"doc.share" in P.attr.permissions', ({ held }: Cell) => held.includes("doc.share")],
  [
    'hasIntersection(P.attr.permissions, ["doc.write", "doc.all"])',
    ({ held }: Cell) => !held.every((one) => one === "doc.share"),
  ],
]);

const SOURCES = [...ATOMS.keys()];

const CELLS: readonly Cell[] = ["draft", "live"].flatMap((state) =>
  [3, 4].flatMap((size) =>
    ["k", "x"].flatMap((owner) =>
      ["a", "b"].flatMap((team) =>
        [true, false].flatMap((active) =>
          [[], ["doc.share"], ["doc.write"], ["doc.all", "doc.share"]].map((held) => ({
            state,
            size,
            owner,
            team,
            active,
            held,
          })),
        ),
      ),
    ),
  ),
);

/** The words of each atom. */
const SAID = new Map(
  permissions({
    "doc.yaml": policy({
      rules: SOURCES.map((source, i) => `actions: [a${i}], roles: [user], effect: EFFECT_ALLOW, ${when(source)}`),
    }),
  })
    .model.resourcePolicies.filter(({ version }) => version === "default")
    .flatMap(({ rules }) => rules)
    .map(({ condition }) => {
      if (condition?.kind !== "expr") throw new Error("an atom is an expression");
      const { expr } = condition;
      return [expr.source, plain(wordsOf(expr, { principal: "the key", constants: new Map() }))] as const;
    }),
);

const ROLES = ["viewer", "editor"];
const ACTIONS = ["read", "write", "drop"];

function condition(random: Random, depth: number): string {
  if (depth === 0 || random.chance(0.3)) return random.pick(SOURCES);
  const [a, b] = [condition(random, depth - 1), condition(random, depth - 1)];
  return random.pick([`(${a}) && (${b})`, `(${a}) || (${b})`, `!(${a})`]);
}

function generatedSet(random: Random): { readonly set: PolicySet; readonly readsSize: boolean } {
  const rule = (i: number) => {
    const actions = ACTIONS.filter(() => random.chance(0.6));
    // `can` refuses a role that no rule names.
    const roles = i === 0 ? ROLES : random.chance(0.4) ? ["*"] : ROLES.filter(() => random.chance(0.7));
    const head = `name: r${i}, actions: [${actions.length === 0 ? "read" : actions.join(", ")}], roles: [${roles.length === 0 ? "viewer" : roles.map((one) => JSON.stringify(one)).join(", ")}]`;
    const effect = random.chance(0.25) ? "EFFECT_DENY" : "EFFECT_ALLOW";
    return `${head}, effect: ${effect}${random.chance(0.9) ? `, ${when(condition(random, 2))}` : ""}`;
  };
  const text = policy({ rules: Array.from({ length: random.int(2, 5) }, (_, i) => rule(i)) });
  return { set: permissions({ "doc.yaml": text }), readsSize: text.includes("R.attr.size") };
}

function isAllowed(set: PolicySet, role: string, operation: string, { held, active, ...cell }: Cell): boolean {
  const { state, size, owner, team } = cell;
  const key = { id: "k", roles: [role], attr: { team: "a", active, permissions: [...held] } };
  const resource = { kind: "doc", id: "d", attr: { state, size, owner, team } };
  return decideAny(set, { key, operation, resource, account: { id: "acc", attr: {} } }).outcome === "allow";
}

/** Does a cell meet all statements of a way? A statement of `told` is about missing or wrong data: no cell has any. */
function isMet({ ways }: OperationPower, cell: Cell): boolean {
  return ways.some(({ when: all }) =>
    all.every(({ text, source }) => {
      const atom = source === undefined ? undefined : ATOMS.get(source);
      if (atom !== undefined && source !== undefined) return atom(cell) === text.startsWith(SAID.get(source) ?? "?");
      expect(text).toMatch(/^the key (has|does not have) the role |^the key has a role that no rule|has no scope$/);
      return true;
    }),
  );
}

function expectEqual(one: OperationPower, allowed: readonly boolean[], cells: readonly Cell[], set: string): void {
  const name = `${set}: ${one.operation}`;
  expect([name, cells.map((cell) => isMet(one, cell))]).toEqual([name, allowed]);
  const [some, all] = [allowed.includes(true), !allowed.includes(false)];
  expect([name, one.can === "never"]).toEqual([name, !some]);
  if (one.can === "always") expect([name, all]).toEqual([name, true]);
}

test("generated sets: every way on every combination of values, with an assumption and without", async () => {
  const random = new Random(SEED);
  const seen = { always: 0, conditionally: 0, never: 0, unknown: 0, permissions: 0 };
  for (let i = 0; i < sized(20, 4); i++) {
    const { set, readsSize } = generatedSet(random);
    for (const role of ROLES) {
      for (const assume of [undefined, ...(readsSize ? ["resource.attr.size > 3"] : [])]) {
        const cells = assume === undefined ? CELLS : CELLS.filter(({ size }) => size > 3);
        for (const one of await powersOf(set, { role, ...(assume === undefined ? {} : { assume }) })) {
          if (!ACTIONS.includes(one.operation)) continue;
          seen[one.can]++;
          const allowed = cells.map((cell) => isAllowed(set, role, one.operation, cell));
          expectEqual(one, allowed, cells, `set ${i}, ${role}, ${assume}`);
          if (one.by === undefined) continue;
          const isByRole = cells.some(({ held }, at) => held.length === 0 && allowed[at]);
          expect([i, one.operation, one.by]).toEqual([i, one.operation, isByRole ? "roles" : "permissions"]);
          if (one.by === "permissions") seen.permissions++;
        }
      }
    }
  }
  expect(seen.conditionally).toBeGreaterThan(sized(60, 8));
  expect(seen.never).toBeGreaterThan(0);
  expect(seen.permissions).toBeGreaterThanOrEqual(sized(1, 0));
}, 3_600_000);

const PERMISSIONS: readonly (readonly string[])[] = [
  [],
  ...["read_api", "update_api", "delete_api", "read_key", "create_key"].map((action) => [`api.api_1.${action}`]),
  ["api.*.delete_api", "api.*.update_api"],
];

/** Requests about an API, by index: all combinations of these values. */
function apiRequest(
  index: number,
  role: string,
  operation: string,
): { readonly request: DecisionRequest; readonly held: readonly string[] } {
  let rest = index;
  const pick = <T>(values: readonly [T, ...T[]] | readonly T[], fallback: T): T => {
    const value = values[rest % values.length] ?? fallback;
    rest = Math.floor(rest / values.length);
    return value;
  };
  const held = pick(PERMISSIONS, []);
  const accountId = pick(["acc_1", "acc_2"], "acc_1");
  const workspaceIds = pick([["*"], ["ws_1"], ["ws_2"]], ["*"]);
  const key = {
    id: "key_1",
    roles: [role],
    attr: {
      accountId: "acc_1",
      workspaceIds,
      environment: pick(["development", "production"], "development"),
      permissions: [...held],
    },
  };
  const attr = {
    accountId,
    workspaceId: "ws_1",
    environment: pick(["development", "production"], "development"),
    system: pick([false, true], false),
    deleteProtection: pick([false, true], false),
    state: pick(["active", "draft", "suspended", "deleting"], "active"),
    keyCount: pick([0, 1], 0),
  };
  const usage = pick([0, 10], 0);
  const account = {
    id: "acc_1",
    attr: {
      plan: pick(["pro", "free"], "pro"),
      status: pick(["active", "past_due", "suspended"], "active"),
      limits: { apis: 10, keys: 10 },
      usage: { apis: usage, keys: usage },
      holds: pick<string[]>([[], ["fraud"]], []),
    },
  };
  return { request: { key, operation, resource: { kind: "api", id: "api_1", attr }, account }, held };
}

/** The number of combinations in {@link apiRequest}. */
const COMBINATIONS = PERMISSIONS.length * 2 * 3 * 2 * 2 * 2 * 2 * 4 * 2 * 2 * 2 * 3 * 2;

const API_OPERATIONS = ["apis.getApi", "apis.listKeys", "keys.createKey", "apis.updateApi", "apis.deleteApi"];

test("the shipped policies: combinations of the values of an API, its account and its key", async () => {
  const cells = sized(1_000_000, 400_000);
  const roles = ["editor", "viewer", "admin", "custom"].slice(0, sized(4, 1));
  const seen = { allowed: 0, permissions: 0 };
  const each = Math.ceil(cells / roles.length / API_OPERATIONS.length);
  // The step has no factor in common with the number of combinations, so each is taken once before any is taken twice.
  const step = 10_007;
  for (const role of roles) {
    const powers = await powersOf(shipped, { role, timeLimit: 800_000 });
    for (const operation of API_OPERATIONS) {
      const one = powers.find((power) => power.kind === "api" && power.operation === operation);
      const allowed = { withNone: 0, withSome: 0 };
      for (let i = 0; i < each; i++) {
        const { request, held } = apiRequest((i * step) % COMBINATIONS, role, operation);
        if (decideAny(shipped, request).outcome === "allow") allowed[held.length === 0 ? "withNone" : "withSome"]++;
      }
      const total = allowed.withNone + allowed.withSome;
      seen.allowed += total;
      expect([role, operation, one?.can]).toEqual([role, operation, total === 0 ? "never" : "conditionally"]);
      expect([role, operation, one?.by]).toEqual([role, operation, allowed.withNone > 0 ? "roles" : "permissions"]);
      if (one?.by === "permissions") seen.permissions++;
    }
  }
  expect(seen.allowed).toBeGreaterThan(cells / 1_000);
  expect(seen.permissions).toBe(roles.length === 1 ? 2 : 10);
}, 3_600_000);
