/** A statement of SQL. */

/** A statement, prepared once on each connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** True if the text belongs to one request. Then it is not prepared, as connections would keep every such text. */
  readonly isOwn?: boolean;
}
