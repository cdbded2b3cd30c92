/** `keyward/testing`: policies under test. Needs fast-check. */

export * from "./laws/index.js";
export { type DecisionMatchers, type MatcherResult, matchers } from "./matchers.js";
