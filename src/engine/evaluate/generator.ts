/** Functions of one layer that are generated at run time: for plans in use, and not too many at a time. */

import { compileText, type Generated, generate, generateStaged } from "../generate/generate.js";
import { made, madeToBind, type Part } from "../generate/written.js";
import type { Binding, FunctionSource, Holder, Holding, Wanted } from "./equipment.js";

/**
 * Characters of source that one layer keeps functions for, so that memory has a bound (the invariant "bounded plans"). A
 * condition takes a few hundred; machine code is a few times its source.
 */
const MAX_SOURCE = 4_000_000;

export class Generator implements FunctionSource {
  readonly warmUp = 20;
  /** In the order in which functions were made. */
  private readonly held = new Map<Holder, number>();
  private left = MAX_SOURCE;

  functionFor({ layers }: Wanted, holder: Holder): Holding | undefined {
    const compiled = this.compiled(generate(layers), holder);
    if (compiled === undefined) return undefined;
    const { written, factory } = compiled;
    return { run: made(factory, written, layers), left: written.left, reads: written.reads };
  }

  bindingFor({ layers }: Wanted, bound: ReadonlySet<Part>, holder: Holder): Binding | undefined {
    const compiled = this.compiled(generateStaged(layers, bound), holder);
    if (compiled === undefined) return undefined;
    const { written, factory } = compiled;
    return { stages: madeToBind(factory, written, layers), reads: written.reads };
  }

  /** Where there are too many, the oldest are taken back: nobody who asks for many keeps others from theirs. */
  private compiled(written: Generated | undefined, holder: Holder) {
    const size = written?.text.text.length ?? 0;
    if (written === undefined || size > MAX_SOURCE) return undefined;
    const factory = compileText(written.text);
    if (factory === undefined) return undefined;
    this.hold(holder, size);
    return { written, factory };
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
