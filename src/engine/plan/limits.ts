/**
 * Limits on the names of one question. They bound the work of finding the rules about it, which depends on the names and
 * the policies alone, and not on the attributes.
 */

import { MAX_MATCHING_STEPS, MAX_ROWS } from "../../limits.js";

export const TOO_MANY_STEPS = `matching the operation and the roles takes more than ${MAX_MATCHING_STEPS} steps`;

export const TOO_MANY_ROWS = `more than ${MAX_ROWS} rules apply to the roles, counted for each role`;
