/** The attributes that each operation reads. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { readsOfOperations, readsText } from "../../../src/audit/operations/reads.js";
import { decide } from "../../../src/index.js";
import { compiled, shippedFiles } from "../../support/policies.js";
import { sized } from "../../support/size.js";
import "../../support/seed.js";

const policy = (version: string, rules: readonly object[]) => ({
  path: `${version}.json`,
  text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", resourcePolicy: { resource: "doc:x", version, rules } }),
});
const rule = (actions: readonly string[], role: string, expr?: string) => ({
  ...{ actions, roles: [role], effect: "EFFECT_ALLOW" },
  ...(expr === undefined ? {} : { condition: { match: { expr } } }),
});

const set = compiled([
  policy("default", [
    rule(["view"], "user", "R.attr.owner == P.id && P.attr.limits.docs > 1.0"),
    rule(["view", "edit"], "user", 'R.attr.state == "open" && now() > timestamp(R.attr["from"])'),
    rule(["list:*"], "user", "size(R.attr) > 1"),
  ]),
  policy("platform", [rule(["*"], "account", "P.attr.status == G.active")]),
]);

test("by layer, kind and operation", () => {
  const platform = ["G.active", "account.attr.status"];
  const open = ["now()", "resource.attr.from", "resource.attr.state"];
  const [every, ...rest] = readsOfOperations(set);
  expect(every).toMatchObject({ kind: "doc:x", operation: "*", platform });
  expect(rest).toEqual([
    { kind: "doc:x", operation: "edit", permission: open, platform },
    { kind: "doc:x", operation: "list:*", permission: ["resource.attr"], platform },
    {
      ...{ kind: "doc:x", operation: "view", platform },
      permission: ["key.attr.limits.docs", "key.id", ...open.slice(0, 2), "resource.attr.owner", open[2]],
    },
  ]);
});

test("as text", () => {
  expect(readsText(readsOfOperations(set))).toContain(
    "  edit\n    permission: now(), resource.attr.from, resource.attr.state\n    platform: G.active, account.attr.status\n",
  );
});

test("an attribute of a resource that is not listed changes no decision of the shipped policies", () => {
  const shipped = compiled(shippedFiles);
  const reads = readsOfOperations(shipped).filter(({ operation }) => !operation.includes("*"));
  const values = fc.constantFrom<unknown>(true, false, 0, 5, "suspended", "draft", "active", "a", ["a"], null);
  const names = ["accountId", "workspaceId", "environment", "system", "deleteProtection", "state", "keyCount", "apiId"];
  let left = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...reads),
      fc.record(Object.fromEntries(names.map((name) => [name, values])), { requiredKeys: [] }),
      fc.constantFrom(...names),
      values,
      ({ kind, operation, permission, platform }, attr, name, value) => {
        const listed = [...permission, ...platform];
        if (listed.includes("resource.attr") || listed.includes(`resource.attr.${name}`)) return;
        left++;
        const request = (given: object) => ({
          ...{ key: { id: "k", roles: ["editor"], attr: {} }, account: { id: "a", attr: {} }, operation },
          resource: { kind, id: "1", attr: { ...given } },
        });
        expect(decide(shipped, request({ ...attr, [name]: value }))).toEqual(decide(shipped, request(attr)));
      },
    ),
    { numRuns: sized(5_000) },
  );
  expect(left).toBeGreaterThan(50);
});
