/** Decision records as JSON lines in a file. */

import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";

export class DecisionLog {
  private readonly stream: WriteStream;

  /** Appends to the file. Rejects if it cannot be opened. `onError` is called if a record cannot be written. */
  static async open(file: string, onError: (error: Error) => void): Promise<DecisionLog> {
    const stream = createWriteStream(file, { flags: "a" });
    await once(stream, "open");
    stream.on("error", onError);
    return new DecisionLog(stream);
  }

  private constructor(stream: WriteStream) {
    this.stream = stream;
  }

  write(record: object): void {
    this.stream.write(`${JSON.stringify({ time: new Date().toISOString(), ...record })}\n`);
  }

  /** Writes what is left, and closes the file. */
  async end(): Promise<void> {
    if (this.stream.destroyed) return;
    await new Promise<void>((resolve) => this.stream.end(resolve));
  }
}
