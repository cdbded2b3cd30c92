/** `keyward/cerbos`: answers Cerbos's requests in process, and asks Cerbos servers for decisions. Loads `@cerbos/core`. */

export type { DecisionFailure, RemoteDecide } from "../decisions/remote-decide.js";
export { type CerbosClient, EmbeddedClient, type EmbeddedClientOptions } from "./client.js";
export {
  type CheckEngine,
  type CheckEngineOptions,
  type CompileCheckOptions,
  compileCheckEngine,
  compileCheckEngineOrThrow,
  type GlobalValue,
} from "./engine.js";
export { type KeySetVerifierOptions, keySetVerifier } from "./key-sets/key-set-verifier.js";
export type { KeySet } from "./key-sets/options.js";
export { type CheckClient, type RemoteDeciderOptions, remoteDecider } from "./remote/decider.js";
