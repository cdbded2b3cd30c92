/** Rows of a CSV file (RFC 4180), safe to open in a spreadsheet. */

/** A spreadsheet takes a cell that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** A row with its line end. A cell that a spreadsheet would run gets an apostrophe before it. */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
