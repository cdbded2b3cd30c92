/** Reads and writes lock files of policy sets: see `src/policy/lock.ts`. */

import { createHash } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MAX_FILE_SIZE, MAX_LOCK_SIZE } from "../limits.js";
import type { IssueLog } from "../policy/issue-log.js";
import { checkLock, LOCK_FILE, type LockEntry, lockText } from "../policy/lock.js";
import type { PolicyFile } from "../policy/parse.js";
import type { LockOptions } from "./read-options.js";

/** Files as read, and whether they match a lock. */
export interface ReadFiles {
  readonly files: readonly PolicyFile[];
  readonly locked: boolean;
}

/** The largest allowed size of a file, in bytes. */
export function maxSizeOf(path: string): number {
  return path === LOCK_FILE ? MAX_LOCK_SIZE : MAX_FILE_SIZE;
}

/** The policies and schemas among `read`, without the lock. Reports every difference from the lock. */
export function withoutLock(read: readonly PolicyFile[], { lock: wanted }: LockOptions, log: IssueLog): ReadFiles {
  const files = read.filter(({ path }) => path !== LOCK_FILE);
  if (wanted === "ignored") return { files, locked: false };
  const lock = read.find(({ path }) => path === LOCK_FILE);
  if (lock !== undefined) checkLock(lock.text, files.map(entryOf), log);
  else if (wanted === "required") {
    const hint = "`keyward lock` writes one";
    log.error("lock", { file: LOCK_FILE, line: 1, column: 1 }, "the set has no lock, and must have one", hint);
  }
  return { files, locked: lock !== undefined };
}

/** The text of the lock of `files`. */
export function lockOf(files: readonly PolicyFile[]): string {
  return lockText(files.map(entryOf));
}

/** Writes the lock of `files` into their directory atomically. Rejects with the system's error. */
export async function writeLock(directory: string, files: readonly PolicyFile[]): Promise<void> {
  const path = join(directory, LOCK_FILE);
  const unfinished = join(directory, `.${LOCK_FILE}.${process.pid}`);
  try {
    await writeFile(unfinished, lockOf(files), { flag: "wx" });
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

function entryOf({ path, text }: PolicyFile): LockEntry {
  return { path, hash: createHash("sha256").update(text, "utf8").digest("hex") };
}
