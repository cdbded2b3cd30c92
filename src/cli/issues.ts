/** Policy issues and findings as a terminal shows them. */

import { isAbsolute, join } from "node:path";
import { issueLine as lineOf, type Shown } from "../policy/issue-line.js";

export type { Shown } from "../policy/issue-line.js";

/**
 * An issue in a line. With the directory that the file is in, its path is one that can be opened from where the command
 * was run.
 */
export function issueLine(issue: Shown, directory?: string): string {
  return lineOf(issue, directory === undefined ? issue.file : fileIn(directory, issue.file));
}

/** The path of a file of a policy set in `directory`. What is wrong with the directory itself names it, or no file. */
export function fileIn(directory: string, file: string): string {
  if (file === "" || file === "." || file === directory) return directory;
  return isAbsolute(file) ? file : join(directory, file);
}
