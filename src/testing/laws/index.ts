/** Laws: the theorems of `decide` as fast-check properties, which test them on your own policies. */

export { askedAbout } from "../../space/asked-about.js";
export { type ChainOptions, chain, coverage } from "./delegation.js";
export { type FailClosedOptions, failClosed } from "./fail-closed.js";
export type { ListOptions } from "./lists.js";
export type { LawOptions } from "./options.js";
export { type OrderOptions, order } from "./order.js";
export type { PlainRequest } from "./plain-request.js";
export { reduction } from "./reduction.js";
export { type RequestOptions, requests } from "./requests.js";
export { accountSwap, keySwap } from "./swaps.js";
export { LawViolation } from "./violation.js";
