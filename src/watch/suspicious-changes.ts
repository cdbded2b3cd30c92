/**
 * Finds valid changes of policy files that were probably not intended. Half a YAML file can be valid and lack its last
 * rules. If those rules were prohibitions, forbidden requests are now allowed.
 */

import type { ReadFiles } from "../node/lock.js";
import type { PolicyIssue } from "../policy/issue.js";
import { LOCK_FILE } from "../policy/lock.js";
import type { PolicyFile } from "../policy/parse.js";

export interface DoubtsOptions {
  /** Whether the files are known to be complete: a person asked for a reload, or the directory was swapped as a whole. */
  readonly wholeByIntent: boolean;
}

/**
 * The doubts about new files that are to replace the files in force. Files that match their lock raise none. Otherwise:
 *
 * - an emptied file is always a doubt, because a policy is removed by deleting its file;
 * - unless `wholeByIntent`, a missing lock is a doubt if the files in force have one;
 * - unless `wholeByIntent`, a file that is now a prefix of its former text is a doubt.
 */
export function doubtsAbout(
  before: ReadFiles,
  after: ReadFiles,
  { wholeByIntent }: DoubtsOptions,
): readonly PolicyIssue[] {
  if (after.locked) return [];
  const old = new Map(before.files.map(({ path, text }) => [path, text.trimEnd()]));
  const cut = after.files.flatMap((file) => cutIn(file, old.get(file.path) ?? "", wholeByIntent));
  return before.locked && !wholeByIntent ? [UNLOCKED, ...cut] : cut;
}

const UNLOCKED: PolicyIssue = {
  file: LOCK_FILE,
  line: 1,
  column: 1,
  severity: "error",
  code: "lock",
  message: "the set in force has a lock, and these files have none",
};

/** Whether a file has only blank lines and comments. */
function hasNothing(text: string): boolean {
  return text.split("\n").every((line) => /^\s*(?:#.*)?$/.test(line));
}

function cutIn({ path, text }: PolicyFile, was: string, wholeByIntent: boolean): readonly PolicyIssue[] {
  const is = text.trimEnd();
  const issue = { file: path, column: 1, severity: "error", code: "cut" } as const;
  if (hasNothing(is) && !hasNothing(was)) {
    return [{ ...issue, line: 1, message: "this file is empty now: delete it if that is intended" }];
  }
  if (wholeByIntent || is.length >= was.length || !was.startsWith(is)) return [];
  const line = is.split("\n").length;
  return [
    {
      ...issue,
      line,
      message: "this file was cut, its beginning is that of the former text: ask for a reload if that is intended",
    },
  ];
}

/**
 * Reports the files that are gone: prohibitions may have gone with them. A file whose text now has another path was
 * renamed and is not reported.
 */
export function removedIn(before: ReadFiles, after: ReadFiles): readonly PolicyIssue[] {
  if (after.locked) return [];
  const paths = new Set(after.files.map(({ path }) => path));
  const texts = new Set(after.files.map(({ text }) => text));
  return before.files
    .filter(({ path, text }) => !paths.has(path) && !texts.has(text))
    .map(({ path }) => ({
      file: path,
      line: 1,
      column: 1,
      severity: "error",
      code: "removed",
      message: "this file is gone: ask for a reload if that is meant",
    }));
}
