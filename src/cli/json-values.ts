/** Reads JSON values from a stream of UTF-8: one per line, or a single one over several lines. */

import { duplicateKey } from "../cel/duplicate-keys.js";
import { MAX_LINE, type TextLine, textLines } from "./text-lines.js";

/** A fault of a text. `path` is the path of a duplicate key, or `""` if the text is not JSON. */
export interface JsonFault {
  readonly ok: false;
  readonly path: string;
  readonly message: string;
}

/** A value, or a fault. */
export type JsonText = { readonly ok: true; readonly value: unknown } | JsonFault;

/** A value or a fault, with its first line in the text, from 1. */
export type PlacedJson = JsonText & { readonly line: number };

/**
 * Yields the values in order, as they arrive. If the first line that is not blank is not JSON, the text is parsed as one
 * value, if it has at most 64 MiB. If that fails too, each line yields its own value or fault. So memory holds no more
 * than a value, or 64 MiB of text.
 */
export async function* readJsonValues(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<PlacedJson> {
  const lines = linesOf(chunks);
  const first = await lines.next();
  if (first.done === true) return;
  const value = valueIn(first.value.line);
  if (isValue(value)) yield { ...value, line: first.value.number };
  else {
    const held = await heldLines(first.value, lines);
    const whole = wholeOf(held.map(({ line }) => line));
    if (whole !== undefined) yield { ...whole, line: first.value.number };
    else for (const { line, number } of held) yield { ...valueIn(line), line: number };
  }
  for await (const { line, number } of lines) yield { ...valueIn(line), line: number };
}

interface NumberedLine {
  readonly number: number;
  readonly line: TextLine;
}

/** The first line and those after it, until they have more than 64 MiB. */
async function heldLines(first: NumberedLine, lines: AsyncIterator<NumberedLine>): Promise<readonly NumberedLine[]> {
  const held = [first];
  for (let length = textOf(first.line).length; length <= MAX_LINE; ) {
    const next = await lines.next();
    if (next.done === true) break;
    held.push(next.value);
    length += textOf(next.value.line).length + 1;
  }
  return held;
}

/** The lines as one value, or its fault; undefined if they do not make one. */
function wholeOf(lines: readonly TextLine[]): JsonText | undefined {
  const text = lines.map(textOf).join("\n");
  if (text.length > MAX_LINE) return undefined;
  const value = parseJson(text);
  if (!isValue(value)) return undefined;
  const broken = lines.find((line) => line.text === undefined);
  return broken === undefined ? value : valueIn(broken);
}

/** True if this text alone is a value. A text that is not JSON has no path, and may continue on the next line. */
function isValue(value: JsonText): boolean {
  return value.ok || value.path !== "";
}

function valueIn(line: TextLine): JsonText {
  if (line.text !== undefined) return parseJson(line.text);
  const message = line.reason === "not UTF-8" ? "not UTF-8 text" : `longer than ${MAX_LINE / 1024 / 1024} MiB`;
  return { ok: false, path: "", message };
}

/** The text of a line, with U+FFFD in place of bytes that are not UTF-8; `""` if the line is too long. */
function textOf(line: TextLine): string {
  if (line.text !== undefined) return line.text;
  return line.reason === "not UTF-8" ? line.replaced : "";
}

/** The value of a text. JSON with a duplicate key is a fault. */
export function parseJson(text: string): JsonText {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { ok: false, path: "", message: `not JSON: ${error instanceof Error ? error.message : "syntax error"}` };
  }
  const twice = duplicateKey(text);
  if (twice === undefined) return { ok: true, value };
  return { ok: false, path: twice.path, message: `the key ${JSON.stringify(twice.key)} is there twice` };
}

async function* linesOf(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<NumberedLine> {
  for await (const lines of textLines(chunks)) yield* lines;
}
