/**
 * SQL as a tree of pieces.
 *
 * INVARIANT (values apart): no text of a value becomes SQL. The text of a statement is written in this folder's sources,
 * or is a quoted name of the mapping. Every value is a parameter.
 */

/** A value, passed as a parameter. */
export class Parameter {
  readonly value: string | number | boolean;
  constructor(value: string | number | boolean) {
    this.value = value;
  }
}

/** A part of a statement. */
export type Sql = string | Parameter | readonly Sql[];

/** Writes SQL: ``sql`${column} = ${parameter}` ``. */
export function sql(texts: TemplateStringsArray, ...parts: readonly Sql[]): Sql {
  return texts.flatMap((text, i): readonly Sql[] => {
    const part = parts[i];
    return part === undefined ? [text] : [text, part];
  });
}

export function joinedSql(parts: readonly Sql[], between: string): Sql {
  return parts.flatMap((part, i) => (i === 0 ? [part] : [between, part]));
}

/** Quotes an identifier. Embedded quotes are doubled, so it cannot break out. */
export function quotedIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The prefix of all aliases in a condition. */
export const ALIAS = "keyward_";

export const TRUE = "TRUE";
export const FALSE = "FALSE";
