/**
 * Findings that only a review has: about tests, contract clauses and warnings of the loader. A denial that errs on an
 * absent attribute is a note for auditors, not a mistake: that is how a denial fails closed.
 */

import type { PolicyIssue } from "../../policy/issue.js";
import type { AnyPolicy } from "../../policy/model.js";
import type { SchemaDeclaration } from "../../schema/declaration.js";
import type { Finding } from "../findings/finding.js";
import { partsOf, readsOf, readText, subjectOf } from "../findings/reads.js";
import type { SchemasOfSubjects } from "../findings/subjects.js";
import type { OperationFacts } from "../operations/types.js";
import { ruleId } from "../policies.js";
import type { RuleFacts } from "./types.js";

export function reviewFindings(
  operations: readonly OperationFacts[],
  rules: readonly RuleFacts[],
  warnings: readonly PolicyIssue[],
): readonly Finding[] {
  return [...untested(operations, rules), ...missingClauses(rules), ...warnings.map(ofLoader)];
}

/** Denials that read attributes that may be absent: the error denies, even where the author did not intend it. */
export function optionalReads(policy: AnyPolicy, subjects: SchemasOfSubjects): readonly Finding[] {
  return policy.rules.flatMap((rule, i) => {
    if (!("effect" in rule) || rule.effect !== "deny") return [];
    const schemas = subjects.of(policy, rule);
    return partsOf(policy, rule).flatMap((part) => {
      const reads = readsOf(part);
      const guarded = new Set(reads.filter(({ read }) => read.has).map(({ read }) => readText(read)));
      return reads.flatMap(({ read, expression }): readonly Finding[] => {
        const subject = subjectOf(read);
        const schema = subject === undefined ? undefined : schemas[subject];
        const name = readText(read);
        if (schema === undefined || read.path.length === 0 || guarded.has(name)) return [];
        if (!isOptional(schema.declared, read.path)) return [];
        const message = `DENY rule ${rule.name} reads ${name}, which is optional in ${schema.ref}; if it is absent, the rule errs and the layer denies`;
        const at = expression.position(read.at);
        return [{ code: "optional_attribute_in_denial", severity: "warning", message, ...at, rule: ruleId(policy, i) }];
      });
    });
  });
}

/** May a declared attribute be absent? */
function isOptional(declared: SchemaDeclaration, path: readonly string[]): boolean {
  let at = declared;
  let required = true;
  for (const field of path) {
    const next = at.field(field);
    if (next.declared !== "yes") return false;
    required &&= next.required;
    at = next;
  }
  return !required;
}

const NO_TEST = { code: "untested_operation", severity: "warning" } as const;

/** If there are no tests at all, one finding says so. */
function untested(operations: readonly OperationFacts[], rules: readonly RuleFacts[]): readonly Finding[] {
  if (operations.length > 0 && operations.every(({ tests, isPattern }) => isPattern || tests === 0)) {
    return [{ ...NO_TEST, message: "no test covers any operation", file: "", line: 1, column: 1 }];
  }
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  return operations
    .filter(({ tests }) => tests === 0)
    .map((operation) => {
      const message = `no test covers ${operation.operation} on ${operation.kind}`;
      return { ...NO_TEST, message, ...operationLocation(operation, byId) };
    });
}

/** The position of the first rule about an operation. */
function operationLocation({ scopes, others }: OperationFacts, rules: ReadonlyMap<string, RuleFacts>) {
  const ids = scopes.flatMap(({ permission, platform }) => [
    ...permission.allow,
    ...platform.allow,
    ...permission.deny,
    ...platform.deny,
  ]);
  const [rule] = [...ids, ...others].flatMap((id) => rules.get(id) ?? []);
  return { file: rule?.place.file ?? "", line: rule?.place.line ?? 1, column: 1, ...(rule && { rule: rule.id }) };
}

/** If some denials of the platform have a clause, all should. */
function missingClauses(rules: readonly RuleFacts[]): readonly Finding[] {
  const denials = rules.filter(({ layer, effect }) => layer === "platform" && effect === "deny");
  if (denials.every(({ clause }) => clause === undefined)) return [];
  return denials
    .filter(({ clause }) => clause === undefined)
    .map(({ name, place, id }) => ({
      code: "missing_clause",
      severity: "note",
      message: `platform DENY rule ${name} names no contract clause, but others do (annotation keyward.clause/${name})`,
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
