/** The sources of entries: JSON lines, a JSON list, CSV, or a query to PostgreSQL. */

import type { Hash } from "node:crypto";
import type { Streams } from "../exit.js";
import { type JsonText, readJsonValues } from "../json-values.js";
import { readInput } from "../read-input.js";
import { csvRecords } from "./csv-records.js";
import { type MatrixDatabase, queryIn } from "./postgres.js";
import { type ColumnTypes, valueOfRecord } from "./records.js";

/** An entry of a source: its value, or why it has none. */
export interface SourceEntry {
  readonly json: JsonText;
  /** From 1: the line in the file. Absent for an item of a list, and for a row of a query. */
  readonly line?: number;
}

export interface SourceReaders {
  readonly streams: Streams;
  readonly database: MatrixDatabase;
  /** Takes the bytes of each file, and the rows of each query. */
  readonly hash: Hash;
}

/**
 * The entries of a source, in order. `postgres:QUERY` is a query, and `FILE.sql` a file with one; `FILE.csv` is CSV.
 * Every other file, and standard input (`-`), is JSON. `types` gives the types of the columns of CSV and of queries.
 */
export async function* sourceEntries(
  source: string,
  types: ColumnTypes,
  { streams, database, hash }: SourceReaders,
): AsyncGenerator<SourceEntry> {
  const query = await queryIn(source, streams);
  if (query !== undefined) {
    for await (const record of database.rows(query)) {
      hash.update(`${JSON.stringify(record)}\n`);
      yield { json: valueOfRecord(record, types) };
    }
    return;
  }
  const pieces = hashed(readInput(source, streams), hash);
  if (/\.csv$/i.test(source)) {
    for await (const { line, record } of csvRecords(source, pieces)) {
      yield { json: record.ok ? valueOfRecord(record.value, types) : record, line };
    }
    return;
  }
  yield* jsonEntries(pieces);
}

/** The JSON values of a text: one a line, or the items of lists. */
async function* jsonEntries(pieces: AsyncIterable<string | Uint8Array>): AsyncGenerator<SourceEntry> {
  for await (const json of readJsonValues(pieces)) {
    // Entries are objects, so a list is a list of entries.
    if (!json.ok || !Array.isArray(json.value)) yield { json, line: json.line };
    else for (const value of json.value) yield { json: { ok: true, value } };
  }
}

async function* hashed(pieces: AsyncIterable<string | Uint8Array>, hash: Hash): AsyncGenerator<string | Uint8Array> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}
