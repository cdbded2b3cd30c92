/**
 * The laws are proved for policy sets that keep them. For sets that break them, two requests show it.
 *
 * @module-tag long
 */

import { afterAll, expect, test } from "vitest";
import { decideAny } from "../../src/decisions/decide.js";
import { proveAll } from "../../src/proof/claims/prove.js";
import { findSolver } from "../../src/solver/solver.js";
import { requestOf } from "../../src/space/draft.js";
import { permissions, policy, supportAll, when } from "../support/compose.js";
import { compiled } from "../support/policies.js";

const solver = findSolver({ timeLimit: 20_000 });
afterAll(() => solver?.close());

const DAMAGE = "Removing an attribute, or giving it another type, never allows more.";
const REDUCTION = "Removing a role or a permission from a key never allows more.";

const ALLOW = "actions: [read], effect: EFFECT_ALLOW";
const DENY = "actions: [read], effect: EFFECT_DENY";

test.each<[string, readonly string[], readonly string[]]>([
  ["roles alone", [`${ALLOW}, roles: [user]`], []],
  ["a role that denies", [`${ALLOW}, roles: ["*"]`, `${DENY}, roles: [guest]`], []],
  [
    "a role that denies all others",
    [`${ALLOW}, roles: ["*"]`, `${DENY}, roles: ["*"], ${when('"guest" in P.roles')}`],
    [REDUCTION],
  ],
  ["a permission that denies", [`${ALLOW}, roles: [user], ${when('!("no" in P.attr.permissions)')}`], [REDUCTION]],
  ["a permission that allows", [`${ALLOW}, roles: [user], ${when('"yes" in P.attr.permissions')}`], []],
  [
    "two roles together",
    [`${ALLOW}, roles: [user], ${when('!("maker" in P.roles && "checker" in P.roles)')}`],
    [REDUCTION],
  ],
  ["what is not so", [`${ALLOW}, roles: [user], ${when('R.attr.state != "locked"')}`], [DAMAGE]],
  ["what is so", [`${ALLOW}, roles: [user], ${when('R.attr.state == "open"')}`], []],
  ["what is asked about", [`${ALLOW}, roles: [user], ${when("!has(R.attr.lock)")}`], []],
  ["a member of a map", [`${ALLOW}, roles: [user], ${when('R.attr.lock.state == "open" || R.attr.free == true')}`], []],
  ["two texts that are the same", [`${ALLOW}, roles: [user], ${when('R.attr.owner == "" + P.attr.owner')}`], []],
])(
  "%s",
  async (_what, rules, broken) => {
    const set = permissions({ "doc.yaml": policy({ rules: rules.map((rule, i) => `name: r${i}, ${rule}`) }) });
    const proofs = await proveAll(set, [], solver);
    const claims = proofs.kind === "proved" ? proofs.claims : [];
    expect(claims.filter(({ result }) => result === "broken").map(({ claim }) => claim)).toEqual(broken);
    expect(claims.filter(({ result }) => result === "proved").length).toBe(5 - broken.length);
    for (const { request, changed } of claims) {
      if (request === undefined || changed === undefined) continue;
      expect(decideAny(set, requestOf(request)).outcome).not.toBe("allow");
      expect(decideAny(set, requestOf(changed)).outcome).toBe("allow");
    }
  },
  60_000,
);

test("two attributes that are null count as the same: that is an exception, unless it is asked for", async () => {
  const rule = `${ALLOW}, roles: [user], ${when("R.attr.owner == P.attr.owner")}`;
  const set = permissions({ "doc.yaml": policy({ rules: [`name: owner, ${rule}`] }) });
  const lawOf = async (damaged: boolean) => {
    const proofs = await proveAll(set, [], solver, { damaged });
    return proofs.kind === "proved" ? proofs.claims.find(({ claim }) => claim === DAMAGE) : undefined;
  };
  expect(await lawOf(false)).toMatchObject({
    result: "proved",
    except: [
      "members of key.attr.owner, resource.attr.owner, which a rule reads as a whole",
      expect.stringContaining("another type of key.attr.owner, resource.attr.owner, without a declared type"),
      expect.stringMatching(/^two values without a declared type that are null \(read on doc: .*: --damaged shows it$/),
    ],
  });
  const found = await lawOf(true);
  expect(found).toMatchObject({ result: "broken", outcome: "allow", nulls: true });
  expect(JSON.stringify(found?.changed).match(/"owner":null/g)).toHaveLength(2);
}, 60_000);

test("a list of null and an attribute that is null, too", async () => {
  const rule = `name: tenant, ${ALLOW}, roles: [user], ${when("R.attr.tenant in P.attr.tenants")}`;
  const proofs = await proveAll(permissions({ "doc.yaml": policy({ rules: [rule] }) }), [], solver);
  const found = proofs.kind === "proved" ? proofs.claims.find(({ claim }) => claim === DAMAGE) : undefined;
  expect(found).toMatchObject({ result: "proved" });
  expect(found?.except).toContainEqual(expect.stringMatching(/^two values without a declared type that are null/));
}, 60_000);

test.each([
  // One null is enough, so two are no excuse.
  ['R.attr.owner == P.attr.owner || R.attr.state != "locked"', "broken"],
  ["R.attr.owner == P.attr.owner && R.attr.owner != null", "proved"],
  // A search has another result where the text, the list, the map or a member of the map is damaged.
  ["!(R.attr.tenant in P.attr.tenants)", "broken"],
  ["!(R.attr.tenant in P.attr.tenants) || P.attr.tenants.a == 1", "broken"],
  ["has(P.attr.admin) && !(P.id in R.attr.tenants) || R.attr.open == true", "proved"],
])(
  "%s: %s",
  async (expr, result) => {
    const rule = `name: owner, ${ALLOW}, roles: [user], ${when(expr)}`;
    const proofs = await proveAll(permissions({ "doc.yaml": policy({ rules: [rule] }) }), [], solver);
    const found = proofs.kind === "proved" ? proofs.claims.find(({ claim }) => claim === DAMAGE) : undefined;
    expect(found).toMatchObject({ result });
    expect(found).not.toHaveProperty("nulls");
  },
  60_000,
);

test("the laws of 1,000 rules in ten policies", async () => {
  const rules = Array.from({ length: 100 }, (_, i) => {
    const condition = when(
      `R.attr.owner == "" + P.attr.owner && R.attr.size < ${i}.0 && "p${i}" in P.attr.permissions`,
    );
    return `name: r${i}, actions: [act${i % 10}], roles: [role${i % 7}], effect: EFFECT_ALLOW, ${condition}`;
  });
  const kinds = Array.from({ length: 10 }, (_, i) => `kind${i}`);
  const files = kinds.map((resource) => ({ path: `${resource}.yaml`, text: policy({ resource, rules }) }));
  const proofs = await proveAll(compiled([...supportAll(...kinds), ...files]), [], solver);
  const results = proofs.kind === "proved" ? proofs.claims : [];
  expect(results.filter(({ result }) => result !== "proved")).toEqual([]);
  expect(results.length).toBe(5);
}, 300_000);
