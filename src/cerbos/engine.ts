/** The engine behind the client; `keyward/node` has it too, and does not load `@cerbos/core`. */

export {
  type CheckEngine,
  type CheckEngineOptions,
  compileCheckEngine,
  compileCheckEngineOrThrow,
  type GlobalValue,
} from "../engine/evaluate/check-engine.js";
