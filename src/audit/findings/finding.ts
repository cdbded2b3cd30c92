/** The findings of audits in policies that load. */

import type { SourcePosition } from "../../policy/issue.js";
import { plural } from "../plural.js";

/** `error`: certainly a mistake. `warning`: somebody should look at it. `note`: worth knowing. */
export type FindingSeverity = "error" | "warning" | "note";

/** Every code, with its meaning in a sentence. */
export const FINDING_CODES = {
  contradictory_condition: "A condition is never true.",
  tautological_condition: "A condition is never false.",
  shadowed_rule: "An ALLOW rule never allows: DENY rules cover it.",
  redundant_rule: "A rule changes no decision: others cover it.",
  unsupported_operation: "An operation is permitted to some, and the platform never supports it.",
  ungranted_operation: "An operation is supported by the platform, and permitted to nobody.",
  unused_definition: "A variable, a constant, a derived role, an import or a set of them is not used.",
  unknown_operation: "An operation is probably misspelt.",
  unknown_kind: "A resource kind is probably misspelt.",
  allows_everything: "A rule allows every operation to everybody, without a condition.",
  odd_space: "A name or a text has white space that nobody sees.",
  unknown_role: "A rule is for a role that nobody has.",
  unused_role: "No rule mentions a role.",
  undeclared_attribute: "An attribute is read, and its schema does not have it.",
  always_errs: "A part of an expression fails whatever the request.",
  not_boolean: "A condition, or a part of one, is never true or false.",
  impossible_comparison: "Values are compared that are never of one type.",
  impossible_value: "An attribute is compared with a value that its schema rules out.",
  no_schema: "Attributes are read, and there is no schema for them.",
  optional_attribute_in_denial: "A DENY rule reads what may be absent.",
  missing_clause: "A platform denial has no clause, where others have one.",
  untested_operation: "No test asks for an operation.",
  load_warning: "The loader warns of something.",
} as const;

export type FindingCode = keyof typeof FINDING_CODES;

export interface Finding extends SourcePosition {
  readonly code: FindingCode;
  readonly severity: FindingSeverity;
  readonly message: string;
  /** The suggested fix. */
  readonly hint?: string;
  /** The rule that it is about. */
  readonly rule?: string;
}

/** `2 errors, 1 warning, 0 notes`. */
export function findingCounts(findings: readonly Pick<Finding, "severity">[]): string {
  const count = (of: FindingSeverity) => findings.filter(({ severity }) => severity === of).length;
  const errors = count("error");
  const others = [plural(count("warning"), "warning"), plural(count("note"), "note")];
  return [...(errors === 0 ? [] : [plural(errors, "error")]), ...others].join(", ");
}

/** The message, with the hint in brackets. */
export function findingText({
  message,
  hint,
}: {
  readonly message: string;
  readonly hint?: string | undefined;
}): string {
  return hint === undefined ? message : `${message} (${hint})`;
}
