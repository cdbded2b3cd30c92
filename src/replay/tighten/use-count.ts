/** A number of uses, with the first and the last time. */

import { TimeSpan } from "../time-span.js";

export interface UseCounts {
  readonly uses: number;
  /** Undefined: there is no use, or no entry has a time. */
  readonly first: string | undefined;
  readonly last: string | undefined;
}

export class UseCount {
  private uses = 0;
  private readonly span = new TimeSpan();

  add(time: string | undefined): void {
    this.uses += 1;
    if (time !== undefined) this.span.add(time);
  }

  counts(): UseCounts {
    const { first, last } = this.span;
    return { uses: this.uses, first, last };
  }
}
