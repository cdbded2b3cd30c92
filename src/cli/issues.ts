/** Policy issues and findings as a terminal shows them. */

import { isAbsolute, join } from "node:path";
import { printable } from "../policy/escape.js";
import { type Position, positionText } from "../policy/issue.js";

/** What is shown of an issue of policies, or of a finding in them. */
export interface Shown extends Position {
  readonly severity: "error" | "warning" | "note";
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/**
 * `file:line:column severity code message (hint)`. With the directory that the file is in, its path is one that can be
 * opened from where the command was run.
 */
export function issueLine(issue: Shown, directory?: string): string {
  const { severity, code, message, hint } = issue;
  const file = directory === undefined ? issue.file : fileIn(directory, issue.file);
  const place = positionText({ ...issue, file });
  return printable(`${place} ${severity} ${code} ${message}${hint === undefined ? "" : ` (${hint})`}`);
}

/** The path of a file of a policy set in `directory`. What is wrong with the directory itself names it, or no file. */
export function fileIn(directory: string, file: string): string {
  if (file === "" || file === "." || file === directory) return directory;
  return isAbsolute(file) ? file : join(directory, file);
}
