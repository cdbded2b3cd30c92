/** What only a review says, which knows of tests and of clauses, and has what the loader warned of. */

import type { PolicyIssue } from "../../policy/issue.js";
import type { Finding } from "../findings/finding.js";
import type { OperationFacts } from "../operations/types.js";
import type { RuleFacts } from "./types.js";

export function reviewFindings(
  operations: readonly OperationFacts[],
  rules: readonly RuleFacts[],
  warnings: readonly PolicyIssue[],
): readonly Finding[] {
  return [...untested(operations, rules), ...missingClauses(rules), ...warnings.map(ofLoader)];
}

const NO_TEST = { code: "untested_operation", severity: "warning" } as const;

/** That there are no tests at all is said once. */
function untested(operations: readonly OperationFacts[], rules: readonly RuleFacts[]): readonly Finding[] {
  if (operations.length > 0 && operations.every(({ tests, isPattern }) => isPattern || tests === 0)) {
    return [{ ...NO_TEST, message: "no test asks for any operation", file: "", line: 1, column: 1 }];
  }
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  return operations
    .filter(({ tests }) => tests === 0)
    .map((operation) => {
      const message = `no test asks for ${operation.operation} on ${operation.kind}`;
      return { ...NO_TEST, message, ...placeOf(operation, byId) };
    });
}

/** The first rule that is about an operation. */
function placeOf({ scopes, others }: OperationFacts, rules: ReadonlyMap<string, RuleFacts>) {
  const ids = scopes.flatMap(({ permission, platform }) => [
    ...permission.allow,
    ...platform.allow,
    ...permission.deny,
    ...platform.deny,
  ]);
  const [rule] = [...ids, ...others].flatMap((id) => rules.get(id) ?? []);
  return { file: rule?.place.file ?? "", line: rule?.place.line ?? 1, column: 1, ...(rule && { rule: rule.id }) };
}

/** Where some denials of the platform have a clause, all should. */
function missingClauses(rules: readonly RuleFacts[]): readonly Finding[] {
  const denials = rules.filter(({ layer, effect }) => layer === "platform" && effect === "deny");
  if (denials.every(({ clause }) => clause === undefined)) return [];
  return denials
    .filter(({ clause }) => clause === undefined)
    .map(({ name, place, id }) => ({
      code: "missing_clause",
      severity: "note",
      message: `platform DENY rule ${name} names no clause (annotation keyward.clause/${name}), and others do`,
      file: place.file,
      line: place.line,
      column: 1,
      rule: id,
    }));
}

function ofLoader({ file, line, column, message, code, hint }: PolicyIssue): Finding {
  const said = { message: `${code}: ${message}`, ...(hint === undefined ? {} : { hint }) };
  return { code: "load_warning", severity: "warning", ...said, file, line, column };
}
