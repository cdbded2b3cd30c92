/** Functions of one layer that are generated at run time: for plans in use, and not too many at a time. */

import { compileText, type Generated, generate, generateStaged, type Write } from "../generate/generate.js";
import { type Factory, type HoldingFunction, made, madeToBind, type Part, type Stages } from "../generate/written.js";
import type { Binding, FunctionSource, Holder, Holding, Wanted } from "./equipment.js";
import { functionKey } from "./function-key.js";
import { selectedOf } from "./wanted.js";

/**
 * Characters of source that one layer keeps functions for, so that memory has a bound (the invariant "bounded plans"). A
 * condition takes a few hundred; machine code is a few times its source.
 */
const MAX_SOURCE = 4_000_000;

/** So many use one function at a time: callers can invent sets of roles, and each set is somebody who does. */
const MAX_HOLDERS = 4_096;

/** A function, and all who use it. */
interface Held<T> {
  readonly written: Generated;
  readonly code: T;
  readonly holders: Set<Holder>;
}

export class Generator implements FunctionSource {
  readonly warmUp = 20;
  private readonly functions = new Map<string | Holder, Held<HoldingFunction>>();
  private readonly stages = new Map<string | Holder, Held<Stages>>();
  /** All of them, in the order in which they were made, with what takes them out of their table. */
  private readonly held = new Map<Held<unknown>, () => void>();
  /** Those for several plans that are not made. */
  private readonly refused = new Set<string>();
  private left = MAX_SOURCE;

  functionFor(wanted: Wanted, holder: Holder): Holding | undefined {
    const key = wanted.some === undefined ? holder : functionKey(wanted);
    const held = this.find(this.functions, key, wanted, generate, made);
    const selected = held && selectedOf(wanted, held.written);
    if (held === undefined || selected === undefined) return undefined;
    hold(held.holders, holder);
    return { run: held.code, ...selected };
  }

  bindingFor(wanted: Wanted, bound: ReadonlySet<Part>, holder: Holder): Binding | undefined {
    const key = wanted.some === undefined ? holder : functionKey(wanted, bound);
    const write: Write = (layers, isSelective) => generateStaged(layers, bound, isSelective);
    const held = this.find(this.stages, key, wanted, write, madeToBind);
    const selected = held && selectedOf(wanted, held.written);
    if (held === undefined || selected === undefined) return undefined;
    hold(held.holders, holder);
    return { stages: held.code, ...selected };
  }

  /** Characters of source that functions are held for. */
  get size(): number {
    return MAX_SOURCE - this.left;
  }

  private find<T>(
    table: Map<string | Holder, Held<T>>,
    key: string | Holder,
    { layers, some }: Wanted,
    write: Write,
    make: (factory: Factory, written: Generated, layers: Wanted["layers"]) => T,
  ): Held<T> | undefined {
    const known = table.get(key);
    if (known !== undefined || (typeof key === "string" && this.refused.has(key))) return known;
    const written = write(layers, some !== undefined);
    const factory = written !== undefined && lengthOf(written) <= MAX_SOURCE ? compileText(written.text) : undefined;
    if (written === undefined || factory === undefined) {
      if (typeof key === "string") this.refused.add(key);
      return undefined;
    }
    const held = { written, code: make(factory, written, layers), holders: new Set<Holder>() };
    table.set(key, held);
    this.keep(held, () => table.delete(key));
    return held;
  }

  /** Where there are too many, the oldest are taken back: nobody who asks for many keeps others from theirs. */
  private keep(held: Held<unknown>, remove: () => void): void {
    const size = lengthOf(held.written);
    for (const [oldest, forget] of this.held) {
      if (this.left >= size) break;
      this.held.delete(oldest);
      this.left += lengthOf(oldest.written);
      forget();
      for (const holder of oldest.holders) holder.release();
    }
    this.held.set(held, remove);
    this.left -= size;
  }
}

/** Where there are too many, the one who has used it for longest is to ask again. */
function hold(holders: Set<Holder>, holder: Holder): void {
  holders.add(holder);
  if (holders.size <= MAX_HOLDERS) return;
  const [oldest] = holders;
  if (oldest === undefined) return;
  holders.delete(oldest);
  oldest.release();
}

function lengthOf({ text }: Generated): number {
  return text.text.length;
}
