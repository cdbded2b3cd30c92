/** `keyward/runtime/cerbos`: Cerbos's client with the policies of a bundle. Loads `@cerbos/core`. */

import type { Either } from "fp-ts/lib/Either.js";
import type { Bundle, BundleFault } from "../bundle/bundle.js";
import { CORE } from "../bundle/core.js";
import { DAMAGED, faultOf, importedFault, SIGNED_OPTIONS } from "../bundle/load.js";
import { headOf, modelOf } from "../bundle/unpack.js";
import {
  CHECK_ENGINE_OPTIONS,
  type CheckEngine,
  type CheckEngineOptions,
  checkEngineOf,
} from "../engine/evaluate/check-engine.js";
import type { Equipment } from "../engine/evaluate/equipment.js";
import { copyOfValues } from "../engine/frame/program-values.js";
import { checkOptions, OBJECT, type OptionTable } from "../policy/options.js";
import { engineOptionsOfSet } from "./set-engine.js";

export type { CheckEngine, CheckEngineOptions } from "../engine/evaluate/check-engine.js";
export { type CerbosClient, EmbeddedClient, type EmbeddedClientOptions } from "./client.js";

export interface BundledEngineOptions extends CheckEngineOptions {
  /** `EVERYTHING` of `keyward/runtime/everything` if schemas are enforced. Default: the equipment that the bundle needs. */
  readonly equipment?: Equipment;
}

const BUNDLED_ENGINE_OPTIONS = {
  ...CHECK_ENGINE_OPTIONS,
  equipment: OBJECT,
} satisfies OptionTable<BundledEngineOptions>;

/**
 * The engine of a bundle, for `EmbeddedClient`. Left: why the bundle is refused. The engine uses all policies of the
 * directory, of every version. A setting that is not given is that of the bundle's configuration. Throws a `TypeError`
 * if schemas are to be enforced and the equipment has no validator, if the globals are not JSON, for an unknown option
 * or an invalid value.
 */
export function loadCheckEngine(bundle: Bundle, options: BundledEngineOptions = {}): Either<BundleFault, CheckEngine> {
  checkOptions(options, { ...BUNDLED_ENGINE_OPTIONS, ...SIGNED_OPTIONS });
  const fault = importedFault(options) ?? faultOf(bundle, {});
  if (fault !== undefined) return { _tag: "Left", left: fault };
  const built = builtSettings(bundle);
  if (built === undefined) return { _tag: "Left", left: DAMAGED };
  const { equipment = bundle.equipment ?? CORE, globals = built.globals ?? {} } = options;
  const { schemaEnforcement = built.schemaEnforcement } = options;
  if (schemaEnforcement !== "none" && equipment.validator === undefined) {
    throw new TypeError("schemaEnforcement needs the equipment EVERYTHING of keyward/runtime/everything");
  }
  const given = { ...options, globals: copyOfValues(globals, "globals", "exact") };
  try {
    return { _tag: "Right", right: checkEngineOf(modelOf(bundle.texts), equipment, given, built) };
  } catch {
    return { _tag: "Left", left: DAMAGED };
  }
}

/** The configuration that a bundle was built with; undefined if its texts are damaged. */
function builtSettings({ texts }: Bundle): CheckEngineOptions | undefined {
  try {
    return engineOptionsOfSet(headOf(texts).configuration);
  } catch {
    return undefined;
  }
}
