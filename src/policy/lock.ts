/**
 * The lock of a policy set: the list of its files with their hashes. Half a policy file can be a valid policy file, and a
 * set with a missing file can still load. A set with a lock loads completely or not at all.
 *
 * Its text is the output of `sha256sum` for the files, in the order of their paths. So `sha256sum --check` can check it,
 * and `policySetHash` is the hash of this text.
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

export function lockText(entries: readonly LockEntry[]): string {
  const keyed = entries.map((entry) => ({ entry, bytes: encoder.encode(entry.path) }));
  const sorted = keyed.toSorted((a, b) => compareBytes(a.bytes, b.bytes));
  return sorted.map(({ entry }) => lineOf(entry)).join("");
}

/** Reports files that differ from the lock, that are missing, and that the lock does not list. */
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

/** The hint for a lock that disagrees with its files because the files were changed on purpose. */
const HINT = "`keyward lock` writes it anew for the present files";

interface Locked {
  readonly hash: string;
  readonly line: number;
}

/** The files that a lock lists; undefined (with issues) if it is malformed. */
function readLock(text: string, log: IssueLog): ReadonlyMap<string, Locked> | undefined {
  if (hasLoneReturn(new Source(LOCK_FILE, text), log)) return undefined;
  const locked = new Map<string, Locked>();
  const lines = text.split("\n");
  // The text after the last line break. It must be empty: a lock that was cut off has text here.
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

/** A line in the form of `sha256sum`: line breaks in a path are escaped, and the line is marked by a backslash. */
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
