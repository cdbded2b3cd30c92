/** Roles that include others through role policies. */

import { expect, test } from "vitest";
import { includedRoles } from "../../../src/engine/plan/included-roles.js";
import { NO_DEFINITIONS, type RolePolicy } from "../../../src/policy/model.js";

interface Parents {
  readonly role: string;
  readonly parents: readonly string[];
  readonly version?: string;
  readonly scope?: string;
}

function policy({ role, parents, version = "", scope = "" }: Parents): RolePolicy {
  const at = { file: "roles.yaml", line: 1, column: 1 };
  return {
    kind: "role",
    role,
    parentRoles: parents,
    version,
    scope,
    key: `role.${role}.v${version}/${scope}`,
    definitions: NO_DEFINITIONS,
    rules: [],
    annotations: new Map(),
    at,
    versionAt: at,
  };
}

function included(policies: readonly Parents[], version = "default", scope = "") {
  const included = includedRoles(policies.map(policy))(version, scope);
  return Object.fromEntries([...included.keys()].map((role) => [role, included.get(role)]));
}

test("all that a role includes, the nearest first, those equally near by name", () => {
  const policies = [
    { role: "top", parents: ["z", "a"] },
    { role: "z", parents: ["deep"] },
    { role: "a", parents: ["deepest", "b"] },
    { role: "deep", parents: ["bottom"] },
  ];
  const expected = {
    top: ["a", "z", "b", "deep", "deepest", "bottom"],
    z: ["deep", "bottom"],
    a: ["b", "deepest"],
    deep: ["bottom"],
  };
  expect(included(policies)).toEqual(expected);
  const reversed = policies.map(({ role, parents }) => ({ role, parents: [...parents].reverse() })).reverse();
  expect(included(reversed)).toEqual(expected);
});

test("a circle ends, and no role includes itself", () => {
  const circle = [
    { role: "a", parents: ["b"] },
    { role: "b", parents: ["c"] },
    { role: "c", parents: ["a"] },
    { role: "self", parents: ["self"] },
  ];
  expect(included(circle)).toEqual({ a: ["b", "c"], b: ["c", "a"], c: ["a", "b"], self: [] });
});

test("scopes are apart: nothing is included from above", () => {
  const policies = [
    { role: "a", parents: ["root"] },
    { role: "a", parents: ["inner"], scope: "acme" },
  ];
  expect(included(policies)).toEqual({ a: ["root"] });
  expect(included(policies, "default", "acme")).toEqual({ a: ["inner"] });
  expect(included(policies, "default", "acme.eu")).toEqual({});
  expect(included([])).toEqual({});
});

test("a policy of the version comes first; those of others count where there is none", () => {
  const policies = [
    { role: "a", parents: ["mine"], version: "default" },
    { role: "a", parents: ["theirs"], version: "other" },
    { role: "b", parents: ["x"], version: "other" },
    { role: "b", parents: ["y"], version: "third" },
  ];
  expect(included(policies, "default")).toEqual({ a: ["mine"], b: ["x", "y"] });
  expect(included(policies, "other")).toEqual({ a: ["theirs"], b: ["x"] });
  expect(included(policies, "unheard of")).toEqual({ a: ["mine", "theirs"], b: ["x", "y"] });
});

test("a role that includes 20,000", () => {
  const policies = [{ role: "r0", parents: Array.from({ length: 20_000 }, (_, i) => `p${i}`) }];
  expect(included(policies).r0).toHaveLength(20_000);
});

test("what a role includes is found out once, and so is what roles include in a place", () => {
  const index = includedRoles(
    [
      { role: "a", parents: ["b"] },
      { role: "a", parents: ["c"], scope: "acme" },
    ].map(policy),
  );
  const roles = index("default", "");
  expect(roles.get("a")).toBe(roles.get("a"));
  // Versions and scopes without a role policy share one result.
  expect(index("other", "")).toBe(roles);
  expect(index("", "acme")).not.toBe(roles);
  expect(index("default", "x")).toBe(index("default", "y"));
  expect([...index("default", "x").keys()]).toEqual([]);
});
