/** Generators of policy sets and requests, and counters of their coverage. */

export {
  attributePlacesOf as places,
  type LawPlace as Place,
  withoutAttribute as without,
} from "../../../src/testing/laws/attribute-places.js";
export {
  type Damage,
  damagedRequest,
  type RequestMutation as Mutation,
  retyped,
} from "../../../src/testing/laws/damage.js";
export type { PlainRequest, RequestAttributes as Attr } from "../../../src/testing/laws/plain-request.js";
export { ADDITIONS, type Addition, type AdditionSort, additions, isAbout } from "./additions.js";
export type { Profile } from "./context.js";
export { type Coverage, type Feature, MINIMA, newCoverage, newWholeCoverage } from "./coverage.js";
export { wrongTwice } from "./damage.js";
export { type PolicyText, permuted, toFiles } from "./files.js";
export { mutatedRequest } from "./mutations.js";
export { type PolicySetOptions, policySet } from "./policies.js";
export { permutedRequest, type RequestOptions, request } from "./requests.js";
export { type ShippedRequestOptions, shippedRequest } from "./shipped.js";
export { GLOBALS, OTHER_VERSIONS } from "./vocabulary.js";
export { FORMS, OPTIONAL_FORMS } from "./whole-expressions.js";
