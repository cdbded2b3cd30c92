/** JSON of reports with long lists, written in pieces: a text of the whole would take more memory than the report. */

import { jsonText } from "../policy/escape.js";
import type { Streams } from "./exit.js";

/** Items of a list that are written together. */
const ITEMS = 1_000;

/** Writes an object as `jsonText` with an indent of 2 does, and a line feed. Waits for the reader of the output. */
export async function writeLongJson(fields: object, streams: Pick<Streams, "out" | "drained">): Promise<void> {
  for (const piece of jsonPieces(fields)) {
    streams.out(piece);
    await streams.drained?.();
  }
}

function* jsonPieces(fields: object): Generator<string> {
  const entries: readonly (readonly [string, unknown])[] = Object.entries(fields);
  let start = "{";
  for (const [name, value] of entries) {
    if (value === undefined) continue;
    const head = `${start}\n  ${jsonText(name)}: `;
    start = ",";
    if (!Array.isArray(value) || value.length <= ITEMS) {
      yield head + indented(value, "  ");
      continue;
    }
    for (let i = 0; i < value.length; i += ITEMS) {
      const items = value.slice(i, i + ITEMS).map((item: unknown) => `    ${indented(item, "    ")}`);
      yield `${i === 0 ? `${head}[\n` : ",\n"}${items.join(",\n")}`;
    }
    yield "\n  ]";
  }
  yield start === "{" ? "{}\n" : "\n}\n";
}

/** The JSON of a value, with an indent for all lines but the first. JSON has no line feed in a text. */
function indented(value: unknown, indent: string): string {
  return jsonText(value, 2).replaceAll("\n", `\n${indent}`);
}
