/** The functions of a bundle, in place of those that are generated at run time. */

import type { Binding, FunctionSource, Holding, Wanted } from "../engine/evaluate/equipment.js";
import { HELPERS } from "../engine/generate/helpers.js";
import { type AttributePath, made, madeToBind, type Part } from "../engine/generate/written.js";
import type { Bundle, BundledBinding, BundledFunction } from "./bundle.js";
import { functionKey } from "./function-key.js";

export class BuiltFunctions implements FunctionSource {
  readonly warmUp = 1;
  private readonly functions: ReadonlyMap<string, BundledFunction>;
  private readonly ofKey: ReadonlyMap<string, BundledBinding>;
  private readonly ofBoth: ReadonlyMap<string, BundledBinding>;

  constructor({ functions, bindings }: Pick<Bundle, "functions" | "bindings">) {
    this.functions = byKey(functions);
    this.ofKey = byKey(bindings.filter(([, bindsAccount]) => !bindsAccount));
    this.ofBoth = byKey(bindings.filter(([, bindsAccount]) => bindsAccount));
  }

  functionFor(wanted: Wanted): Holding | undefined {
    const found = this.functions.get(functionKey(wanted));
    if (found === undefined) return undefined;
    const [, left, checks, paths, factory] = found;
    return { run: made((d) => factory(HELPERS, d), { checks }, wanted.layers), left, reads: readsOf(paths) };
  }

  bindingFor(wanted: Wanted, bound: ReadonlySet<Part>): Binding | undefined {
    const found = (bound.has("account") ? this.ofBoth : this.ofKey).get(functionKey(wanted));
    if (found === undefined) return undefined;
    const [, , checks, paths, factory] = found;
    return { stages: madeToBind((d) => factory(HELPERS, d), { checks }, wanted.layers), reads: readsOf(paths) };
  }
}

function byKey<T extends readonly [key: string, ...unknown[]]>(all: readonly T[]): ReadonlyMap<string, T> {
  return new Map(all.map((one) => [one[0], one]));
}

function readsOf(paths: BundledFunction[3]): readonly AttributePath[] {
  return paths.map(([part, ...path]) => ({ part, path }));
}
