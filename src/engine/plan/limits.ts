/**
 * Limits on the names of one question. They bound the work of finding the rules about it, which depends on the names and
 * the policies alone, and not on the attributes.
 */

/** Steps, of some 100 ns, for matching the action and the roles of a question against the patterns of policies. */
export const MAX_MATCHING_STEPS = 200_000;

/** Pairs of a role and a rule that applies to it. */
export const MAX_ROWS = 100_000;

export const TOO_MANY_STEPS = `matching the operation and the roles takes more than ${MAX_MATCHING_STEPS} steps`;

export const TOO_MANY_ROWS = `more than ${MAX_ROWS} rules apply to the roles, counted for each role`;
