/** Loads policies from a directory. */

import { isLeft, isRight } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { decide } from "../../src/index.js";
import { loadPolicies, readPolicyDirectory, shippedPolicies } from "../../src/node/index.js";
import { policy, supportAll } from "../support/compose.js";
import { SHIPPED_ROOT, shipped, shippedFiles } from "../support/policies.js";
import { ask, KINDS } from "../support/requests.js";
import { withFiles } from "../support/terminal.js";

describe("the shipped policies", () => {
  test("are where shippedPolicies says", () => {
    expect(`${shippedPolicies}/`).toBe(SHIPPED_ROOT);
  });

  test("are read with their schemas, and nothing else", async () => {
    const read = await readPolicyDirectory(shippedPolicies)();
    expect(isRight(read) && read.right).toEqual(shippedFiles);
  });

  test("decide as their texts do", async () => {
    const loaded = await loadPolicies(shippedPolicies)();
    if (isLeft(loaded)) throw new Error("not loaded");
    expect(loaded.right.warnings).toEqual([]);
    for (const operation of Object.keys(KINDS)) {
      for (const roles of [["admin"], ["custom"]]) {
        const request = ask(operation, { roles });
        expect(decide(loaded.right, request)).toEqual(decide(shipped, request));
      }
    }
  });
});

test("a directory is compiled as its files are: what is missing is an issue", async () => {
  const text = policy({ rules: ["name: a, actions: [read], roles: [user], effect: EFFECT_ALLOW"] });
  await withFiles({ "a.yaml": text }, async (directory) => {
    const loaded = await loadPolicies(directory)();
    expect(isLeft(loaded) && loaded.left.map(({ code }) => code)).toEqual(["no_platform_policies"]);
  });
});

test("the names of the layers are passed on", async () => {
  const files = Object.fromEntries(supportAll("doc").map(({ path, text }) => [path, text]));
  const text = policy({ version: "v1", rules: ["name: a, actions: [read], roles: [user], effect: EFFECT_ALLOW"] });
  await withFiles({ ...files, "a.yaml": text }, async (directory) => {
    expect(isLeft(await loadPolicies(directory)())).toBe(true);
    expect(isRight(await loadPolicies(directory, { permissionVersion: "v1" })())).toBe(true);
  });
});

test("a directory that is missing is an issue, not an exception", async () => {
  const loaded = await loadPolicies("/nowhere/policies")();
  expect(isLeft(loaded) && loaded.left).toEqual([
    expect.objectContaining({ code: "io", file: "/nowhere/policies", line: 1, column: 1 }),
  ]);
});
