/**
 * The lock of a policy set: which files it has, and what is in each. Half a policy file may well be a policy file, and
 * one that is missing leaves a set that loads: a set with a lock is taken whole or not at all.
 *
 * Its text is what `sha256sum` prints for the files, in the order of their paths, so `sha256sum --check` can check it,
 * and its own hash is what `policySetHash` says.
 */

import type { IssueLog } from "./issue-log.js";
import { hasLoneReturn } from "./text/line-ends.js";
import { Source } from "./text/source.js";

/** The lock's path in the directory of the policies. */
export const LOCK_FILE = "keyward.lock";

/** A file and the SHA-256 of its bytes, in hexadecimal digits. */
export interface LockEntry {
  readonly path: string;
  readonly hash: string;
}

/** The text of a lock. */
export function lockText(entries: readonly LockEntry[]): string {
  const keyed = entries.map((entry) => ({ entry, bytes: encoder.encode(entry.path) }));
  const sorted = keyed.toSorted((a, b) => compareBytes(a.bytes, b.bytes));
  return sorted.map(({ entry }) => lineOf(entry)).join("");
}

/** Reports where a set is another than its lock says: files that differ, that are missing, and that are not in it. */
export function checkLock(lock: string, entries: readonly LockEntry[], log: IssueLog): void {
  const locked = readLock(lock, log);
  if (locked === undefined) return;
  const seen = new Set<string>();
  for (const { path, hash } of entries) {
    seen.add(path);
    const at = { file: path, line: 1, column: 1 };
    const expected = locked.get(path);
    if (expected === undefined) log.error("lock", at, `${LOCK_FILE} does not have this file`, HINT);
    else if (expected.hash !== hash) log.error("lock", at, `not the text that ${LOCK_FILE} has`, HINT);
  }
  for (const [path, { line }] of locked) {
    if (seen.has(path)) continue;
    log.error("lock", { file: LOCK_FILE, line, column: 1 }, `there is no file ${JSON.stringify(path)}`, HINT);
  }
}

/** What helps where a lock and its files disagree, and that is meant. */
const HINT = "`keyward lock` writes it for the files as they are";

interface Locked {
  readonly hash: string;
  readonly line: number;
}

/** What a lock says; undefined (with issues) if it is none. */
function readLock(text: string, log: IssueLog): ReadonlyMap<string, Locked> | undefined {
  if (hasLoneReturn(new Source(LOCK_FILE, text), log)) return undefined;
  const locked = new Map<string, Locked>();
  const lines = text.split("\n");
  // What follows the last line break: a lock that was cut has something there, as has one that ends in no line break.
  const rest = lines.pop() ?? "";
  const wrong = (line: number, message: string) => {
    log.error("lock", { file: LOCK_FILE, line, column: 1 }, message, HINT);
    return undefined;
  };
  for (const [i, line] of lines.entries()) {
    const entry = entryOf(line);
    if (entry === undefined) return wrong(i + 1, "not a line of a lock: 64 hexadecimal digits, two spaces, a path");
    if (locked.has(entry.path)) return wrong(i + 1, `${JSON.stringify(entry.path)} is here twice`);
    locked.set(entry.path, { hash: entry.hash, line: i + 1 });
  }
  return rest === "" ? locked : wrong(lines.length + 1, "the lock ends in the middle of a line");
}

function entryOf(line: string): LockEntry | undefined {
  const [, mark, hash, written] = /^(\\?)([0-9a-f]{64}) {2}(.+)$/s.exec(line) ?? [];
  if (hash === undefined || written === undefined) return undefined;
  if (mark === "") return { path: written, hash };
  const path = written.replaceAll(/\\([\\nr])/g, (_, letter: string) => UNESCAPED.get(letter) ?? "");
  return { path, hash };
}

const UNESCAPED: ReadonlyMap<string, string> = new Map([
  ["\\", "\\"],
  ["n", "\n"],
  ["r", "\r"],
]);

/** As `sha256sum` writes it: a path that would end the line is escaped, and the line marked. */
function lineOf({ path, hash }: LockEntry): string {
  const escaped = path.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  return `${escaped === path ? "" : "\\"}${hash}  ${escaped}\n`;
}

const encoder = new TextEncoder();

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
