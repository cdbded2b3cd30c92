/** `keyward/cerbos`: answers Cerbos's requests in process, and asks Cerbos servers for decisions. Loads `@cerbos/core`. */

export type { AskOptions, DecisionFailure, DecisionTask, RemoteDecide } from "../decisions/remote-decide.js";
export { EmbeddedClient, type EmbeddedClientOptions } from "./client.js";
export {
  type CheckEngine,
  type CheckEngineOptions,
  compileCheckEngine,
  compileCheckEngineOrThrow,
  type GlobalValue,
} from "./engine.js";
export { type CheckClient, type RemoteDeciderOptions, remoteDecider } from "./remote/decider.js";
export type { RequestLimits } from "./request-faults.js";
