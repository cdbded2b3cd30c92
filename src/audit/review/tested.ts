/** The operations that test suites ask for. */

import { type Either, left, right } from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { CheckPolicies } from "../../engine/evaluate/check.js";
import { FULL_EQUIPMENT } from "../../engine/evaluate/full-equipment.js";
import type { PolicyIssue } from "../../policy/issue.js";
import { compareText } from "../../policy/issue-log.js";
import { EVERY_TEST } from "../../testing/cerbos/filter.js";
import { CerbosRunner } from "../../testing/cerbos/run.js";
import { readDecisionSuite } from "../../testing/decisions/read.js";
import { isCerbosSuite, isDecisionSuite, type SuiteFiles } from "../../testing/files.js";
import type { TestedOperation } from "./review.js";

/**
 * One entry for each test of the decision suites among `files` (see `readSuiteDirectory` of `keyward/testing`); tests
 * that are skipped are left out. Left: what is wrong with the suites.
 *
 * `policies` is the set that is reviewed. If it is permission-only, tests need no account, and each check of a Cerbos
 * suite that asks for its version is an entry as well: it is what `decide` asks.
 */
export function testedOperations(
  files: SuiteFiles,
  policies?: PolicySet,
): Either<NonEmptyArray<PolicyIssue>, readonly TestedOperation[]> {
  const issues: PolicyIssue[] = [];
  const tested: TestedOperation[] = [];
  const alone = policies?.platform === undefined ? policies : undefined;
  const paths = [...files.keys()].sort(compareText);
  for (const path of paths.filter(isDecisionSuite)) {
    const read = readDecisionSuite(path, files, { permissionOnly: alone !== undefined });
    if ("issues" in read) {
      issues.push(...read.issues);
      continue;
    }
    if (read.suite.skipReason !== undefined) continue;
    for (const test of read.suite.tests) {
      if (test.skipReason !== undefined) continue;
      const { operation, resource } = test.request();
      tested.push({ kind: resource.kind, operation });
    }
  }
  if (alone !== undefined) tested.push(...checkedOperations(files, paths.filter(isCerbosSuite), alone));
  const [first, ...others] = issues;
  return first === undefined ? right(tested) : left([first, ...others]);
}

/** What Cerbos suites ask a permission-only set. What is wrong with a suite is for `keyward test` to say. */
function checkedOperations(
  files: SuiteFiles,
  paths: readonly string[],
  { model, permission }: PolicySet,
): readonly TestedOperation[] {
  const found: TestedOperation[] = [];
  const runner = new CerbosRunner(files, {
    policies: new CheckPolicies(model, "lenient", FULL_EQUIPMENT),
    strictPolicies: new CheckPolicies(model, "server-strict", FULL_EQUIPMENT),
    filter: EVERY_TEST,
    schemaEnforcement: "none",
    skipBatching: false,
    onCheck: ({ resource, actions }, { defaultPolicyVersion }) => {
      if ((resource.policyVersion || defaultPolicyVersion) !== permission.version) return;
      for (const operation of actions) found.push({ kind: resource.kind, operation });
    },
  });
  for (const path of paths) runner.suite(path);
  return found;
}
