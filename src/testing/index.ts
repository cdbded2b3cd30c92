/**
 * `keyward/testing`: policies under test, by suites (`suites.ts`), laws and matchers. Needs fast-check, for the laws; the
 * command line imports what is beside this file, and does not.
 */

export * from "./laws/index.js";
export { type DecisionMatchers, type MatcherResult, matchers } from "./matchers.js";
export * from "./suites.js";
