/** A small file system for tests of full disks. */

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface SmallDisk {
  readonly path: string;
  /** Fills the file system. */
  fill(): void;
  /** Frees the space again. */
  empty(): void;
  remove(): void;
}

/** Mounts a file system of `bytes` at `path`. Returns a message if mounting is impossible. */
export function smallDisk(path: string, bytes: number): SmallDisk | string {
  mkdirSync(path, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", path], { stdio: "pipe" });
  } catch {
    return "a file system cannot be mounted here";
  }
  const ballast = join(path, "ballast");
  return {
    path,
    fill: () => {
      try {
        writeFileSync(ballast, Buffer.alloc(2 * bytes));
      } catch {
        // The write fails when the file system is full.
      }
    },
    empty: () => rmSync(ballast, { force: true }),
    remove: () => {
      execFileSync("umount", ["-l", path], { stdio: "pipe" });
    },
  };
}
