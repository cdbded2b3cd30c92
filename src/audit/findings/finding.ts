/** The findings of audits in policies that load. */

import type { SourcePosition } from "../../policy/issue.js";
import { plural } from "../plural.js";

/** `error`: certainly a mistake. `warning`: somebody should look at it. `note`: worth knowing. */
export type FindingSeverity = "error" | "warning" | "note";

/** Every code, with its meaning in a sentence. */
export const FINDING_CODES = {
  contradictory_condition: "A condition is never true.",
  tautological_condition: "A condition is never false.",
  shadowed_rule: "An ALLOW rule never allows anything, because DENY rules cover it.",
  redundant_rule: "A rule changes no decision, because other rules cover it.",
  unsupported_operation: "Some keys are permitted an operation that the platform never supports.",
  unlisted_kind: "No platform policy is for a resource kind.",
  ungranted_operation: "The platform supports an operation that no key is permitted.",
  unused_definition: "A variable, constant, derived role, import, or set of definitions is not used.",
  unknown_operation: "An operation is probably misspelt.",
  unknown_kind: "A resource kind is probably misspelt.",
  allows_everything: "A rule allows every operation to everybody, without a condition.",
  odd_space: "A name or a text contains white space that is hard to see.",
  hidden_character: "A name or a text contains a character that is invisible or changes the direction of text.",
  lossy_integer: "An integer has more digits than a number of a request keeps.",
  unknown_role: "A rule is for a role that nobody has.",
  derived_role_as_role: "A derived role is listed where only roles that keys have count.",
  idle_derived_role: "A rule lists a role beside a derived role that is to narrow it down.",
  unused_role: "No rule mentions a role.",
  undeclared_attribute: "A rule reads an attribute that the schema does not declare.",
  always_errs: "A part of an expression fails for every request.",
  not_boolean: "A condition, or a part of one, is never true or false.",
  impossible_comparison: "A comparison is between values that never have the same type.",
  impossible_value: "An attribute is compared with a value that its schema rules out.",
  no_scope_token: "A permission cannot be named in a challenge.",
  no_schema: "A rule reads attributes that have no schema.",
  optional_attribute_in_denial: "A DENY rule reads an attribute that may be absent.",
  missing_clause: "A platform DENY rule names no contract clause, but others do.",
  unknown_clause: "The controls name a clause that no rule carries.",
  untested_operation: "No test covers an operation.",
  changed_meaning: "A policy means something else at the level that an upgrade leads to.",
  named_rule: "A rule that had no name has got one.",
  unnamed_rules: "Rules have no name.",
  load_warning: "Loading the policies gave a warning.",
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
