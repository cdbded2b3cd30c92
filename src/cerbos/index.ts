/** `keyward/cerbos`: Cerbos's own questions, answered in process. Loads `@cerbos/core`. */

export { EmbeddedClient, type EmbeddedClientOptions } from "./client.js";
export { type CheckEngine, type CheckEngineOptions, compileCheckEngine, type GlobalValue } from "./engine.js";
export type { RequestLimits } from "./request-faults.js";
