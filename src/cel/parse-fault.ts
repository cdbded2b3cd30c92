/** A refusal on the way down the tree. Loading is not a hot path, and the parser throws as well. */
export class ParseFault extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}
