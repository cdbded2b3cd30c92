/** The generated functions of a bundle: a source of functions that generates nothing at run time. */

import {
  type FunctionRequest,
  type FunctionSource,
  type HeldFunctions,
  makeHeldFunctions,
  type ReadingPlan,
} from "../engine/evaluate/equipment.js";
import { functionKey } from "../engine/evaluate/function-key.js";
import { HELPERS } from "../engine/generate/helpers.js";
import { functionOf, type ResourceReader } from "../engine/generate/written.js";
import type { DeclaredAttributeTypes } from "../engine/plan/subjects.js";
import type { Bundle, BundledLayer } from "./bundle.js";

export class BuiltFunctions implements FunctionSource {
  readonly warmUp = 1;
  private readonly functions: Bundle["functions"];
  private readonly layers: ReadonlyMap<string, BundledLayer>;
  private readonly readers: ReadonlyMap<string, number>;
  /** Cached so that V8 compiles each function once for all plans that share it. */
  private readonly made = new Map<number, ReturnType<typeof functionOf>>();
  private readonly madeLayers = new Map<string, HeldFunctions>();

  constructor({ functions, layers, readers }: Pick<Bundle, "functions" | "layers" | "readers">) {
    this.functions = functions;
    this.layers = new Map(layers.map((one) => [one[0], one]));
    this.readers = new Map(readers);
  }

  layerFunctions(wanted: FunctionRequest): HeldFunctions | undefined {
    const key = functionKey(wanted);
    const known = this.madeLayers.get(key);
    if (known !== undefined) return known;
    const [, needs, judge, reader] = this.layers.get(key) ?? [];
    if (needs === undefined) return undefined;
    const made = makeHeldFunctions(this.at(reader, [wanted.types]), this.at(judge, []), needs);
    this.madeLayers.set(key, made);
    return made;
  }

  resourceReader(plans: readonly ReadingPlan[]): ResourceReader | undefined {
    const place = this.readers.get(readerKey(plans));
    const types = plans.map(({ wanted }) => wanted.types);
    return place === undefined ? undefined : this.at(place, types);
  }

  private at(place: number | undefined, types: readonly DeclaredAttributeTypes[]) {
    const known = place === undefined ? undefined : this.made.get(place);
    if (known !== undefined) return known;
    const [checks, factory] = this.functions[place ?? -1] ?? [];
    if (place === undefined || factory === undefined) throw new Error("keyward: a bundle lacks one of its functions");
    const made = functionOf((d) => factory(HELPERS, d), checks, types);
    this.made.set(place, made);
    return made;
  }
}

/** The key of a resource reader: the function keys of its plans, with `null` for a plan that closures judge. */
export function readerKey(
  plans: readonly { readonly wanted: FunctionRequest; readonly functions: object | undefined }[],
): string {
  return JSON.stringify(plans.map(({ wanted, functions }) => (functions === undefined ? null : functionKey(wanted))));
}
