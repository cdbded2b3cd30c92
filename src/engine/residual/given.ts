/** What is known of one request, and what plans have found out of it. */

import type { Code } from "../../cel/compile.js";
import { keepShapeAlive } from "../../cel/keep-alive.js";
import { areStrings } from "../../cel/type-declaration.js";
import { type CelValue, TypeValue } from "../../cel/values.js";
import type { Scalar } from "./filter.js";
import type { Knowledge } from "./knowledge.js";
import type { KnownSort } from "./residue.js";
import { scalarOf } from "./scalars.js";

/**
 * What a plan is told of the value of an expression: the value itself where it is one of few, otherwise what it is. `error`:
 * there is none; `spent`: to find it out takes more than the budget.
 */
export type Finding = boolean | "null" | KnownSort | `type ${string}` | "error" | "spent";

/** Layers, values and lists go by numbers. */
export class Given {
  private readonly layers: readonly Knowledge[];
  private readonly values: (CelValue | undefined)[] = [];
  private readonly lists: (readonly Scalar[] | undefined)[] = [];

  constructor(layers: readonly Knowledge[]) {
    this.layers = layers;
  }

  known(layer: number): Knowledge {
    const known = this.layers[layer];
    if (known === undefined) throw new Error("keyward: a layer of which nothing is known");
    return known;
  }

  /** Keeps the value of an expression that reads what is known of a layer alone. */
  evaluate(layer: number, code: Code, at: number): Finding {
    const known = this.known(layer);
    const value = code(known.activation);
    return known.isExhausted ? "spent" : this.found(value, at);
  }

  /** Keeps an element of a value that is a list. */
  element(of: number, index: number, at: number): Finding {
    const list = this.value(of);
    return this.found(Array.isArray(list) ? list[index] : undefined, at);
  }

  private found(value: CelValue | undefined, at: number): Finding {
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

  /** A list that is made when it is needed first. */
  list(at: number, make: (given: Given) => readonly Scalar[]): readonly Scalar[] {
    const known = this.lists[at];
    if (known !== undefined) return known;
    const made = make(this);
    this.lists[at] = made;
    return made;
  }

  /** Lets go of the request. */
  end(): void {
    for (const layer of this.layers) layer.end();
  }

  /** Whether something was found out by the clock. */
  get readsClock(): boolean {
    return this.layers.some(({ readsClock }) => readsClock);
  }
}
keepShapeAlive(new Given([]));

function listed(list: readonly CelValue[]): KnownSort {
  if (areStrings(list)) return "texts";
  return list.every((item) => scalarOf(item) !== undefined) ? "scalars" : "other";
}
