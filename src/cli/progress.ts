/** Shows progress on a terminal. Short runs end before the first line is due. */

import type { Streams } from "./exit.js";

/** Milliseconds from the start to the first line, and from each line to the next. */
const PAUSE = 250;

export class Progress {
  private readonly streams: Streams;
  private next = performance.now() + PAUSE;
  private shown = false;

  constructor(streams: Streams) {
    this.streams = streams;
  }

  show(text: () => string): void {
    if (this.streams.errIsTerminal !== true) return;
    const now = performance.now();
    if (now < this.next) return;
    this.next = now + PAUSE;
    this.shown = true;
    this.streams.err(`\r\x1b[K${text()}`);
  }

  clear(): void {
    if (this.shown) this.streams.err("\r\x1b[K");
  }
}
