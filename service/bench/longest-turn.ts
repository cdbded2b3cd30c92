/** The longest turn of the event loop, in processor time: how long other requests could not be served. */

export class LongestTurn {
  private longest = 0;
  private isOn = false;

  /** Measures each turn from now on, and returns 0. The loop is then never idle. */
  start(): number {
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
    return this.longest;
  }

  /** Microseconds of the longest turn since the start. */
  stop(): number {
    this.isOn = false;
    return this.longest;
  }
}

/** Of all threads of the process, also of those that compile and collect garbage meanwhile: never too little. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
