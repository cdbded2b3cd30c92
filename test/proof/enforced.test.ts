/**
 * Proofs about sets that enforce their schemas use the schemas.
 *
 * @module-tag long
 */

import { afterAll, describe, expect, test } from "vitest";
import { diffPolicies, whoMay } from "../../src/audit/index.js";
import type { CompileOptions, PolicySet } from "../../src/index.js";
import { proveAll } from "../../src/proof/claims/prove.js";
import { readClaims } from "../../src/proof/claims/read.js";
import type { Proved } from "../../src/proof/claims/types.js";
import { findSolver } from "../../src/solver/solver.js";
import { policy, supportAll, when } from "../support/compose.js";
import { compiled } from "../support/policies.js";

const solver = findSolver({ timeLimit: 20_000 });
afterAll(() => solver?.close());

const SCHEMA = JSON.stringify({
  type: "object",
  properties: {
    n: { type: "integer", minimum: 0 },
    state: { enum: ["open", "shut"] },
    locked: { type: "boolean" },
  },
  required: ["n"],
});

type Enforcement = NonNullable<CompileOptions["schemaEnforcement"]>;

const setOf = (schemaEnforcement: Enforcement, exprs: string | readonly string[], schema = SCHEMA): PolicySet => {
  const rules = [exprs]
    .flat()
    .map((expr, i) => `name: r${i}, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}`);
  const body = "schemas: {resourceSchema: {ref: cerbos:///doc.json}}";
  const files = [...supportAll("doc"), { path: "doc.yaml", text: policy({ body, rules }) }];
  return compiled([...files, { path: "_schemas/doc.json", text: schema }], { schemaEnforcement, typedReads: false });
};

describe.each<[string, string, string]>([
  ["a bound that the schema states", "R.attr.n < 3", "R.attr.n < 3 && R.attr.n >= 0"],
  ["a number between two integers", "R.attr.n <= 3", "R.attr.n < 4"],
  [
    "a value that the schema does not list",
    'R.attr.state == "open"',
    'R.attr.state == "open" || R.attr.state == "ajar"',
  ],
  ["a required attribute", "R.attr.n < 3", "!has(R.attr.n) || R.attr.n < 3"],
])("%s", (_, before, after) => {
  test.each<[Enforcement, boolean]>([
    ["reject", false],
    ["none", true],
  ])("enforcement %s", async (enforcement, changes) => {
    const diff = await diffPolicies(setOf(enforcement, before), setOf(enforcement, after), solver);
    const allowed = diff.changes.filter(({ class: name }) => name === "widening" || name === "narrowing");
    expect([allowed.length > 0, diff.unproven]).toEqual([changes, []]);
    // Outside its schema, a refusal of the newer set can have another cause.
    for (const change of diff.changes) expect(change.malformed).toBe(true);
  });
});

async function results(set: PolicySet, claims = "claims: [{claim: Nobody reads., operations: read, never: allow}]") {
  const proofs = await proveAll(set, readClaims("c.claims.yaml", claims).claims, solver);
  return proofs.kind === "proved" ? proofs.claims : [];
}

const found = (all: readonly Proved[], start: string) => all.find(({ claim }) => claim.startsWith(start));

test("the laws are proved of requests that satisfy the schemas before the damage", async () => {
  const all = await results(setOf("reject", ["R.attr.n < 3 && R.attr.locked != true", 'R.attr.state == "open"']));
  expect(found(all, "Removing an attribute")).toMatchObject({ result: "proved" });
  expect(found(all, "Removing a role")).toMatchObject({ result: "proved" });
  expect(found(all, "Nobody reads.")).toMatchObject({ result: "broken", outcome: "allow" });
});

test("a law that is broken stays so", async () => {
  const all = await results(setOf("reject", '!("guest" in P.attr.groups)'));
  expect(found(all, "Removing a role")).toMatchObject({ result: "broken", layer: "permission" });
});

test("a claim that only refused attributes would break holds", async () => {
  const claim =
    "claims: [{claim: Nothing below 0 is read., operations: read, assume: resource.attr.n < 0, never: allow}]";
  expect(found(await results(setOf("reject", "R.attr.n < 3"), claim), "Nothing")).toMatchObject({ result: "proved" });
});

test("the extent of a change is exact, with the attributes that the schemas accept", async () => {
  const { changes } = await diffPolicies(setOf("reject", "R.attr.n < 3"), setOf("reject", "R.attr.n < 4"), solver);
  const [change] = changes.filter((one) => one.class === "widening");
  expect([change?.extent, change?.ways.map(({ when }) => when.map(({ text }) => text).toSorted())]).toEqual([
    "exact",
    [
      [
        "the attributes of the key and the resource satisfy the schemas",
        "the key has the role `user`",
        "the resource has no scope",
        "the resource's `n` is less than `4`",
        "the resource's `n` is not less than `3`",
      ],
    ],
  ]);
});

test("several schemas are not told apart in words: a change between them is shown by an example", async () => {
  const { changes } = await diffPolicies(
    setOf("reject", "R.attr.n < 3"),
    setOf("reject", "R.attr.n < 4", SCHEMA.replace("boolean", "string")),
    solver,
  );
  const widened = changes.filter((one) => one.class === "widening");
  expect(widened.map(({ extent }) => extent)).toEqual(["example"]);
});

test("who: an example has the attributes that schemas require", async () => {
  const who = await whoMay(setOf("reject", 'R.attr.state == "open"'), "read", solver);
  const [one] = who.kind === "answered" ? who.operations : [];
  expect([one?.result, one?.ways.map(({ request }) => request.resource.attr)]).toEqual([
    "proved",
    [{ n: expect.any(Number), state: "open" }],
  ]);
});

test("who: no way is listed that the schemas exclude", async () => {
  const who = await whoMay(setOf("reject", ["R.attr.n < 0", "R.attr.n == 1"]), "read", solver);
  const [one] = who.kind === "answered" ? who.operations : [];
  expect([one?.result, one?.ways.length]).toEqual(["proved", 1]);
});
