/** Makes a review: the facts that an auditor needs about a policy set. */

import { VERSION } from "../../bundle/version.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { policySetHash } from "../../decisions/policy-set-hash.js";
import type { PolicyConfiguration } from "../../policy/configuration/configuration.js";
import { compareText } from "../../policy/issue-log.js";
import type { Solver } from "../../solver/solver.js";
import { operationsOf, rolesNamed, sorted } from "../findings/findings.js";
import { provenFindings } from "../findings/proven.js";
import { SchemasOfSubjects } from "../findings/subjects.js";
import type { OperationFacts } from "../operations/types.js";
import { layeredPolicies } from "../policies.js";
import { controlFacts } from "./controls.js";
import { withEveryRole } from "./every-role.js";
import { optionalReads, reviewFindings } from "./findings.js";
import { writtenFacts } from "./rules.js";
import { SourceLines } from "./snippet.js";
import { coverageGaps, type ReviewTests, type TestedOperation } from "./tested.js";
import type { Review, TestFacts } from "./types.js";

export interface ReviewOptions {
  /** When the review is made. The same policies and options give the same review. */
  readonly date: Date;
  /** The existing roles. Default: the roles that rules mention. */
  readonly roles?: readonly string[];
  /** The results of the test suites: see `reviewTests`. Without it, the review has nothing about tests. */
  readonly tests?: ReviewTests;
  /** Proves more findings. Without it, only findings visible in the text of the policies are reported. */
  readonly solver?: Solver;
}

/** Reviews a policy set. Rejects where there is no WebCrypto (see `policySetHash`). */
export async function review(policies: PolicySet, options: ReviewOptions): Promise<Review> {
  const { model, files } = policies;
  const [permissionVersion, platformVersion] = [policies.permission.version, policies.platform?.version];
  const roles = rolesNamed(policies, options.roles);
  const asked = layeredPolicies(policies);
  const subjects = new SchemasOfSubjects(model);
  const sources = new SourceLines(files);
  const written = writtenFacts(asked, sources);
  const counts = counted(operationsOf(policies, roles), options.tests?.operations);
  const operations = withEveryRole(counts, written.rules, written.derivedRoles);
  const { roles: known, solver, tests } = options;
  const found = await provenFindings(policies, solver, { ...(known && { roles: known }), operations });
  return {
    format: "keyward-review/1",
    engine: { name: "keyward", version: VERSION },
    date: options.date.toISOString(),
    policies: {
      ...headOf(model.configuration),
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
    findings: sorted([
      ...found,
      ...asked.flatMap(({ policy }) => optionalReads(policy, subjects)),
      ...reviewFindings(operations, written.rules, policies.warnings),
    ]),
    hasProvenFindings: solver !== undefined,
    controls: controlFacts(model, written.rules, tests?.coverage.points),
    ...(tests === undefined ? {} : { tests: testFacts(tests) }),
  };
}

/** The fields of `keyward.yaml` that are for readers alone. */
function headOf(
  configuration: PolicyConfiguration | undefined,
): Pick<Review["policies"], "title" | "owner" | "purpose"> {
  const { title, owner, purpose } = configuration ?? {};
  return {
    ...(title === undefined ? {} : { title }),
    ...(owner === undefined ? {} : { owner }),
    ...(purpose === undefined ? {} : { purpose }),
  };
}

function testFacts({ suites, coverage }: ReviewTests): TestFacts {
  const { percent, rules, conditions, operands, derivedRoles, variables, outputs } = coverage;
  const goals = { rules, conditions, operands, derivedRoles, variables, outputs };
  return { suites, coverage: percent, goals, missing: coverageGaps(coverage) };
}

function counted(
  operations: readonly OperationFacts[],
  tested: readonly TestedOperation[] | undefined,
): readonly OperationFacts[] {
  if (tested === undefined) return operations;
  const counts = new Map<string, { tests: number; passing: number }>();
  for (const { kind, operation, passes } of tested) {
    const key = JSON.stringify([kind, operation]);
    const { tests, passing } = counts.get(key) ?? NO_TESTS;
    counts.set(key, { tests: tests + 1, passing: passing + (passes ? 1 : 0) });
  }
  return operations.map((one) =>
    one.isPattern ? one : { ...one, ...(counts.get(JSON.stringify([one.kind, one.operation])) ?? NO_TESTS) },
  );
}

const NO_TESTS = { tests: 0, passing: 0 } as const;
