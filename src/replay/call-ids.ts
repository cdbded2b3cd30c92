/** The ids of calls in a log: they show entries that are there twice, and decisions that the log does not have. */

import { plural } from "../audit/plural.js";
import type { LineResult } from "./replay.js";

/** Ids that are kept: 100 bytes each. Later ids are not compared. */
const MAX_IDS = 1_000_000;

export class CallIds {
  private readonly most: number;
  /** The calls with a decision entry. */
  private readonly decided = new Set<string>();
  /** The calls with an access entry of a decision, and without a decision entry so far. */
  private readonly undecided = new Set<string>();
  private repeated = 0;
  private firstRepeated = 0;
  /** The line of the first id that was not compared. */
  private firstLeftOut: number | undefined = undefined;

  constructor(most = MAX_IDS) {
    this.most = most;
  }

  add(id: string | undefined, result: LineResult, line: number): void {
    if (id === undefined) return;
    const { decided, undecided } = this;
    const isAccess = result.kind === "skipped" && result.reason === "access entry of a decision";
    if (result.kind === "skipped" && !isAccess && result.reason !== "inputs left out as oversized") return;
    if (decided.has(id)) {
      if (!isAccess && this.repeated++ === 0) this.firstRepeated = line;
      return;
    }
    if (!isAccess) undecided.delete(id);
    if (decided.size + undecided.size >= this.most) this.firstLeftOut ??= line;
    else (isAccess ? undecided : decided).add(id);
  }

  notes(): readonly string[] {
    const { repeated, firstRepeated, firstLeftOut, most } = this;
    // An id that was not compared may be the decision entry of any of these.
    const missing = firstLeftOut === undefined && this.decided.size > 0 ? this.undecided.size : 0;
    return [
      ...(repeated === 0
        ? []
        : [
            `${repeated === 1 ? "1 entry repeats" : `${repeated} entries repeat`} the id of a call, first in line ${firstRepeated}`,
          ]),
      ...(missing === 0
        ? []
        : [
            `${plural(missing, "call")} of the access log without a decision entry: refused calls, or a filtered decision log`,
          ]),
      ...(firstLeftOut === undefined
        ? []
        : [`ids of calls were compared as far as line ${firstLeftOut - 1}: only ${most} are kept`]),
    ];
  }
}
