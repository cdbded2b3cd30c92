/** The tests of an operation in words. */

import type { OperationFacts } from "../operations/types.js";

/** Undefined if no tests were run. */
export function testedWords({
  tests,
  passing,
}: Pick<OperationFacts, "tests" | "passing">):
  | { readonly state: "untested" | "passing" | "failing"; readonly words: string }
  | undefined {
  if (tests === undefined || passing === undefined) return undefined;
  if (tests === 0) return { state: "untested", words: "no test" };
  if (passing < tests) return { state: "failing", words: `${passing} of ${tests} test cases pass` };
  return { state: "passing", words: tests === 1 ? "1 test case passes" : `${tests} test cases pass` };
}
