/** Counts function calls with V8's exact counters. V8's built-in work, such as a search in a text, is not counted. */

import { Session } from "node:inspector";

export class CallCounter {
  private readonly session = new Session();
  private readonly counts: (url: string) => boolean;

  /**
   * Begins to count calls in the modules that `counts` accepts. This walks the whole heap, and counted code runs
   * slower.
   */
  constructor(counts: (url: string) => boolean) {
    this.counts = counts;
    this.session.connect();
    // The session debugs its own thread, so answers come before `post` returns.
    this.session.post("Profiler.enable");
    this.session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  }

  /** The number of calls since the last `take`. */
  take(): number {
    let calls = Number.NaN;
    this.session.post("Profiler.takePreciseCoverage", (error, { result }) => {
      if (error !== null) throw error;
      const counted = result.filter(({ url }) => this.counts(url)).flatMap(({ functions }) => functions);
      calls = counted.reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0);
    });
    return calls;
  }

  stop(): void {
    this.session.disconnect();
  }
}
