/** `keyward/runtime/watch`: loads bundles as text from files and addresses, and follows their changes. */

export type { Signer } from "../bundle/signature.js";
export { loadBundleText, type SignedBy } from "../bundle/text.js";
export { type BundleEvent, type WatchBundleOptions, type WatchedBundle, watchBundle } from "./watch-bundle.js";
