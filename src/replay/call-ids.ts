/** The ids of calls in a log: they show entries that are there twice, and decisions that the log does not have. */

import { plural } from "../audit/plural.js";
import type { LineResult } from "./replay.js";

export class CallIds {
  /** The calls with a decision entry, and those with an access entry of a decision. */
  private readonly decided = new Set<string>();
  private readonly accessed = new Set<string>();
  private repeated = 0;
  private firstRepeated = 0;

  add(id: string | undefined, result: LineResult, line: number): void {
    if (id === undefined) return;
    if (result.kind !== "skipped" || result.reason === "inputs left out as oversized") {
      if (this.decided.has(id) && this.repeated++ === 0) this.firstRepeated = line;
      this.decided.add(id);
    } else if (result.reason === "access entry of a decision") this.accessed.add(id);
  }

  notes(): readonly string[] {
    const { repeated, firstRepeated } = this;
    const missing = [...this.accessed].filter((id) => !this.decided.has(id)).length;
    return [
      ...(repeated === 0
        ? []
        : [
            `${repeated === 1 ? "1 entry repeats" : `${repeated} entries repeat`} the id of a call, first in line ${firstRepeated}`,
          ]),
      ...(missing === 0 || this.decided.size === 0
        ? []
        : [
            `${plural(missing, "call")} of the access log without a decision entry: refused calls, or a filtered decision log`,
          ]),
    ];
  }
}
