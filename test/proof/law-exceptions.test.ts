/** A proved law names what it leaves out, and a broken one says which layer it opens. */

import { afterAll, expect, test } from "vitest";
import type { PolicySet } from "../../src/index.js";
import { proveAll } from "../../src/proof/claims/prove.js";
import type { Proved } from "../../src/proof/claims/types.js";
import { findSolver } from "../../src/solver/solver.js";
import { permissions, policy, supportAll, when } from "../support/compose.js";
import { compiled } from "../support/policies.js";

const solver = findSolver({ timeLimit: 20_000 });
afterAll(() => solver?.close());

const ALLOW = "actions: [read], effect: EFFECT_ALLOW, roles: [user]";
const DENY = "actions: [read], effect: EFFECT_DENY, roles: [user]";

async function lawsOf(set: PolicySet, options = {}): Promise<readonly Proved[]> {
  const proofs = await proveAll(set, [], solver, options);
  return proofs.kind === "proved" ? proofs.claims : [];
}

async function law(start: string, set: PolicySet, options = {}): Promise<Proved | undefined> {
  return (await lawsOf(set, options)).find(({ claim }) => claim.startsWith(start));
}

function rules(...all: string[]) {
  return { "doc.yaml": policy({ rules: all.map((rule, i) => `name: r${i}, ${rule}`) }) };
}

test.each([
  ["has(R.attr.locked)", "resource.attr.locked, which a rule asks about by has() (doc.yaml:7:"],
  ["R.attr.locked == null", "resource.attr.locked, which a rule asks about by a comparison with null (doc.yaml:7:"],
  [
    "has(R.attr.a) && has(R.attr.a.b)",
    "resource.attr.a.b and the maps that it is in, which a rule asks about by has()",
  ],
])("the law of missing attributes names an attribute of %s", async (expr, named) => {
  const found = await law("Removing an attribute", permissions(rules(ALLOW, `${DENY}, ${when(expr)}`)));
  expect(found).toMatchObject({ result: "proved" });
  expect(found?.except?.join("; ")).toContain(named);
  expect(found?.why).toContain(named);
  expect(found?.except?.join("; ")).not.toContain("another type of resource.attr.locked");
});

test("the law of missing attributes names the attributes without a declared type", async () => {
  const found = await law("Removing an attribute", permissions(rules(`${ALLOW}, ${when('R.attr.state == "open"')}`)));
  expect(found?.except).toEqual(["another type of resource.attr.state, without a declared type"]);
});

test.each([
  // A list is not meant: only a map has members.
  ['"banned" in R.attr.flags', "members of resource.attr.flags, which a rule reads as a whole"],
  ["P.id in R.attr.flags", "members of resource.attr.flags, which a rule reads as a whole"],
  ["R.attr.a != P.attr.a", "members of key.attr.a, resource.attr.a, which a rule reads as a whole"],
  ["R.attr.flags.exists(f, f == P.id)", "members of resource.attr.flags, which a rule reads as a whole"],
  ['"banned" in P.attr', "members of key.attr, which a rule reads as a whole"],
  ["P.attr != R.attr", "members of key.attr, resource.attr, which a rule reads as a whole"],
])("the law of missing attributes leaves out what a map holds, where %s", async (expr, named) => {
  const found = await law("Removing an attribute", permissions(rules(ALLOW, `${DENY}, ${when(expr)}`)));
  expect(found).toMatchObject({ result: "proved" });
  expect(found?.except?.join("; ")).toContain(named);
});

test.each(["R.id in P.attr", "P.attr.exists(a, a == R.id)"])(
  "the law of missing attributes is not proved where a rule reads all of them: %s",
  async (expr) => {
    const found = await law("Removing an attribute", permissions(rules(ALLOW, `${DENY}, ${when(expr)}`)));
    expect(found).toMatchObject({ result: "unproven" });
  },
);

test("a member that a rule names is damaged, also where the map is read as a whole", async () => {
  const expr = '"b" in R.attr.flags || R.attr.flags.a == "x"';
  const found = await law("Removing an attribute", permissions(rules(ALLOW, `${DENY}, ${when(expr)}`)));
  expect(found).toMatchObject({ result: "broken", request: { resource: { attr: { flags: { a: "x" } } } } });
});

test.each([
  ["Removing an attribute", 'P.attr.own != R.attr.own || P.attr.own.a == "x" && R.attr.own.a == "x" && R.attr.b'],
  ["Removing a role", 'P.attr.own == R.attr.own || "x" in P.attr.own.permissions'],
  ["Removing a role", 'P.attr == R.attr || "x" in P.attr.permissions'],
])("%s: what is in a map counts where maps are compared: %s", async (start, expr) => {
  const found = await law(start, permissions(rules(ALLOW, `${DENY}, ${when(`!(${expr})`)}`)));
  expect(found?.result).not.toBe("proved");
});

test("a set without a platform layer has no laws about one", async () => {
  const files = [{ path: "doc.yaml", text: rules(ALLOW)["doc.yaml"] }];
  const claims = (await lawsOf(compiled(files, { platform: "none" }))).map(({ claim }) => claim);
  expect(claims).toEqual([
    "The order of policies, of their rules and of their roles changes no decision.",
    "Removing an attribute, or giving it another type, never allows more.",
    "Removing a role or a permission from a key never allows more.",
  ]);
});

test.each<[string, "proved" | "broken", string | undefined]>([
  ["!(R.attr.tenant in P.attr.blocked)", "proved", "members of key.attr.blocked"],
  ["!P.attr.blocked.exists(t, t == R.attr.tenant)", "proved", "members of key.attr.blocked"],
  ['!("guest" in P.attr.groups)', "broken", undefined],
  ['!P.attr.groups.exists(t, t == "guest")', "broken", undefined],
  ['"guest" in P.attr.groups', "proved", undefined],
])("%s: members of permission lists are removed, of other lists not", async (expr, result, except) => {
  const found = await law("Removing a role", permissions(rules(`${ALLOW}, ${when(expr)}`)));
  expect(found?.result).toBe(result);
  if (except !== undefined) expect(found?.except?.join("; ")).toContain(except);
});

test("a broken law says which layer it opens, where the other layer hides it", async () => {
  const set = compiled([
    {
      path: "platform/doc.yaml",
      text: policy({
        version: "platform",
        rules: ["name: no, actions: [other], roles: [account], effect: EFFECT_ALLOW"],
      }),
    },
    { path: "doc.yaml", text: rules(`${ALLOW}, ${when('!("guest" in P.attr.groups)')}`)["doc.yaml"] },
  ]);
  expect(await law("Removing a role", set)).toMatchObject({
    result: "broken",
    why: "read on doc: the permission layer denies a request, and allows the changed one",
    layer: "permission",
    outcome: "forbidden",
  });
});

test("a law that only malformed requests break is proved for the others, and shown on demand", async () => {
  const schema = JSON.stringify({ type: "object", properties: { state: { type: "string" } }, required: ["state"] });
  const body = "schemas: {resourceSchema: {ref: cerbos:///doc.json}}";
  // A request with neither attribute is malformed. Damage makes `flag` null.
  const expr = "(has(R.attr.state) ? true : R.attr.flag != true)";
  const text = policy({ body, rules: [`name: r0, ${ALLOW}, ${when(expr)}`] });
  const set = compiled([...supportAll("doc"), { path: "doc.yaml", text }, { path: "_schemas/doc.json", text: schema }]);
  const found = await law("Removing an attribute", set);
  expect(found?.result).toBe("proved");
  expect(found?.except?.join("; ")).toContain("data that the schemas refuse (read on doc");
  expect(await law("Removing an attribute", set, { damaged: true })).toMatchObject({
    result: "broken",
    malformed: true,
  });
});
