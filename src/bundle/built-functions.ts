/** The functions of a bundle, in place of those that are generated at run time. */

import type { FunctionSource, Holding, Wanted } from "../engine/evaluate/equipment.js";
import { HELPERS } from "../engine/generate/helpers.js";
import { made } from "../engine/generate/written.js";
import type { BundledFunction } from "./bundle.js";
import { functionKey } from "./function-key.js";

export class BuiltFunctions implements FunctionSource {
  readonly warmUp = 1;
  private readonly byKey: ReadonlyMap<string, BundledFunction>;

  constructor(byKey: ReadonlyMap<string, BundledFunction>) {
    this.byKey = byKey;
  }

  functionFor(wanted: Wanted): Holding | undefined {
    const found = this.byKey.get(functionKey(wanted));
    if (found === undefined) return undefined;
    const [, left, checks, paths, factory] = found;
    const reads = paths.map(([part, ...path]) => ({ part, path }));
    return { run: made((d) => factory(HELPERS, d), { checks }, wanted.layers), left, reads };
  }
}
