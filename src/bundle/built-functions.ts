/** The functions of a bundle, in place of those that are generated at run time. */

import type { Closures } from "../engine/evaluate/closures.js";
import type { FunctionSource, Holding, Wanted } from "../engine/evaluate/equipment.js";
import { surroundings } from "../engine/evaluate/surroundings.js";
import { HELPERS } from "../engine/generate/helpers.js";
import { made } from "../engine/generate/written.js";
import type { BundledFunction } from "./bundle.js";
import { functionKey } from "./function-key.js";

export class BuiltFunctions implements FunctionSource {
  readonly warmUp = 1;
  private readonly closures: Closures;
  private readonly byKey: ReadonlyMap<string, BundledFunction>;

  constructor(closures: Closures, byKey: ReadonlyMap<string, BundledFunction>) {
    this.closures = closures;
    this.byKey = byKey;
  }

  functionFor(wanted: Wanted): Holding | undefined {
    const found = this.byKey.get(functionKey(wanted));
    if (found === undefined) return undefined;
    const [, left, checks, paths, factory] = found;
    const slots = paths.map(([subject, ...path]) => ({ subject, path }));
    const around = surroundings(this.closures, wanted.conditions, wanted.types);
    const needs = { left, checks, slots };
    return {
      needsActivation: left.length > 0,
      make: (words) => made((...given) => factory(HELPERS, ...given), needs, around, words),
    };
  }
}
