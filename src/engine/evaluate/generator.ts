/** Functions of one layer that are generated at run time: for plans in use, and not too many at a time. */

import { compileText, generate, generateStaged } from "../generate/generate.js";
import { type BindingFunction, made, madeToBind } from "../generate/written.js";
import type { Closures } from "./closures.js";
import type { FunctionSource, Holder, Holding, Wanted } from "./equipment.js";
import { surroundings } from "./surroundings.js";

/**
 * Characters of source that one layer keeps functions for, so that memory has a bound (the invariant "bounded plans"). A
 * condition takes a few hundred; machine code is a few times its source.
 */
const MAX_SOURCE = 4_000_000;

export class Generator implements FunctionSource {
  readonly warmUp = 20;
  private readonly closures: Closures;
  /** In the order in which functions were made. */
  private readonly held = new Map<Holder, number>();
  private left = MAX_SOURCE;

  constructor(closures: Closures) {
    this.closures = closures;
  }

  functionFor(wanted: Wanted, holder: Holder): Holding | undefined {
    const generated = this.generated(generate, wanted, holder);
    if (generated === undefined) return undefined;
    const { written, factory, around } = generated;
    return { needsActivation: written.left.length > 0, make: (words) => made(factory, written, around, words) };
  }

  bindingFor(wanted: Wanted, holder: Holder): BindingFunction | undefined {
    const generated = this.generated(generateStaged, wanted, holder);
    return generated && madeToBind(generated.factory, generated.written, generated.around, []);
  }

  /** Where there are too many, the oldest are taken back: nobody who asks for many keeps others from theirs. */
  private generated(write: typeof generate, { conditions, types }: Wanted, holder: Holder) {
    const written = write(
      conditions.map(({ what }) => what),
      types,
    );
    const size = written?.text.text.length ?? 0;
    if (written === undefined || size > MAX_SOURCE) return undefined;
    const factory = compileText(written.text);
    if (factory === undefined) return undefined;
    this.hold(holder, size);
    return { written, factory, around: surroundings(this.closures, conditions, types) };
  }

  /** Characters of source that functions are held for. */
  get size(): number {
    return MAX_SOURCE - this.left;
  }

  private hold(holder: Holder, size: number): void {
    for (const [oldest, freed] of this.held) {
      if (this.left >= size) break;
      this.held.delete(oldest);
      this.left += freed;
      oldest.release();
    }
    this.held.set(holder, size);
    this.left -= size;
  }
}
