/** A number of uses, with the first and the last time. */

export interface UseCounts {
  readonly uses: number;
  /** Undefined: there is no use, or no entry has a time. */
  readonly first: string | undefined;
  readonly last: string | undefined;
}

export class UseCount {
  private uses = 0;
  private first: string | undefined = undefined;
  private last: string | undefined = undefined;

  add(time: string | undefined): void {
    this.uses += 1;
    if (time === undefined) return;
    if (this.first === undefined || time < this.first) this.first = time;
    if (this.last === undefined || time > this.last) this.last = time;
  }

  counts(): UseCounts {
    const { uses, first, last } = this;
    return { uses, first, last };
  }
}
