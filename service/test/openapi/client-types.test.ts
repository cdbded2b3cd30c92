/**
 * `test/client/api.ts` is up to date with the OpenAPI document.
 *
 * @module-tag long
 */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { clientTypes } from "./client-types.js";

test("its types are current: npm run client-types -w service", async () => {
  const path = new URL("../client/api.ts", import.meta.url).pathname;
  const biome = new URL("../../../node_modules/@biomejs/biome/bin/biome", import.meta.url).pathname;
  const formatted = spawnSync(process.execPath, [biome, "format", `--stdin-file-path=${path}`], {
    input: await clientTypes(),
    encoding: "utf8",
  });
  expect(formatted.stderr).toBe("");
  expect(formatted.stdout).toBe(readFileSync(path, "utf8"));
});
