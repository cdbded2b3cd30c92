/**
 * A refusal, thrown by any part of the parser. `parseExpression` catches it and never throws. Loading policies is not a
 * hot path, so exceptions are acceptable here.
 */
export class ParseFault extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}
