/**
 * The installed command: a process of its own, run from the built package.
 *
 * @module-tag long
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { BIN, BUILT, ROOT } from "../support/built.js";
import { SHIPPED_ROOT } from "../support/policies.js";
import { ask } from "../support/requests.js";
import { withFiles } from "../support/terminal.js";

describe.skipIf(!BUILT)("keyward, built (skipped without dist/: npm run build)", () => {
  const keyward = (args: readonly string[], input = "") =>
    spawnSync(process.execPath, [BIN, ...args], { input, encoding: "utf8" });

  test("decides from standard input", () => {
    const input = `${JSON.stringify(ask("apis.getApi"))}\n${JSON.stringify(ask("apis.getApi", { roles: ["custom"] }))}\n`;
    const { status, stdout, stderr } = keyward(["decide", "--policies", SHIPPED_ROOT], input);
    expect([status, stderr]).toEqual([0, ""]);
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).outcome),
    ).toEqual(["allow", "insufficient_permissions"]);
  });

  test.each([
    ["fine", ["check", SHIPPED_ROOT], 0],
    ["bad usage", ["check"], 2],
    ["bad input", ["decide", "--policies", SHIPPED_ROOT], 2],
    ["no directory", ["check", "/nowhere"], 2],
    ["bad policies", ["check", `${SHIPPED_ROOT}_schemas`], 3],
  ])("its exit code: %s", (_, args, code) => {
    const { status, stderr, stdout } = keyward(args, "{");
    expect(status).toBe(code);
    expect(stdout + stderr).not.toMatch(/^\s+at /m);
  });

  test("is executable by itself, and says which version it is", () => {
    const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));
    expect(keyward(["--version"])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(`^${version}\n`),
      stderr: "",
    });
    const { status, stdout } = spawnSync(BIN, ["--help"], { encoding: "utf8" });
    expect([status, stdout.startsWith("usage:")]).toEqual([0, true]);
  });

  test("writes 20 MB of decisions to a slow reader, whole", async () => {
    const line = `${JSON.stringify(ask("apis.getApi"))}\n`;
    const count = 20_000;
    await withFiles({ "requests.jsonl": line.repeat(count) }, async (directory) => {
      const child = spawn(process.execPath, [
        BIN,
        "decide",
        "--policies",
        SHIPPED_ROOT,
        "--input",
        `${directory}/requests.jsonl`,
      ]);
      let lines = 0;
      for await (const chunk of child.stdout) {
        lines += String(chunk).split("\n").length - 1;
        if (lines % 1_000 < 10) await new Promise((resolve) => setTimeout(resolve, 1));
      }
      expect([await exit(child), lines]).toEqual([0, count]);
    });
  });

  test("says that its reader has gone away, and fails", async () => {
    const line = `${JSON.stringify(ask("apis.getApi"))}\n`;
    await withFiles({}, async (directory) => {
      writeFileSync(`${directory}/requests.jsonl`, line.repeat(20_000));
      const child = spawn(process.execPath, [
        BIN,
        "decide",
        "--policies",
        SHIPPED_ROOT,
        "--input",
        `${directory}/requests.jsonl`,
      ]);
      let err = "";
      child.stderr.on("data", (chunk) => {
        err += chunk;
      });
      child.stdout.once("data", () => child.stdout.destroy());
      expect(await exit(child)).toBe(1);
      expect(err).toBe("keyward: cannot write to standard output: write EPIPE\n");
    });
  });

  test.skipIf(!existsSync("/dev/full"))("says that a disk is full, and fails", () => {
    const full = openSync("/dev/full", "w");
    try {
      for (const args of [["--help"], ["check", `${SHIPPED_ROOT}_schemas`], ["review", SHIPPED_ROOT]]) {
        const { status, stderr } = spawnSync(process.execPath, [BIN, ...args], {
          stdio: ["ignore", full, "pipe"],
          encoding: "utf8",
        });
        expect([status, stderr]).toEqual([
          1,
          expect.stringMatching(/^keyward: cannot write to standard output: ENOSPC/),
        ]);
      }
      const silent = spawnSync(process.execPath, [BIN, "check"], { stdio: ["ignore", full, full] });
      expect(silent.status).toBe(1);
    } finally {
      closeSync(full);
    }
  });
});

function exit(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) resolve(child.exitCode);
    else child.once("close", resolve);
  });
}
