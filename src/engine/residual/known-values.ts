/** The known part of one request, with the values that plans have computed from it. */

import type { Code } from "../../cel/compile.js";
import { keepShapeAlive } from "../../cel/keep-alive.js";
import { areStrings } from "../../cel/type-declaration.js";
import { type CelValue, TypeValue } from "../../cel/values.js";
import type { FilterScalar } from "./filter.js";
import type { KnownRequest } from "./known-request.js";
import type { KnownSort } from "./residual-expression.js";
import { scalarOf } from "./scalars.js";

/**
 * The answer to a plan about the value of an expression: the value itself if few values are possible, otherwise its
 * sort. `error`: the expression errs. `spent`: computing the value takes more than the step budget.
 */
export type KnownValueFinding = boolean | "null" | KnownSort | `type ${string}` | "error" | "spent";

/** Layers, values and lists are identified by numbers. */
export class KnownValues {
  private readonly layers: readonly KnownRequest[];
  private readonly values: (CelValue | undefined)[] = [];
  private readonly lists: (readonly FilterScalar[] | undefined)[] = [];

  constructor(layers: readonly KnownRequest[]) {
    this.layers = layers;
  }

  known(layer: number): KnownRequest {
    const known = this.layers[layer];
    if (known === undefined) throw new Error("keyward: a layer of which nothing is known");
    return known;
  }

  /** Evaluates an expression that reads only known values of a layer, and keeps its value as number `at`. */
  evaluate(layer: number, code: Code, at: number): KnownValueFinding {
    const known = this.known(layer);
    const value = code(known.activation);
    return known.isExhausted ? "spent" : this.found(value, at);
  }

  /** Keeps an element of a list as value number `at`. */
  element(of: number, index: number, at: number): KnownValueFinding {
    const list = this.value(of);
    return this.found(Array.isArray(list) ? list[index] : undefined, at);
  }

  private found(value: CelValue | undefined, at: number): KnownValueFinding {
    if (value === undefined) return "error";
    this.values[at] = value;
    if (value instanceof TypeValue) return `type ${value.name}`;
    const scalar = scalarOf(value);
    if (scalar === null) return "null";
    if (typeof scalar === "boolean") return scalar;
    if (scalar === undefined) return Array.isArray(value) ? listed(value) : "other";
    return typeof scalar === "string" ? "string" : "number";
  }

  value(at: number): CelValue {
    return this.values[at] ?? null;
  }

  /** A list, made on first use. */
  list(at: number, make: (given: KnownValues) => readonly FilterScalar[]): readonly FilterScalar[] {
    const known = this.lists[at];
    if (known !== undefined) return known;
    const made = make(this);
    this.lists[at] = made;
    return made;
  }

  /** Releases the request. */
  end(): void {
    for (const layer of this.layers) layer.end();
  }

  /** Whether any value was computed from the clock. */
  get readsClock(): boolean {
    return this.layers.some(({ readsClock }) => readsClock);
  }
}
keepShapeAlive(new KnownValues([]));

function listed(list: readonly CelValue[]): KnownSort {
  if (areStrings(list)) return "texts";
  return list.every((item) => scalarOf(item) !== undefined) ? "scalars" : "other";
}
