/** The operations that decision suites ask for. */

import { type Either, left, right } from "fp-ts/lib/Either.js";
import type { NonEmptyArray } from "fp-ts/lib/NonEmptyArray.js";
import type { PolicyIssue } from "../../policy/issue.js";
import { compareText } from "../../policy/issue-log.js";
import { readDecisionSuite } from "../../testing/decisions/read.js";
import { isDecisionSuite, type SuiteFiles } from "../../testing/files.js";
import type { TestedOperation } from "./review.js";

/**
 * One entry for each test of the decision suites among `files` (see `readSuiteDirectory` of `keyward/testing`); tests
 * that are skipped are left out. Left: what is wrong with the suites. `permissionOnly`: as of the set that is reviewed.
 */
export function testedOperations(
  files: SuiteFiles,
  { permissionOnly = false }: { readonly permissionOnly?: boolean } = {},
): Either<NonEmptyArray<PolicyIssue>, readonly TestedOperation[]> {
  const issues: PolicyIssue[] = [];
  const tested: TestedOperation[] = [];
  for (const path of [...files.keys()].filter(isDecisionSuite).sort(compareText)) {
    const read = readDecisionSuite(path, files, { permissionOnly });
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
  const [first, ...others] = issues;
  return first === undefined ? right(tested) : left([first, ...others]);
}
