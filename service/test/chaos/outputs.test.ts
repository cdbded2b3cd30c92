/**
 * Readers of the decision log that stall or go away, and full disks, on both stores.
 *
 * @module-tag long
 */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, test } from "vitest";
import { NO_POSTGRES, newDatabase, skipped } from "../support/databases.js";
import { NOT_BUILT } from "../support/process.js";
import { smallDisk } from "../support/small-disk.js";
import { endure } from "./stage.js";

const home = mkdtempSync(join(tmpdir(), "keyward-chaos-"));
const disk = smallDisk(join(home, "disk"), 150_000_000);
const noDisk = typeof disk === "string" ? disk : undefined;
afterAll(() => {
  if (typeof disk !== "string") disk.remove();
  rmSync(home, { recursive: true, force: true });
});

let directories = 0;
const stores = [
  ["a data directory", NOT_BUILT, async () => ({ DATA_DIR: join(home, `data-${directories++}`) })],
  ["PostgreSQL", NOT_BUILT ?? NO_POSTGRES, async () => ({ DATABASE_URL: await newDatabase() })],
] as const;

describe.each(stores)("on %s", (_, missing, environmentOf) => {
  test.skipIf(missing !== undefined)(
    `nobody reads standard output and standard error for a while${skipped(missing)}`,
    async () => {
      await endure(await environmentOf(), {
        begin: (services) => {
          for (const { child } of services) for (const stream of [child.stdout, child.stderr]) stream?.pause();
        },
        end: (services) => {
          for (const { child } of services) for (const stream of [child.stdout, child.stderr]) stream?.resume();
        },
      });
    },
  );

  test.skipIf(missing !== undefined)(`the reader of a pipe goes, and another comes${skipped(missing)}`, async () => {
    const pipe = join(home, `pipe-${directories++}`);
    execFileSync("mkfifo", [pipe]);
    const read = () => spawn("cat", [pipe], { stdio: "ignore" });
    let reader: ChildProcess = read();
    try {
      await endure(
        { ...(await environmentOf()), DECISION_LOG: pipe },
        {
          begin: () => reader.kill("SIGKILL"),
          end: () => {
            reader = read();
          },
        },
      );
    } finally {
      reader.kill("SIGKILL");
    }
  });

  test.skipIf((missing ?? noDisk) !== undefined)(
    `the disk of the decision log is full${skipped(missing ?? noDisk)}`,
    async () => {
      if (typeof disk === "string") return;
      await endure(
        { ...(await environmentOf()), DECISION_LOG: join(disk.path, "decisions") },
        { begin: () => disk.fill(), end: () => disk.empty() },
      );
    },
  );
});

const noDirectory = NOT_BUILT ?? noDisk;
test.skipIf(noDirectory !== undefined)(`the disk of a data directory is full${skipped(noDirectory)}`, async () => {
  if (typeof disk === "string") return;
  await endure({ DATA_DIR: join(disk.path, "data") }, { begin: () => disk.fill(), end: () => disk.empty() });
});
