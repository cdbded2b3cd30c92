/** Prints results of actions for people: lists as tables, everything else as one `name: value` a line. */

/** Text of a result. Characters that terminals interpret, and characters that cannot be seen, are escaped. */
export function asText(result: object): string {
  return `${Object.entries(result)
    .flatMap(([name, value]) => linesOf(name, value))
    .join("\n")}\n`;
}

function linesOf(name: string, value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every(isRecord)) return value.length === 0 ? [`${name}: none`] : tableOf(value);
  if (isRecord(value)) return Object.entries(value).map(([field, inner]) => `${field}: ${cellOf(inner)}`);
  return [`${name}: ${cellOf(value)}`];
}

function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Columns are as wide as their widest cell. All rows have the same fields. */
function tableOf(rows: readonly { readonly [name: string]: unknown }[]): readonly string[] {
  const names = Object.keys(rows[0] ?? {});
  const cells = [names, ...rows.map((row) => names.map((name) => cellOf(row[name])))];
  const widths = names.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map(cellOf).join(",");
  if (isRecord(value))
    return Object.entries(value)
      .map(([name, inner]) => `${name}=${cellOf(inner)}`)
      .join(" ");
  return String(value).replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
