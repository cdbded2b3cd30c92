/** Adds up the sizes of files that are read as one set. */

import { MAX_FILE_SIZE, MAX_TOTAL_SIZE } from "../limits.js";

export class SizeTally {
  private readonly unit: string;
  private total = 0;

  constructor(unit: "bytes" | "characters") {
    this.unit = unit;
  }

  /**
   * Why one more file of this size is refused; undefined if it is accepted. A file that is too large by itself is not
   * added, so that the order of files makes no difference to the others.
   */
  refusal(size: number, most = MAX_FILE_SIZE): string | undefined {
    if (size > most) return `larger than ${most} ${this.unit}`;
    this.total += size;
    return this.total > MAX_TOTAL_SIZE ? `with this file, more than ${MAX_TOTAL_SIZE} ${this.unit}` : undefined;
  }
}
