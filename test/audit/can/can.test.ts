/**
 * What a role can do, compared with the decisions on requests.
 *
 * @module-tag long
 */

import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import {
  type CanOptions,
  canCsv,
  canText,
  type OperationPower,
  type WhatCan,
  whatCan,
} from "../../../src/audit/index.js";
import { decideAny } from "../../../src/decisions/decide.js";
import type { PolicySet } from "../../../src/index.js";
import { findSolver } from "../../../src/solver/solver.js";
import { requestOf } from "../../../src/space/draft.js";
import { shippedRequest } from "../../property/arbitraries/index.js";
import { permissions, policy, when } from "../../support/compose.js";
import { shipped } from "../../support/policies.js";
import { SEED } from "../../support/seed.js";

const solver = findSolver({ timeLimit: 20_000 });
afterAll(() => solver?.close());

type Answer = Extract<WhatCan, { kind: "answered" }>;

async function answerOf(set: PolicySet, options: CanOptions): Promise<Answer> {
  const found = await whatCan(set, solver, options);
  if (found.kind === "unknown") throw new Error(found.message);
  for (const { ways } of found.operations) {
    for (const { request } of ways) {
      expect(decideAny(set, requestOf(request)).outcome).toBe("allow");
      expect(request.key.roles).toEqual([options.role]);
    }
  }
  return found;
}

const ALLOW = "effect: EFFECT_ALLOW";
const HAS_SHARE = 'hasIntersection(P.attr.permissions, ["doc.share"])';

const granting = permissions({
  "doc.yaml": policy({
    rules: [
      `actions: [read], roles: ["*"], ${ALLOW}`,
      `actions: [write, publish], roles: [editor, admin], ${ALLOW}, ${when('R.attr.state == "draft"')}`,
      `actions: [delete], roles: [admin], ${ALLOW}`,
      `actions: [share], roles: ["*"], ${ALLOW}, ${when(HAS_SHARE)}`,
      `actions: [publish], roles: ["*"], ${ALLOW}, ${when('hasIntersection(P.attr.permissions, ["doc.publish"])')}`,
    ],
  }),
});

const denying = permissions({
  "doc.yaml": policy({
    rules: [
      `actions: ["*"], roles: [admin], ${ALLOW}`,
      `actions: [read, write, share], roles: [editor], ${ALLOW}`,
      `actions: [write], roles: ["*"], effect: EFFECT_DENY, ${when('R.attr.state == "archived"')}`,
      `actions: [share], roles: [editor], effect: EFFECT_DENY, ${when('hasIntersection(P.attr.permissions, ["a"])')}`,
      'actions: [delete], roles: ["*"], effect: EFFECT_DENY',
      `actions: [publish], roles: ["*"], effect: EFFECT_ALLOW, ${when(HAS_SHARE)}`,
    ],
  }),
});

/** The outcomes of an operation on all combinations of the values that the two sets read. */
function allowedOf(set: PolicySet, role: string, operation: string, list: readonly (readonly string[])[]) {
  const states = ["draft", "archived", "other", 7, undefined];
  return list.flatMap((held) =>
    states.map((state) => {
      const attr = state === undefined ? {} : { state };
      const key = { id: "k", roles: [role], attr: { permissions: [...held] } };
      const request = { key, operation, resource: { kind: "doc", id: "d", attr }, account: { id: "a", attr: {} } };
      return decideAny(set, request).outcome === "allow";
    }),
  );
}

const LISTS = [[], ["doc.share"], ["doc.publish"], ["a", "b", "c"], ["doc.share", "doc.publish", "x"]];

describe.each([
  ["a set that grants", granting],
  ["a set that denies", denying],
])("%s: as the decisions on all combinations of its values", (_, set) => {
  test.each(["editor", "admin", "viewer"])("%s", async (role) => {
    const { operations } = await answerOf(set, { role });
    expect(operations.length).toBeGreaterThan(4);
    for (const { operation, can, by, result, why } of operations) {
      expect([operation, result, why]).toEqual([operation, "proved", undefined]);
      const all = allowedOf(set, role, operation, LISTS);
      const some = all.some((one) => one);
      // A condition on an attribute, or that it has a value, is one; the values here have a list of permissions.
      if (can === "always") expect(all.every((one) => one)).toBe(true);
      if (!all.every((one) => one)) expect(can).not.toBe("always");
      expect(`${operation} ${can === "never" ? "never" : "some"}`).toBe(`${operation} ${some ? "some" : "never"}`);
      const withNone = allowedOf(set, role, operation, [[]]).some((one) => one);
      if (some) expect(`${operation} ${by}`).toBe(`${operation} ${withNone ? "roles" : "permissions"}`);
    }
  });

  test("with the assumption that there are no permissions", async () => {
    const { operations } = await answerOf(set, { role: "editor", assume: "size(key.attr.permissions) == 0" });
    for (const { operation, can } of operations) {
      const some = allowedOf(set, "editor", operation, [[]]).some((one) => one);
      expect(`${operation} ${can === "never"}`).toBe(`${operation} ${!some}`);
    }
  });
});

test("text and CSV", async () => {
  const found = await answerOf(granting, { role: "editor" });
  const text = canText(found, "An editor");
  expect(text).toMatch(/^An editor: of \d operations, 1 always, \d under conditions, 1 never\. This is proved\. /);
  expect(text).toContain("\nread on doc: always\n");
  expect(text).toContain("\ndelete on doc: never\n");
  expect(text).toContain("\nshare on doc: under conditions, only by the key's own permissions\n  when\n");
  const [header, ...rows] = canCsv(found).trimEnd().split("\n");
  expect(header).toBe("operation,kind,version,can,by,conditions,proved");
  expect(rows.map((row) => row.split(",", 5).join(","))).toEqual(
    expect.arrayContaining(["read,doc,,always,roles", "share,doc,,conditionally,permissions"]),
  );
  expect(rows.filter((row) => row.startsWith("delete"))).toEqual([]);
});

test("a cell of the CSV is no formula", () => {
  const power = (operation: string): OperationPower => ({
    operation,
    kind: "doc",
    assumed: [],
    searched: true,
    result: "proved",
    ways: [],
    unshown: [],
    can: "always",
  });
  const operations = ["=1+1", "+a", "-a", "@a", 'a"b,c'].map(power);
  const rows = canCsv({ kind: "answered", isUnscoped: true, operations }).trimEnd().split("\n").slice(1);
  const end = ",doc,,always,,,yes";
  expect(rows).toEqual([`'=1+1${end}`, `'+a${end}`, `'-a${end}`, `'@a${end}`, `"a""b,c"${end}`]);
});

test("the shipped policies: an editor, as sampled requests are decided", async () => {
  const { operations } = await answerOf(shipped, { role: "editor" });
  const proved = operations.filter(({ result }) => result === "proved");
  expect(proved.length).toBe(operations.length);
  const never = new Set(operations.filter(({ can }) => can === "never").map(({ operation }) => operation));
  const onlyByPermissions = new Set(
    operations.filter(({ by }) => by === "permissions").map(({ operation }) => operation),
  );
  expect(onlyByPermissions.has("apis.deleteApi")).toBe(true);
  let allowed = 0;
  for (const request of fc.sample(shippedRequest(), { numRuns: 5_000, seed: SEED })) {
    const one = { ...request, key: { ...request.key, roles: ["editor"] } };
    if (decideAny(shipped, one).outcome !== "allow") continue;
    allowed++;
    expect(never).not.toContain(one.operation);
    const bare = { ...one, key: { ...one.key, attr: { ...one.key.attr, permissions: [] } } };
    if (onlyByPermissions.has(one.operation)) expect(decideAny(shipped, bare).outcome).not.toBe("allow");
  }
  expect(allowed).toBeGreaterThan(100);
}, 300_000);
