/** Standard input for commands that read it several times. */

import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Input = AsyncIterable<string | Uint8Array>;

/** Copies an input into a temporary file while it is read for the first time. Later readings read the file. */
export class KeptInput implements Input {
  private readonly input: Input;
  private file: FileHandle | undefined = undefined;
  private directory: string | undefined = undefined;

  constructor(input: Input) {
    this.input = input;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string | Uint8Array> {
    if (this.file !== undefined) {
      yield* this.file.createReadStream({ start: 0, autoClose: false, highWaterMark: 1 << 20 });
      return;
    }
    const file = await this.open();
    for await (const piece of this.input) {
      await file.writeFile(piece);
      yield piece;
    }
  }

  private async open(): Promise<FileHandle> {
    this.directory = await mkdtemp(join(tmpdir(), "keyward-input-"));
    this.file = await open(join(this.directory, "input"), "wx+", 0o600);
    // An open file can be read after its removal, except on Windows. So a killed process leaves nothing behind.
    await rm(this.directory, { recursive: true, force: true }).catch(() => undefined);
    return this.file;
  }

  /** Removes the file. */
  async close(): Promise<void> {
    await this.file?.close();
    if (this.directory !== undefined) await rm(this.directory, { recursive: true, force: true });
  }
}
