/** The paths that commands are given. */

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { UsageError } from "./exit.js";

/** A path as it was given; where relative paths are looked up from another directory than the process's, what it leads to. */
export function pathFrom(cwd: string | undefined, path: string): string {
  return cwd === undefined ? path : resolve(cwd, path);
}

/**
 * The path of a directory. Throws a {@link UsageError} where there is none: that is a slip at the terminal, and says
 * nothing of policies. What else keeps it from being read is for the loader to say.
 */
export async function existingDirectory(path: string): Promise<string> {
  try {
    if (!(await stat(path)).isDirectory()) throw new UsageError(`${path} is not a directory`);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") throw new UsageError(`there is no directory ${path}`);
  }
  return path;
}
