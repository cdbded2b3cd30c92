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

  /** Where there are too many, the oldest are taken back: nobody who asks for many keeps others from theirs. */
  functionFor({ conditions, types }: Wanted, holder: Holder): Holding | undefined {
    const written = generate(
      conditions.map(({ what }) => what),
      types,
    );
    const size = written?.text.text.length ?? 0;
    if (written === undefined || size > MAX_SOURCE) return undefined;
    const factory = compileText(written.text);
    if (factory === undefined) return undefined;
    this.hold(holder, size);
    const around = surroundings(this.closures, conditions, types);
    return { needsActivation: written.left.length > 0, make: (words) => made(factory, written, around, words) };
  }

  bindingFor({ conditions, types }: Wanted, holder: Holder): BindingFunction | undefined {
    const written = generateStaged(
      conditions.map(({ what }) => what),
      types,
    );
    const size = written?.text.text.length ?? 0;
    if (written === undefined || size > MAX_SOURCE) return undefined;
    const factory = compileText(written.text);
    if (factory === undefined) return undefined;
    this.hold(holder, size);
    return madeToBind(factory, written, surroundings(this.closures, conditions, types), []);
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
