/**
 * Claims are proved by the meaning of their assumptions, not by their spelling.
 *
 * @module-tag long
 */

import { afterAll, describe, expect, test } from "vitest";
import { decideAny } from "../../src/decisions/decide.js";
import { proveClaims } from "../../src/proof/claims/prove.js";
import { readClaims } from "../../src/proof/claims/read.js";
import { findSolver } from "../../src/solver/solver.js";
import { requestOf } from "../../src/space/draft.js";
import { compiled } from "../support/policies.js";

const solver = findSolver({ timeLimit: 20_000 });
afterAll(() => solver?.close());

/** Roles by name, by a pattern, and any; and a list that rules search. */
const set = compiled(
  [
    {
      path: "doc.yaml",
      text: `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  schemas: {principalSchema: {ref: "cerbos:///key.json"}}
  rules:
    - {actions: [read], roles: [admin, viewer], effect: EFFECT_ALLOW}
    - {actions: [read], roles: ["ops_*"], effect: EFFECT_ALLOW}
    - actions: [read]
      roles: ["*"]
      effect: EFFECT_ALLOW
      condition: {match: {expr: '"doc.read" in P.attr.permissions'}}
`,
    },
    {
      path: "_schemas/key.json",
      text: '{"type": "object", "properties": {"permissions": {"type": "array", "items": {"type": "string"}}}}',
    },
  ],
  { platform: "none" },
);

async function resultOf(assume: readonly string[]) {
  const text = JSON.stringify({ claims: [{ claim: "c", operations: "read", assume, never: "allow" }] });
  const { claims, issues } = readClaims("a.claims.json", text);
  expect(issues).toEqual([]);
  const proofs = await proveClaims(set, claims, solver);
  if (proofs.kind === "wrong") throw new Error(proofs.issues.map(({ message }) => message).join());
  const [one] = proofs.claims;
  if (one?.request !== undefined) expect(decideAny(set, requestOf(one.request)).outcome).toBe("allow");
  if (one?.result === "unproven") return one.why;
  return one?.result;
}

const NO_PERMISSION = [
  "size(key.attr.permissions) == 0",
  "key.attr.permissions == []",
  "!key.attr.permissions.exists(p, true)",
  "key.attr.permissions.all(p, p == 'doc.write')",
  "key.attr.permissions == ['doc.write']",
  "key.attr.permissions == ['doc.write', 'doc.list']",
  "size(key.attr.permissions) == 1 && 'doc.write' in key.attr.permissions",
  "!hasIntersection(key.attr.permissions, ['doc.read'])",
  "isSubset(key.attr.permissions, ['doc.write', 'doc.list'])",
];

const CUSTOM = [
  "key.roles == ['custom']",
  "['custom'] == key.roles",
  "key.roles == ['custom', 'guest']",
  "size(key.roles) == 1 && 'custom' in key.roles",
  "size(key.roles) == 1 && key.roles[0] == 'custom'",
  "key.roles.all(r, r == 'custom')",
  "key.roles.all(r, r in ['custom', 'guest'])",
  "!key.roles.exists(r, r == 'admin' || r == 'viewer' || r.startsWith('ops_'))",
  "isSubset(key.roles, ['custom', 'guest'])",
];

describe("assumptions that mean a key without a role of the policies", () => {
  test.each(CUSTOM)("%s", async (assume) => {
    expect(await resultOf([assume, "size(key.attr.permissions) == 0"])).toBe("proved");
  });

  test.each(CUSTOM)("and no more than that: %s", async (assume) => {
    expect(await resultOf([assume])).toBe("broken");
  });
});

describe("assumptions that mean a key without the permission", () => {
  test.each(NO_PERMISSION)("%s", async (assume) => {
    expect(await resultOf([assume, "key.roles == ['custom']"])).toBe("proved");
  });

  test.each(NO_PERMISSION)("and no more than that: %s", async (assume) => {
    expect(await resultOf([assume])).toBe("broken");
  });
});

test.each([
  "key.roles == ['admin']",
  "key.roles == ['ops_1']",
  "key.roles == ['custom', 'viewer']",
  "size(key.roles) == 2 && 'custom' in key.roles",
  "key.attr.permissions == ['doc.read'] && key.roles == ['custom']",
  "key.attr.permissions == ['doc.write', 'doc.read'] && key.roles == ['custom']",
])("assumptions that do not: %s", async (assume) => {
  expect(await resultOf([assume])).toBe("broken");
});
