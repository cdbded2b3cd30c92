/**
 * `keyward/testing`: tests of policies by suites (`suites.ts`), laws and matchers. The laws need fast-check. The
 * command line does not: it imports the other files of this directory instead.
 */

export * from "./laws/index.js";
export { type DecisionMatchers, type MatcherResult, matchers } from "./matchers.js";
export * from "./suites.js";
