/** Reads records from CSV (RFC 4180), whose first row names the columns. */

import { Readable } from "node:stream";
import { isObject } from "../../cel/json.js";
import { messageOf, UsageError } from "../exit.js";
import type { JsonFault } from "../json-values.js";
import type { SourceRecord } from "./records.js";

export interface CsvRecord {
  /** The line of its first cell, from 1. */
  readonly line: number;
  /** A fault: the row has more or fewer cells than there are columns. */
  readonly record: { readonly ok: true; readonly value: SourceRecord } | JsonFault;
}

/** Throws a {@link UsageError} for a file that is not CSV, and for columns without a name, or with the same one. */
export async function* csvRecords(file: string, pieces: AsyncIterable<string | Uint8Array>): AsyncGenerator<CsvRecord> {
  // Imported on demand: most commands read no CSV.
  const { parse } = await import("csv-parse");
  const parser = Readable.from(pieces, { objectMode: true }).pipe(
    parse({ bom: true, relax_column_count: true, skip_empty_lines: true, record_delimiter: LINE_ENDS, info: true }),
  );
  let columns: readonly string[] | undefined;
  try {
    for await (const parsed of parser) {
      const { row, last } = rowOf(parsed);
      if (columns === undefined) columns = columnsIn(file, row);
      else yield { line: last - linesWithin(row), record: recordOf(columns, row) };
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} is not CSV: ${messageOf(error)}`);
  }
}

const LINE_ENDS = ["\r\n", "\n", "\r"];

/** What the parser yields with `info`: the cells of a row, and its last line. */
function rowOf(parsed: unknown): { readonly row: readonly string[]; readonly last: number } {
  if (!isObject(parsed) || !Array.isArray(parsed.record) || !isObject(parsed.info)) throw new Error("no row");
  return { row: parsed.record.map(String), last: Number(parsed.info.lines) };
}

/** The line ends inside the cells of a row. */
function linesWithin(row: readonly string[]): number {
  return row.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0);
}

function columnsIn(file: string, row: readonly string[]): readonly string[] {
  const columns = row.map((name) => name.trim());
  const twice = columns.find((name, i) => columns.indexOf(name) !== i);
  if (columns.includes("")) throw new UsageError(`${file}:1: a column has no name`);
  if (twice !== undefined) throw new UsageError(`${file}:1: the column ${twice} is there twice`);
  return columns;
}

function recordOf(columns: readonly string[], row: readonly string[]): CsvRecord["record"] {
  if (row.length === columns.length) return { ok: true, value: columns.map((name, i) => [name, row[i]]) };
  return { ok: false, path: "", message: `${row.length} cells for ${columns.length} columns` };
}
