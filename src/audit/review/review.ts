/** A review: what an auditor wants to know of a policy set, as facts. */

import type { PolicySet } from "../../decisions/policy-set.js";
import { policySetHash } from "../../decisions/policy-set-hash.js";
import { compareText } from "../../policy/issue-log.js";
import { attributeFindings } from "./findings/attributes.js";
import { conditionFindings } from "./findings/conditions.js";
import { coverageFindings } from "./findings/coverage.js";
import { operationFindings } from "./findings/operations.js";
import { mentionsOf, roleFindings } from "./findings/roles.js";
import { ANY_OTHER, operationFacts } from "./operations.js";
import { type AnyPolicy, writtenFacts } from "./rules.js";
import { SourceLines } from "./snippet.js";
import type { Finding, LayerName, OperationFacts, Review, RuleFacts } from "./types.js";
import { VERSION } from "./version.js";

export interface ReviewOptions {
  /** When the review is made. The same policies and options give the same review. */
  readonly date: Date;
  /** The roles that there are. Without it, those that rules mention. */
  readonly roles?: readonly string[];
  /** The operations that tests ask for, one entry a test case. Without it nothing is said about tests. */
  readonly tested?: readonly TestedOperation[];
}

export interface TestedOperation {
  /** The resource kind. */
  readonly kind: string;
  readonly operation: string;
}

/** Reviews a policy set. Rejects where there is no WebCrypto (see `policySetHash`). */
export async function review(policies: PolicySet, options: ReviewOptions): Promise<Review> {
  const { model, files } = policies;
  const [permissionVersion, platformVersion] = [policies.permission.version, policies.platform?.version];
  const layerOf = ({ version }: AnyPolicy): LayerName | undefined => {
    if (version === permissionVersion) return "permission";
    return version === platformVersion ? "platform" : undefined;
  };
  const all = [...model.principalPolicies, ...model.rolePolicies, ...model.resourcePolicies];
  const reviewed = all.filter((policy) => layerOf(policy) !== undefined);
  const mentions = mentionsOf(reviewed.filter((policy) => layerOf(policy) === "permission"));
  const known = options.roles === undefined ? undefined : new Set(options.roles);
  const named = new Set([...mentions.map(({ role }) => role), ...(known ?? [])]);
  named.delete(ANY_OTHER);
  const roles = [...[...named].sort(compareText), ANY_OTHER];
  const sources = new SourceLines(files);
  const written = writtenFacts(model, layerOf, sources);
  const { index } = policies.permission;
  const operations = counted(
    operationFacts(model, index, { permissionVersion, platformVersion, roles }),
    options.tested,
  );
  const found = [
    ...reviewed.flatMap((policy) => [
      ...conditionFindings(policy),
      ...(policy.kind === "resource" ? [...coverageFindings(policy), ...attributeFindings(policy, model.schemas)] : []),
    ]),
    ...roleFindings(mentions, known),
    ...operationFindings(
      operations,
      new Map(written.rules.map((rule) => [rule.id, rule])),
      platformVersion !== undefined,
    ),
    ...missingClauses(written.rules),
    ...policies.warnings.map(
      ({ file, line, column, message, code }): Finding => ({
        code: "load_warning",
        severity: "warning",
        message: `${code}: ${message}`,
        file,
        line,
        column,
      }),
    ),
  ];
  return {
    format: "keyward-review/1",
    engine: { name: "keyward", version: VERSION },
    date: options.date.toISOString(),
    policies: {
      hash: await policySetHash(policies),
      files: [...files]
        .map(({ path }) => ({ path, lines: sources.of(path).length }))
        .sort((a, b) => compareText(a.path, b.path)),
      permissionVersion,
      ...(platformVersion === undefined ? {} : { platformVersion }),
    },
    roles,
    operations,
    rules: written.rules,
    derivedRoles: written.derivedRoles,
    names: written.names,
    findings: distinct(found).sort(bySeverityAndPlace),
  };
}

function counted(
  operations: readonly OperationFacts[],
  tested: readonly TestedOperation[] | undefined,
): readonly OperationFacts[] {
  if (tested === undefined) return operations;
  const counts = new Map<string, number>();
  for (const { kind, operation } of tested) {
    const key = JSON.stringify([kind, operation]);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return operations.map((one) =>
    one.isPattern ? one : { ...one, tests: counts.get(JSON.stringify([one.kind, one.operation])) ?? 0 },
  );
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

function distinct(findings: readonly Finding[]): Finding[] {
  const keys = new Map(
    findings.map((one) => [JSON.stringify([one.code, one.file, one.line, one.column, one.message]), one]),
  );
  return [...keys.values()];
}

function bySeverityAndPlace(a: Finding, b: Finding): number {
  if (a.severity !== b.severity) return a.severity === "warning" ? -1 : 1;
  return (
    compareText(a.file, b.file) ||
    a.line - b.line ||
    a.column - b.column ||
    compareText(a.code, b.code) ||
    compareText(a.message, b.message)
  );
}
