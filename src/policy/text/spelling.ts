/** See `offsets.ts`. */

/** A value under construction, with the source offset of each UTF-16 unit. */
export class Spelling {
  value = "";
  readonly offsets: number[] = [];

  push(text: string, at: number): void {
    for (let i = 0; i < text.length; i++) this.offsets.push(at);
    this.value += text;
  }

  /** Appends `text`, which is in the file at `at` unchanged. */
  copy(text: string, at: number): void {
    for (let i = 0; i < text.length; i++) this.offsets.push(at + i);
    this.value += text;
  }
}
