/** Policy issues as a terminal shows them. */

import { printable } from "../policy/escape.js";
import { type PolicyIssue, positionText } from "../policy/issue.js";

/** `file:line:column code message (hint)`; warnings say so. */
export function issueLine(issue: PolicyIssue): string {
  const { code, message, hint, severity } = issue;
  const warning = severity === "warning" ? "warning: " : "";
  return printable(`${positionText(issue)} ${code} ${warning}${message}${hint === undefined ? "" : ` (${hint})`}`);
}
