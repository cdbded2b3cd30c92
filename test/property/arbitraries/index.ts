/** Generators of policy sets and requests, and the count of what they cover. */

export { type Coverage, type Feature, MINIMA, newCoverage } from "./coverage.js";
export { type Damage, damagedRequest, wrongTwice } from "./damage.js";
export type { Profile } from "./expressions.js";
export { type PolicyText, permuted, toFiles } from "./files.js";
export { type Mutation, mutatedRequest, type Place, places, retyped, without } from "./mutations.js";
export { type PolicySetOptions, policySet } from "./policies.js";
export { type Attr, type PlainRequest, permutedRequest, type RequestOptions, request } from "./requests.js";
export { type ShippedRequestOptions, shippedRequest } from "./shipped.js";
