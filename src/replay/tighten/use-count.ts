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
    this.addAll({ uses: 1, first: time, last: time });
  }

  /** Adds uses that are counted already. */
  addAll({ uses, first, last }: UseCounts): void {
    this.uses += uses;
    if (first !== undefined) this.span.add(first);
    if (last !== undefined) this.span.add(last);
  }

  counts(): UseCounts {
    const { first, last } = this.span;
    return { uses: this.uses, first, last };
  }
}
