/** Paths from the command line. */

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { UsageError } from "./exit.js";

/** The path as it was given, or resolved from `cwd` if that is set. */
export function pathFrom(cwd: string | undefined, path: string): string {
  return cwd === undefined ? path : resolve(cwd, path);
}

/**
 * Checks that a directory exists, and returns its path. Throws a {@link UsageError} if it does not: a mistake on the
 * command line, not a fault of policies. The loader reports other read errors.
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
