/** `keyward/runtime/cerbos`: Cerbos's client with the policies of a bundle. Loads `@cerbos/core`. */

import type { Either } from "fp-ts/lib/Either.js";
import type { Bundle, BundleFault } from "../bundle/bundle.js";
import { CORE } from "../bundle/core.js";
import { DAMAGED, faultOf, importedFault } from "../bundle/load.js";
import { modelOf } from "../bundle/unpack.js";
import { type CheckEngine, type CheckEngineOptions, checkEngineOf } from "../engine/evaluate/check-engine.js";
import type { Equipment } from "../engine/evaluate/equipment.js";

export type { CheckEngine, CheckEngineOptions } from "../engine/evaluate/check-engine.js";
export { type CerbosClient, EmbeddedClient, type EmbeddedClientOptions } from "./client.js";

export interface BundledEngineOptions extends CheckEngineOptions {
  /** `EVERYTHING` of `keyward/runtime/everything` if schemas are enforced. Default: the equipment that the bundle needs. */
  readonly equipment?: Equipment;
}

/**
 * The engine of a bundle, for `EmbeddedClient`. Left: why the bundle is refused. The engine uses all policies of the
 * directory, of every version. Throws a `TypeError` if schemas are to be enforced and the equipment has no validator.
 */
export function loadCheckEngine(bundle: Bundle, options: BundledEngineOptions = {}): Either<BundleFault, CheckEngine> {
  const { equipment = bundle.equipment ?? CORE, schemaEnforcement = "none" } = options;
  if (schemaEnforcement !== "none" && equipment.validator === undefined) {
    throw new TypeError("schemaEnforcement needs the equipment EVERYTHING of keyward/runtime/everything");
  }
  const fault = importedFault(options) ?? faultOf(bundle, {});
  if (fault !== undefined) return { _tag: "Left", left: fault };
  try {
    return { _tag: "Right", right: checkEngineOf(modelOf(bundle.texts), equipment, options) };
  } catch {
    return { _tag: "Left", left: DAMAGED };
  }
}
