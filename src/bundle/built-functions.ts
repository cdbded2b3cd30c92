/** The functions of a bundle, in place of those that are generated at run time. */

import type { Binding, FunctionSource, Holding, Wanted } from "../engine/evaluate/equipment.js";
import { functionKey } from "../engine/evaluate/function-key.js";
import { selectedOf } from "../engine/evaluate/wanted.js";
import { HELPERS } from "../engine/generate/helpers.js";
import {
  type Factory,
  type HoldingFunction,
  made,
  madeToBind,
  type Part,
  type Stages,
} from "../engine/generate/written.js";
import type { Bundle, BundledFunction } from "./bundle.js";

export class BuiltFunctions implements FunctionSource {
  readonly warmUp = 1;
  private readonly byKey: ReadonlyMap<string, BundledFunction>;
  /** Each is made once: what V8 compiles of it is for all who use it. */
  private readonly functions = new Map<string, HoldingFunction>();
  private readonly stages = new Map<string, Stages>();

  constructor({ functions }: Pick<Bundle, "functions">) {
    this.byKey = new Map(functions.map((one) => [one[0], one]));
  }

  functionFor(wanted: Wanted): Holding | undefined {
    const found = this.find(functionKey(wanted), wanted, this.functions, made);
    return found && { run: found.code, ...found.selected };
  }

  bindingFor(wanted: Wanted, bound: ReadonlySet<Part>): Binding | undefined {
    const found = this.find(functionKey(wanted, bound), wanted, this.stages, madeToBind);
    return found && { stages: found.code, ...found.selected };
  }

  private find<T>(
    key: string,
    wanted: Wanted,
    table: Map<string, T>,
    make: (factory: Factory, needs: BundledFunction[1], layers: Wanted["layers"]) => T,
  ) {
    const [, needs, factory] = this.byKey.get(key) ?? [];
    const selected = needs && selectedOf(wanted, needs);
    if (needs === undefined || factory === undefined || selected === undefined) return undefined;
    const code = table.get(key) ?? make((d) => factory(HELPERS, d), needs, wanted.layers);
    table.set(key, code);
    return { code, selected };
  }
}
