/** Formats policy issues and findings for a terminal. */

import { isAbsolute, join } from "node:path";
import { issueLine as lineOf, type ShownIssue } from "../policy/issue-line.js";

export type { ShownIssue as Shown } from "../policy/issue-line.js";

/**
 * An issue in one line. If the directory of its file is given, the path can be opened from the working directory of the
 * command.
 */
export function issueLine(issue: ShownIssue, directory?: string): string {
  return lineOf(issue, directory === undefined ? issue.file : fileIn(directory, issue.file));
}

/** The path of a file of a policy set in `directory`. Issues of the directory itself name the directory, or no file. */
export function fileIn(directory: string, file: string): string {
  if (file === "" || file === "." || file === directory) return directory;
  return isAbsolute(file) ? file : join(directory, file);
}
