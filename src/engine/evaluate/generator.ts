/** Generates the functions of a layer at run time: for plans in use, and a bounded number at a time. */

import type { Layout } from "../frame/layout.js";
import { compileText, type GeneratedReader, generateLayer, generateReader } from "../generate/generate.js";
import { IndexPlaces } from "../generate/reads.js";
import { functionOf, type ResourceReader } from "../generate/written.js";
import type { DeclaredAttributeTypes } from "../plan/subjects.js";
import {
  type FunctionHolder,
  type FunctionRequest,
  type FunctionSource,
  type HeldFunctions,
  makeHeldFunctions,
  type ReadingPlan,
} from "./equipment.js";

/**
 * Characters of source that one layer keeps functions for, so that memory has a bound (the invariant "bounded plans"). A
 * condition takes a few hundred; machine code is a few times its source.
 */
const MAX_SOURCE = 4_000_000;

/**
 * Closures judge a plan with more conditions: writing its function takes some 0.1 ms a condition in one decision, and
 * saves little where so many attributes are read.
 */
export const MAX_CONDITIONS = 256;

/** The layouts of resources. A reader is generated for the layouts of plans of several layers. */
const layouts = new WeakMap<HeldFunctions, Layout>();

/** One generated function, and the plans that use it. */
interface GeneratedFunction {
  readonly run: ReturnType<typeof functionOf>;
  readonly size: number;
  readonly holders: Set<FunctionHolder>;
}

export class Generator implements FunctionSource {
  readonly warmUp = 20;
  /** By text and types, least recently assigned first. Plans with equal functions share them, and their machine code. */
  private readonly entries = new Map<string, GeneratedFunction>();
  /** The keys of the functions that each holder uses. */
  private readonly used = new Map<FunctionHolder, string[]>();
  private readonly names = new WeakMap<object, number>();
  private lastName = 0;
  private readonly places = new IndexPlaces();
  private left = MAX_SOURCE;

  layerFunctions(wanted: FunctionRequest, holder: FunctionHolder): HeldFunctions | undefined {
    const made = wanted.conditions.length > MAX_CONDITIONS ? undefined : generateLayer(wanted, this.places);
    if (made === undefined) return undefined;
    this.forget(holder);
    const judge = this.made({ text: made.text, checks: [] }, [], holder);
    const read = judge && this.made(made.reader, [wanted.types], holder);
    if (judge === undefined || read === undefined) return undefined;
    const functions = makeHeldFunctions(read, judge, made);
    layouts.set(functions, made.resource);
    return functions;
  }

  resourceReader(plans: readonly ReadingPlan[], holder: FunctionHolder): ResourceReader | undefined {
    const types = plans.map(({ wanted }) => wanted.types);
    this.forget(holder);
    return this.made(generateReader(...readerSources(plans, (functions) => layouts.get(functions))), types, holder);
  }

  /** Characters of source that functions are held for. */
  get size(): number {
    return MAX_SOURCE - this.left;
  }

  /**
   * Makes a function, or shares a known one. If there are too many functions, the oldest are evicted, and their holders
   * may ask again. So a caller who asks for many does not evict all others' functions for good.
   */
  private made({ text, checks }: GeneratedReader, types: readonly DeclaredAttributeTypes[], holder: FunctionHolder) {
    const key = checks.length === 0 ? text.text : `${this.nameOf(types)}\n${text.text}`;
    const known = this.entries.get(key);
    if (known !== undefined) return this.hold(known, key, holder);
    const size = text.text.length;
    const factory = size <= MAX_SOURCE ? compileText(text) : undefined;
    if (factory === undefined) return undefined;
    for (const oldest of this.entries.values()) {
      if (this.left >= size) break;
      this.evict(oldest);
    }
    const entry = { run: functionOf(factory, checks, types), size, holders: new Set<FunctionHolder>() };
    this.left -= size;
    return this.hold(entry, key, holder);
  }

  private hold(entry: GeneratedFunction, key: string, holder: FunctionHolder): GeneratedFunction["run"] {
    // Last, so that functions that new plans use are not evicted with all plans that use them.
    this.entries.delete(key);
    this.entries.set(key, entry);
    entry.holders.add(holder);
    const keys = this.used.get(holder) ?? [];
    keys.push(key);
    this.used.set(holder, keys);
    return entry.run;
  }

  private evict({ holders }: GeneratedFunction): void {
    for (const holder of [...holders]) {
      this.forget(holder);
      holder.release();
    }
  }

  /** Drops the functions that this holder alone uses. */
  private forget(holder: FunctionHolder): void {
    for (const key of this.used.get(holder) ?? []) {
      const entry = this.entries.get(key);
      entry?.holders.delete(holder);
      if (entry === undefined || entry.holders.size > 0) continue;
      this.entries.delete(key);
      this.left += entry.size;
    }
    this.used.delete(holder);
  }

  /** Tells declared types apart: functions with equal texts may check values by different types. */
  private nameOf(types: readonly DeclaredAttributeTypes[]): string {
    const declared = types.flatMap(({ principal, resource }) => [principal, resource]);
    return JSON.stringify(declared.map((one) => one && this.numberOf(one)));
  }

  private numberOf(declared: object): number {
    const number = this.names.get(declared) ?? ++this.lastName;
    this.names.set(declared, number);
    return number;
  }
}

/** The arguments of {@link generateReader} for some plans. */
export function readerSources<F extends Pick<HeldFunctions, "left">>(
  plans: readonly { readonly wanted: FunctionRequest; readonly functions: F | undefined }[],
  layoutOf: (functions: F) => Layout | undefined,
): Parameters<typeof generateReader> {
  const [first, second] = plans;
  const schema = first?.wanted.schemas.resource;
  return [
    plans.map(({ functions }) => (functions && layoutOf(functions)) ?? []),
    schema !== undefined && schema === second?.wanted.schemas.resource,
    plans.some(
      ({ wanted, functions }) => !isSteady(wanted) && (functions === undefined || readsMore(wanted, functions)),
    ),
  ];
}

/** Whether closures are never asked. */
function isSteady({ conditions, outputs }: FunctionRequest): boolean {
  return conditions.length === 0 && outputs.length === 0;
}

/** Whether closures read attributes that the functions of their plan do not. */
function readsMore({ outputs }: FunctionRequest, { left }: Pick<HeldFunctions, "left">): boolean {
  return outputs.length > 0 || left.length > 0;
}
