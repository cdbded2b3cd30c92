/**
 * Changes of policy files that are valid, and were hardly meant: half a YAML file is a valid file without its last rules,
 * and where those are prohibitions, what was forbidden is allowed.
 */

import type { ReadFiles } from "../node/lock.js";
import type { PolicyIssue } from "../policy/issue.js";
import { LOCK_FILE } from "../policy/lock.js";
import type { PolicyFile } from "../policy/parse.js";

export interface DoubtsOptions {
  /** Whether somebody has said that the files are complete: by asking for them to be read, or by swapping directories. */
  readonly wholeByIntent: boolean;
}

/**
 * What is doubtful about files that are to take the place of others. Nothing is about files that their lock vouches for.
 * A lock that is gone and a file that has become the beginning of what it was are, unless somebody has said that the
 * files are complete; a file that is emptied always is: whoever wants a policy gone deletes its file.
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

/** Whether there is no document in a file, but perhaps a comment. */
function hasNothing(text: string): boolean {
  return text.split("\n").every((line) => /^\s*(?:#.*)?$/.test(line));
}

function cutIn({ path, text }: PolicyFile, was: string, wholeByIntent: boolean): readonly PolicyIssue[] {
  const is = text.trimEnd();
  const issue = { file: path, column: 1, severity: "error", code: "cut" } as const;
  if (hasNothing(is) && !hasNothing(was)) {
    return [{ ...issue, line: 1, message: "there is nothing in this file any more: delete it if that is meant" }];
  }
  if (wholeByIntent || is.length >= was.length || !was.startsWith(is)) return [];
  const line = is.split("\n").length;
  return [
    { ...issue, line, message: "this file ends in the middle of what it was: ask for a reload if that is meant" },
  ];
}

/**
 * The files that are gone, as problems: policies were taken away, and perhaps prohibitions among them. A file whose text is
 * another's now was renamed.
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
