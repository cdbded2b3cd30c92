/**
 * Changes of policy files that are valid, and were hardly meant: half a YAML file is a valid file without its last rules,
 * and where those are prohibitions, what was forbidden is allowed.
 */

import type { PolicyFile } from "keyward";

export interface DoubtsOptions {
  /** Whether somebody has said that the files are complete: by asking for them to be read, or by swapping directories. */
  readonly wholeByIntent: boolean;
}

/**
 * What is doubtful about files that are to take the place of others, a line for each. A file that is emptied always is:
 * whoever wants a policy gone deletes its file. One that has become the beginning of what it was is so unless somebody
 * has said that it is complete.
 */
export function doubtsAbout(
  before: readonly PolicyFile[],
  after: readonly PolicyFile[],
  { wholeByIntent }: DoubtsOptions,
): readonly string[] {
  const old = new Map(before.map(({ path, text }) => [path, text.trimEnd()]));
  return after.flatMap(({ path, text }) => {
    const was = old.get(path) ?? "";
    const is = text.trimEnd();
    if (is.length >= was.length || !was.startsWith(is)) return [];
    if (is === "") return [`${path}:1:1 emptied there is nothing in this file any more: delete it if that is meant`];
    if (wholeByIntent) return [];
    const line = is.split("\n").length;
    return [`${path}:${line}:1 cut this file ends in the middle of what it was: reload by SIGHUP if that is meant`];
  });
}
