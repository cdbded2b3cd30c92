/** See `offsets.ts`. */

/** A value under construction: its units, and where each came from. */
export class Spelling {
  value = "";
  readonly offsets: number[] = [];

  push(text: string, at: number): void {
    for (let i = 0; i < text.length; i++) this.offsets.push(at);
    this.value += text;
  }

  /** `text` as it stands in the file from `at`. */
  copy(text: string, at: number): void {
    for (let i = 0; i < text.length; i++) this.offsets.push(at + i);
    this.value += text;
  }
}
