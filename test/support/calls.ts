/** How many functions were called: V8 counts that exactly. What it does by itself, such as a search in a text, is no call. */

import { Session } from "node:inspector";

export class CallCounter {
  private readonly session = new Session();
  private readonly counts: (url: string) => boolean;

  /** Begins to count calls of the modules that `counts` takes. That walks the whole heap, and code that counts is slower. */
  constructor(counts: (url: string) => boolean) {
    this.counts = counts;
    this.session.connect();
    // Answers come before `post` returns: the session is one with its own thread.
    this.session.post("Profiler.enable");
    this.session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  }

  /** The calls since it was asked last. */
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
