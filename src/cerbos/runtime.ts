/** `keyward/runtime/cerbos`: Cerbos's client on a bundle. Loads `@cerbos/core`. */

import type { Either } from "fp-ts/lib/Either.js";
import type { Bundle, BundleFault } from "../bundle/bundle.js";
import { CORE } from "../bundle/core.js";
import { DAMAGED, faultOf, importedFault } from "../bundle/load.js";
import { modelOf } from "../bundle/unpack.js";
import { type CheckEngine, type CheckEngineOptions, checkEngineOf } from "../engine/evaluate/check-engine.js";
import type { Equipment } from "../engine/evaluate/equipment.js";

export type { CheckEngine, CheckEngineOptions } from "../engine/evaluate/check-engine.js";
export { EmbeddedClient, type EmbeddedClientOptions } from "./client.js";

export interface BundledEngineOptions extends CheckEngineOptions {
  /** `EVERYTHING` of `keyward/runtime/everything`, where schemas are to be enforced. Default: what the bundle needs. */
  readonly equipment?: Equipment;
}

/**
 * The engine of a bundle, for `EmbeddedClient`. Left: why it is refused. All policies are asked that were in the directory,
 * of whatever version. Throws a `TypeError` where schemas are to be enforced and nothing is given that can.
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
