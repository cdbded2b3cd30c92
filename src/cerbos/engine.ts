/** The engine behind the client. `keyward/node` uses it without loading `@cerbos/core`. */

export type { CheckEngine, CheckEngineOptions } from "../engine/evaluate/check-engine.js";
export {
  type CompileCheckOptions,
  compileCheckEngine,
  compileCheckEngineOrThrow,
} from "../engine/evaluate/compile-check-engine.js";
export type { GlobalValue } from "../policy/configuration/globals.js";
