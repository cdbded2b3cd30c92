/** The longest turn of the event loop, in processor time: how long other requests could not be served. */

export class LongestTurn {
  private longest = 0;
  private isOn = false;

  /** Measures each turn from now on. The loop is then never idle. */
  start(): void {
    this.isOn = true;
    this.longest = 0;
    let before = processorTime();
    const turn = () => {
      const now = processorTime();
      this.longest = Math.max(this.longest, now - before);
      before = now;
      if (this.isOn) setImmediate(turn);
    };
    setImmediate(turn);
  }

  /** Microseconds of the longest turn since the start. */
  stop(): number {
    this.isOn = false;
    return this.longest;
  }
}

/** Of all threads of the process: with the flags of `ONE_THREAD`, few other threads work. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Flags of Node: V8 compiles and collects garbage on the main thread. */
export const ONE_THREAD = ["--single-threaded", "--v8-pool-size=0"];
