/** A refusal, from wherever the parser is. Loading is not a hot path, and `parseExpression` throws none. */
export class ParseFault extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}
