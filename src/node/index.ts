/** `keyward/node`: what needs a file system. */

export { readPolicyDirectory } from "./directory.js";
export { type LoadOptions, loadPolicies } from "./load.js";
export { loadCheckEngine } from "./load-check-engine.js";
export type { ReadOptions } from "./read-options.js";
export { reviewPanel } from "./review-panel.js";
export { shippedPolicies } from "./shipped.js";
