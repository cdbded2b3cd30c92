/** Issues of policies, and findings in them, in a line of text. */

import { printable } from "./escape.js";
import { type Position, positionText } from "./issue.js";

/** What is shown of an issue of policies, or of a finding in them. */
export interface Shown extends Position {
  readonly severity: "error" | "warning" | "note";
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** `file:line:column severity code message (hint)`. `file`: in place of the issue's own. */
export function issueLine(issue: Shown, file = issue.file): string {
  const { severity, code, message, hint } = issue;
  const place = positionText({ ...issue, file });
  return printable(`${place} ${severity} ${code} ${message}${hint === undefined ? "" : ` (${hint})`}`);
}
