/** Formats issues and findings of policies as a line of text. */

import { printable } from "./escape.js";
import { positionText, type SourcePosition } from "./issue.js";

/** The shown fields of an issue or a finding of policies. */
export interface ShownIssue extends SourcePosition {
  readonly severity: "error" | "warning" | "note";
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** `file:line:column severity code message (hint)`. `file` replaces the issue's own file. */
export function issueLine(issue: ShownIssue, file = issue.file): string {
  const { severity, code, message, hint } = issue;
  const place = positionText({ ...issue, file });
  return printable(`${place} ${severity} ${code} ${message}${hint === undefined ? "" : ` (${hint})`}`);
}
