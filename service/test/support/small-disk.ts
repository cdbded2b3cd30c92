/** A file system of a few kilobytes. */

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface SmallDisk {
  readonly path: string;
  /** Leaves no room on it. */
  fill(): void;
  /** Makes room again. */
  empty(): void;
  remove(): void;
}

/** Mounts one at `path`; or says why it cannot be. */
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
        // It is written until there is no room.
      }
    },
    empty: () => rmSync(ballast, { force: true }),
    remove: () => {
      execFileSync("umount", ["-l", path], { stdio: "pipe" });
    },
  };
}
