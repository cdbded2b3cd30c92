/** Rows of a CSV file (RFC 4180), safe to open in a spreadsheet. */

/** A spreadsheet takes a cell that begins so for a formula; the apostrophes are those of {@link withoutFormula}. */
const FORMULA = /^'*[=+\-@＝＋－＠\t\r\n]/;

/** A row with its line end. */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map((text) => quotedCell(withoutFormula(text))).join(",")}\r\n`;
}

/** A text that a spreadsheet would run gets an apostrophe before it. Different texts give different cells. */
export function withoutFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** The text of a cell that {@link withoutFormula} made. */
export function withFormula(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

/** A text as a cell, in quotes if it needs them. */
export function quotedCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
