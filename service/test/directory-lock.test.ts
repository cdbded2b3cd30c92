/**
 * Only one process at a time owns a data directory, even if process ids coincide.
 *
 * @module-tag long
 */

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { lockDirectory } from "../src/store/directory-lock.js";
import { skipped } from "./support/databases.js";
import { NOT_BUILT, run } from "./support/process.js";

const home = mkdtempSync(join(tmpdir(), "keyward-lock-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
let directories = 0;
const newDirectory = () => join(home, `data-${directories++}`);
const lockOf = (directory: string) => join(directory, "process.lock");

test("whoever comes second is refused, by whatever path, also in this process; and not once it is released", async () => {
  const directory = newDirectory();
  const release = await lockDirectory(directory);
  const link = newDirectory();
  symlinkSync(directory, link);
  for (const path of [`${directory}/`, link]) {
    await expect(lockDirectory(path)).rejects.toThrow(/is in use by another process/);
  }
  await release();
  expect(existsSync(lockOf(directory))).toBe(false);
  await (await lockDirectory(directory))();
});

/** Starts a process that takes the lock, and waits until it says so. */
async function holder(directory: string) {
  mkdirSync(directory);
  const script = `require("node:net").createServer((s) => s.end("other")).listen(${JSON.stringify(lockOf(directory))}, () => console.log("has it"))`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const kill = async () => {
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGKILL");
    await ended;
  };
  return { child, kill };
}

test("a process that is stopped keeps it, one that is killed does not", async () => {
  const directory = newDirectory();
  const other = await holder(directory);
  other.child.kill("SIGSTOP");
  await expect(lockDirectory(directory)).rejects.toThrow(/is in use/);
  await other.kill();
  expect(existsSync(lockOf(directory))).toBe(true);
  await (await lockDirectory(directory))();
});

test("of many that find a dead lock at once, one gets it at most", async () => {
  for (let round = 0; round < 5; round++) {
    const directory = newDirectory();
    await (await holder(directory)).kill();
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => lockDirectory(directory)));
    const releases = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(releases.length).toBeLessThanOrEqual(1);
    await Promise.all(releases.map((release) => release()));
    rmSync(lockOf(directory), { force: true });
  }
});

test.each([
  ["a process that runs", () => String(process.pid)],
  ["nobody", () => ""],
])("a file that names %s is no lock", async (_, text) => {
  const directory = newDirectory();
  mkdirSync(directory);
  writeFileSync(lockOf(directory), text());
  await (await lockDirectory(directory))();
});

describe.skipIf(NOT_BUILT !== undefined || !canUnshare())("containers", () => {
  test(`two programs that are process 1, each of its own, on one directory${skipped(NOT_BUILT)}`, async () => {
    const directory = newDirectory();
    const release = await lockDirectory(directory);
    // In its own namespaces the program is process 1, sees no other process, and has the directory mounted elsewhere.
    const mounted = newDirectory();
    mkdirSync(mounted);
    const inContainer = ["unshare", "--fork", "--pid", "--mount-proc", "--mount", "sh", "-c"];
    const script = 'mount --bind "$0" "$1" && shift && exec "$@"';
    const wrapped = await run(["create-account"], { DATA_DIR: mounted }, [...inContainer, script, directory, mounted]);
    expect([wrapped.code, wrapped.stdout]).toEqual([1, ""]);
    expect(wrapped.stderr).toContain("is in use by another process");
    await release();
  });
});

function canUnshare(): boolean {
  return process.platform === "linux" && process.getuid?.() === 0 && existsSync("/usr/bin/unshare");
}
