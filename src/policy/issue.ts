/** Problems of policy files, and their positions. */

/** A place in a file; `line` and `column` count from 1, `column` in UTF-16 code units. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** `file:line:column`. */
export function positionText({ file, line, column }: SourcePosition): string {
  return `${file}:${line}:${column}`;
}

export type IssueSeverity = "error" | "warning";

/** The closed set of issue codes. A new code is a change that callers who switch over codes see at compile time. */
export type IssueCode =
  | "io" // the file or directory cannot be read
  | "no_policies" // there are no policies
  | "too_large" // a file, a document or an expression is over a limit
  | "not_text" // the file is not UTF-8 text
  | "lock" // the files are not those of the set's lock
  | "cut" // a file may have lost its end: a watched one ends in its former text, or the last line does not end
  | "removed" // a watched file is gone
  | "overlooked" // a file looks like a policy, and no decision asks it
  | "rewritten_functions" // the functions of a bundle are not the text that was built
  | "requirement" // the set fails a requirement of the program that loads it
  | "yaml" // not well-formed YAML or JSON
  | "duplicate_key" // a mapping has one key twice
  | "multiple_documents" // more than one YAML document in a file
  | "shape" // a field is missing, unknown or of the wrong type
  | "unsupported" // the server accepts it; this version does not
  | "name" // a name that is not allowed
  | "duplicate" // one thing defined twice
  | "missing_import" // an import that no file defines
  | "missing_scope" // a policy is missing in an ancestor scope
  | "scope_permissions" // policies of one scope disagree
  | "unknown_derived_role"
  | "ambiguous_derived_role"
  | "lossy_integer" // an integer that is kept as another number
  | "undefined_variable"
  | "undefined_constant"
  | "cyclic_variable"
  | "schema" // a JSON Schema that is missing or invalid
  | "expression" // a CEL expression that does not parse
  | "expression_type" // … that does not type-check
  | "unknown_function" // … that calls an undefined function
  | "no_platform_policies" // there is no platform layer, and the set is not permission-only
  | "no_permission_policies" // there are no policies of the permission layer's version, or only role policies
  | "no_layer" // the version of a policy belongs to neither layer
  | "platform_reads_key" // a platform policy could read something of the key
  | "platform_not_asked" // a permission-only set with platform policies
  | "unnamed_denial" // a platform DENY rule without name or output
  | "unknown_fixture"; // a test suite names an undefined fixture

/**
 * One issue. With an `error` the policy set is refused. A `warning` is reported, and the set still loads. `hint` is a
 * suggestion where one is obvious (`did you mean "EFFECT_DENY"?`).
 */
export interface PolicyIssue extends SourcePosition {
  readonly severity: IssueSeverity;
  readonly code: IssueCode;
  readonly message: string;
  readonly hint?: string;
}
