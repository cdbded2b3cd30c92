/** The levels of the policy language: the versions of Cerbos that policies can be written for. */

/** Oldest first. */
export const CERBOS_LEVELS = ["0.55", "0.58"] as const;

export type CerbosLevel = (typeof CERBOS_LEVELS)[number];

/** The level of expressions that belong to no policy set: it has every function. */
export const NEWEST_LEVEL: CerbosLevel = "0.58";

/** The level of a policy set that names none. */
export const DEFAULT_LEVEL: CerbosLevel = "0.55";
