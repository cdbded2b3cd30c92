/** Reports issues of policies as findings. */

import { FINDING_CODES } from "../../audit/findings/finding.js";
import type { IssueCode } from "../../policy/issue.js";
import { fileIn, type Shown } from "../issues.js";
import type { CliFinding, CliReport, FindingRule } from "./finding.js";

/** The report of the issues of the policies in `directory`. The files of issues are relative to it. */
export function reportOfIssues(issues: readonly Shown[], directory: string): CliReport {
  return { findings: issues.map((issue) => findingOf(issue, directory)), rules: POLICY_RULES };
}

/** The finding for an issue. The file of the issue is relative to `directory`. */
export function findingOf({ file, line, column, severity, code, message, hint }: Shown, directory: string): CliFinding {
  const path = fileIn(directory, file);
  const ofFile = path !== directory;
  return {
    rule: code,
    level: severity,
    message,
    ...(hint === undefined ? {} : { hint }),
    place: ofFile ? { file: path, line, column } : { file: path },
  };
}

/** A description of every code: the compiler reports a missing one. */
const DESCRIPTIONS: { readonly [code in IssueCode]: string } = {
  io: "The file or directory cannot be read.",
  no_policies: "There are no policies.",
  too_large: "A file, a document or an expression is over a limit.",
  not_text: "The file is not UTF-8 text.",
  lock: "The files are not those of the set's lock.",
  cut: "A file may have lost its end.",
  removed: "A file is gone.",
  overlooked: "A file looks like a policy, and no decision asks it.",
  rewritten_functions: "The functions of a bundle are not the text that was built.",
  requirement: "The set lacks something that the program which loads it requires.",
  yaml: "The file is not well-formed YAML or JSON.",
  duplicate_key: "A mapping has one key twice.",
  multiple_documents: "There is more than one YAML document in a file.",
  shape: "A field is missing, unknown or of the wrong type.",
  unsupported: "The server accepts it; this version does not.",
  name: "A name is not allowed.",
  duplicate: "One thing is defined twice.",
  missing_import: "No file defines the imported name.",
  missing_scope: "An ancestor of the scope has no policy.",
  scope_permissions: "Policies of one scope disagree.",
  unknown_derived_role: "A rule lists a derived role that no import defines.",
  ambiguous_derived_role: "Two imported sets define a derived role.",
  lossy_integer: "A constant is an integer that becomes another number.",
  undefined_variable: "An expression reads a variable that nothing defines.",
  undefined_constant: "An expression reads a constant that nothing defines.",
  cyclic_variable: "A variable depends on itself.",
  schema: "A JSON Schema is missing or invalid.",
  expression: "A CEL expression does not parse.",
  expression_type: "A CEL expression does not type-check.",
  unknown_function: "A CEL expression calls a function that does not exist.",
  no_platform_policies: "There is no platform layer, and the set is not permission-only.",
  no_permission_policies: "There are no policies of the permission layer's version, or only role policies.",
  no_layer: "A policy is of a version that is neither layer's: no decision asks it.",
  platform_reads_key: "A platform policy could read something of the key.",
  unknown_fixture: "A test suite names a fixture that is not defined.",
  platform_not_asked: "The set is permission-only, but has platform policies: their prohibitions are ignored.",
  unnamed_denial: "A platform DENY rule has no name or no output: its reason is lost.",
};

/** Rules for the codes of issues and of findings. */
export const POLICY_RULES: readonly FindingRule[] = Object.entries({ ...DESCRIPTIONS, ...FINDING_CODES }).map(
  ([id, description]) => ({ id, description }),
);
