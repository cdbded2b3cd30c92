/** An option with a value that it may not have is refused, in place of being read as another one. */

import { describe, expect, test } from "vitest";
import { compileCheckEngine } from "../../src/cerbos/index.js";
import { type CompileOptions, compilePolicies } from "../../src/index.js";
import { loadPolicies, readPolicyDirectory } from "../../src/node/index.js";
import { policy, supportAll } from "../support/compose.js";

const rules = ["name: r, actions: [read], roles: [user], effect: EFFECT_ALLOW"];
const FILES = [{ path: "a.yaml", text: policy({ rules }) }, ...supportAll("doc")];
const POLICIES = "policies";

/** Options as a program in JavaScript can write them. */
const untyped = (options: object) => JSON.parse(JSON.stringify(options));

describe.each([
  ["compilePolicies", (options: object) => compilePolicies(FILES, untyped(options))],
  ["loadPolicies", (options: object) => loadPolicies(POLICIES, untyped(options))()],
])("%s", (_, load) => {
  test.each([
    [{ schemaEnforcement: "rejct" }, 'schemaEnforcement must be "none" or "warn" or "reject", or absent'],
    [{ schemaEnforcement: "REJECT" }, "schemaEnforcement must be"],
    [{ schemaEnforcement: true }, "schemaEnforcement must be"],
    [{ schemaEnforcement: null }, "schemaEnforcement must be"],
    [{ typedReads: "false" }, "typedReads must be true or false, or absent"],
    [{ lenientScopeSearch: "no" }, "lenientScopeSearch must be"],
    [{ codegen: 0 }, "codegen must be"],
    [{ cerbos: "9" }, 'cerbos must be "0.55" or "0.58", or absent'],
    [{ cerbos: 0.55 }, "cerbos must be"],
    [{ globals: [1] }, "globals must be an object, or absent"],
    [{ globals: "x" }, "globals must be"],
    [{ permissionVersion: 1 }, "permissionVersion must be a text"],
    [{ platformVersion: ["platform"] }, "platformVersion must be a text"],
    [{ otherVersions: "staging" }, "otherVersions must be a list of texts"],
    [{ otherVersions: [1] }, "otherVersions must be a list of texts"],
  ])("%j", async (options, message) => {
    await expect(async () => await load(options)).rejects.toThrow(message);
    await expect(async () => await load(options)).rejects.toThrow(TypeError);
  });
});

test.each([
  [{ lock: "require" }, 'lock must be "required" or "ignored", or absent'],
  [{ lock: true }, "lock must be"],
  [{ followLinks: "false" }, "followLinks must be true or false"],
])("reading a directory: %j", (options, message) => {
  expect(() => readPolicyDirectory(POLICIES, untyped(options))).toThrow(message);
  expect(() => loadPolicies(POLICIES, untyped(options))).toThrow(TypeError);
});

test.each([
  [{ schemaEnforcement: "on" }, "schemaEnforcement must be"],
  [{ failClosed: "false" }, "failClosed must be true or false"],
  [{ strictEvaluation: 1 }, "strictEvaluation must be"],
  [{ defaultScope: null }, "defaultScope must be a text"],
])("an engine of checks: %j", (options, message) => {
  expect(() => compileCheckEngine(FILES, untyped(options))).toThrow(message);
});

test("absent options, and those that are undefined, are none", () => {
  const names = ["schemaEnforcement", "typedReads", "globals", "cerbos", "otherVersions"];
  const options: CompileOptions = Object.fromEntries(names.map((name) => [name, undefined]));
  for (const given of [{}, options]) expect(compilePolicies(FILES, given)).toMatchObject({ _tag: "Right" });
});
