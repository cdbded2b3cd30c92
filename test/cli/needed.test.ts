/**
 * The message of a command when an optional package is missing; `scripts/check-package.mjs` tests it on an installed
 * package.
 */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { UsageError } from "../../src/cli/exit.js";
import { loadOptionalPackages } from "../../src/cli/optional-packages.js";
import { ROOT } from "../support/built.js";

const rejected = (error: unknown) =>
  loadOptionalPackages("a@1.0.0 b@2.0.0", () => Promise.reject(error)).catch((thrown) => thrown);

test("a missing package is bad usage, with the command that installs it", async () => {
  const thrown = await rejected(Object.assign(new Error("Cannot find package 'a'"), { code: "ERR_MODULE_NOT_FOUND" }));
  expect(thrown).toBeInstanceOf(UsageError);
  expect(thrown.message).toMatch(/: npm install --save-dev a@1\.0\.0 b@2\.0\.0$/);
});

test("any other failure stays what it is", async () => {
  const other = new Error("broken");
  expect(await rejected(other)).toBe(other);
  expect(await rejected("no error")).toBe("no error");
  expect(await loadOptionalPackages("a", () => Promise.resolve(1))).toBe(1);
});

test("the versions that commands and documents name are those of the tests", () => {
  const { devDependencies } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));
  for (const path of [
    "src/cli/run.ts",
    "src/cli/test/command.ts",
    "docs/embedding.md",
    "docs/from-cerbos.md",
    "docs/testing.md",
  ]) {
    const named = [
      ...readFileSync(ROOT + path, "utf8").matchAll(/(@cerbos\/api|@bufbuild\/protobuf|chokidar)@([\d.]+\d)/g),
    ];
    expect(named.length, path).toBeGreaterThan(0);
    for (const [, name = "", version] of named)
      expect([path, name, version]).toEqual([path, name, devDependencies[name]]);
  }
});
