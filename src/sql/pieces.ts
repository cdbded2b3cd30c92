/**
 * SQL in pieces.
 *
 * INVARIANT (values apart): no text of a value becomes SQL. Text is written in this folder's sources, or is the name of a
 * column, quoted; all else is a parameter.
 */

/** A parameter. */
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

export function joined(parts: readonly Sql[], between: string): Sql {
  return parts.flatMap((part, i) => (i === 0 ? [part] : [between, part]));
}

/** A name as SQL has it: whatever is in it, it ends where it ends. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** What names of tables within a condition begin with. */
export const ALIAS = "keyward_";

export const TRUE = "TRUE";
export const FALSE = "FALSE";
