/**
 * Seeded mistakes of policies: the loader refuses each, `check` reports it, or a suite of the shipped policies fails. A
 * lost tenant check is among them.
 *
 * @module-tag long
 */

import * as E from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { findingsOf } from "../../src/audit/index.js";
import { compilePolicies, type PolicyFile, type PolicySet } from "../../src/index.js";
import { SuiteChecks } from "../../src/mutate/checks.js";
import { readSuiteDirectory } from "../../src/testing/suites.js";
import { changed, SEEDS } from "../audit/seeds.js";
import { SHIPPED_ROOT, shipped } from "../support/policies.js";

const read = await readSuiteDirectory(SHIPPED_ROOT)();
if (E.isLeft(read)) throw new Error("the suites cannot be read");
const suites = SuiteChecks.read(read.right, shipped, {});
if (E.isLeft(suites)) throw new Error("the suites have faults");

type Tool = "compiler" | "check" | "test";

const known = new Set(reported(shipped));

function reported(set: PolicySet): readonly string[] {
  return findingsOf(set)
    .filter(({ severity }) => severity !== "note")
    .map(({ code, message }) => `${code} ${message}`);
}

/** The tools that find the mistake. */
function tools(files: readonly PolicyFile[]): readonly Tool[] {
  const set = compilePolicies(files, { codegen: false });
  if (E.isLeft(set)) return ["compiler"];
  const isReported = reported(set.right).some((one) => !known.has(one));
  const fails = E.isRight(suites) && suites.right.failing({ set: set.right, files }) !== undefined;
  return [...(isReported ? (["check"] as const) : []), ...(fails ? (["test"] as const) : [])];
}

const TENANT_CHECKS: readonly (readonly [name: string, path: string, from: string, to: string])[] = [
  [
    "the reach, where a permission deletes an API",
    "permissions/api.yaml",
    'V.in_reach && hasIntersection(P.attr.permissions, ["api.*.delete_api"',
    'hasIntersection(P.attr.permissions, ["api.*.delete_api"',
  ],
  ["the account, in the reach", "permissions/reach.yaml", "in_reach: V.same_account && ", "in_reach: "],
  [
    "the account, in the reach of a workspace",
    "permissions/workspace.yaml",
    "workspace_in_reach: V.same_account && ",
    "workspace_in_reach: ",
  ],
  [
    "the workspace, in the reach",
    "permissions/reach.yaml",
    "V.same_environment && V.in_workspace",
    "V.same_environment",
  ],
  ["the reach, where a key revokes itself", "permissions/key.yaml", "V.in_reach && R.id == P.id", "R.id == P.id"],
  ["the owner, in the platform layer", "platform/account.yaml", "R.attr.accountId == P.id && ", ""],
  [
    "the account compared with itself",
    "permissions/reach.yaml",
    "R.attr.accountId == P.attr.accountId",
    "R.attr.accountId == R.attr.accountId",
  ],
];

test("there are 32 mistakes or more", () => {
  expect(SEEDS.length + TENANT_CHECKS.length).toBeGreaterThanOrEqual(32);
});

describe("a seeded mistake", () => {
  test.each(SEEDS.map((one) => [one.name, one] as const))("%s", (_, { path, from, to }) => {
    expect(tools(changed(path, from, to))).not.toEqual([]);
  });
});

describe("a tenant check that is lost: a test fails", () => {
  test.each(TENANT_CHECKS)("%s", (_, path, from, to) => {
    expect(tools(changed(path, from, to))).toContain("test");
  });
});

describe("a name that is wrong: the loader or check, without a test", () => {
  test.each<[path: string, from: string, to: string, tool: Tool]>([
    ["permissions/reach.yaml", "P.attr.accountId", "P.attr.acountId", "check"],
    ["platform/account.yaml", "P.attr.holds", "P.attr.hold", "check"],
    ["platform/api.yaml", "R.attr.deleteProtection", "R.attr.deletionProtection", "check"],
    ["platform/api.yaml", "version: platform", "version: plattform", "compiler"],
    ["permissions/api.yaml", "V.in_reach", "V.in_raech", "compiler"],
    ["permissions/api.yaml", "effect: EFFECT_ALLOW", "effect: ALLOW", "compiler"],
    ["permissions/api.yaml", "      - reach", "      - raech", "compiler"],
    ["permissions/key.yaml", "- editor", "- edtior", "check"],
  ])("%s: %s becomes %s", (path, from, to, tool) => {
    expect(tools(changed(path, from, to))).toContain(tool);
  });
});
