/** Policy issues as a terminal shows them. */

import type { PolicyIssue } from "../policy/issue.js";

/** `file:line:column code message (hint)`; warnings say so. */
export function issueLine({ file, line, column, code, message, hint, severity }: PolicyIssue): string {
  const warning = severity === "warning" ? "warning: " : "";
  return `${file}:${line}:${column} ${code} ${warning}${message}${hint === undefined ? "" : ` (${hint})`}`;
}
