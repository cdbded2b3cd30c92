/** Formats issues and findings of policies as a line of text. */

import { printable } from "./escape.js";
import { type Position, positionText } from "./issue.js";

/** The shown fields of an issue or a finding of policies. */
export interface Shown extends Position {
  readonly severity: "error" | "warning" | "note";
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** `file:line:column severity code message (hint)`. `file` replaces the issue's own file. */
export function issueLine(issue: Shown, file = issue.file): string {
  const { severity, code, message, hint } = issue;
  const place = positionText({ ...issue, file });
  return printable(`${place} ${severity} ${code} ${message}${hint === undefined ? "" : ` (${hint})`}`);
}
