/** Reads JSON values from a stream of UTF-8: one per line, or a single one over several lines. */

import { duplicateKey } from "../cel/duplicate-keys.js";
import { type LogLine, logLines, MAX_LINE } from "../replay/log-lines.js";

/** A fault of a text. `path` is the path of a duplicate key, or `""` if the text is not JSON. */
export interface JsonFault {
  readonly ok: false;
  readonly path: string;
  readonly message: string;
}

/** A value, or a fault. */
export type JsonText = { readonly ok: true; readonly value: unknown } | JsonFault;

/**
 * Yields the values in order, as they arrive. If the first line that is not blank is not JSON, the text is parsed as one
 * value, if it has at most 64 MiB. If that fails too, each line yields its own value or fault. So memory holds no more
 * than a value, or 64 MiB of text.
 */
export async function* readJsonValues(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<JsonText> {
  const lines = linesOf(chunks);
  const first = await lines.next();
  if (first.done === true) return;
  const value = valueIn(first.value);
  if (isValue(value)) yield value;
  else {
    const held = await heldLines(first.value, lines);
    const whole = wholeOf(held);
    if (whole !== undefined) yield whole;
    else for (const line of held) yield valueIn(line);
  }
  for await (const line of lines) yield valueIn(line);
}

/** The first line and those after it, until they have more than 64 MiB. */
async function heldLines(first: LogLine, lines: AsyncIterator<LogLine>): Promise<readonly LogLine[]> {
  const held = [first];
  for (let length = textOf(first).length; length <= MAX_LINE; ) {
    const next = await lines.next();
    if (next.done === true) break;
    held.push(next.value);
    length += textOf(next.value).length + 1;
  }
  return held;
}

/** The lines as one value, or its fault; undefined if they do not make one. */
function wholeOf(lines: readonly LogLine[]): JsonText | undefined {
  const text = lines.map(textOf).join("\n");
  if (text.length > MAX_LINE) return undefined;
  const value = parse(text);
  if (!isValue(value)) return undefined;
  const broken = lines.find((line) => line.text === undefined);
  return broken === undefined ? value : valueIn(broken);
}

/** True if this text alone is a value. A text that is not JSON has no path, and may continue on the next line. */
function isValue(value: JsonText): boolean {
  return value.ok || value.path !== "";
}

function valueIn(line: LogLine): JsonText {
  if (line.text !== undefined) return parse(line.text);
  const message = line.reason === "not UTF-8" ? "not UTF-8 text" : `longer than ${MAX_LINE / 1024 / 1024} MiB`;
  return { ok: false, path: "", message };
}

/** The text of a line, with U+FFFD in place of bytes that are not UTF-8; `""` if the line is too long. */
function textOf(line: LogLine): string {
  if (line.text !== undefined) return line.text;
  return line.reason === "not UTF-8" ? line.replaced : "";
}

const BYTE_ORDER_MARK = "\uFEFF";

function parse(given: string): JsonText {
  const text = given.startsWith(BYTE_ORDER_MARK) ? given.slice(1) : given;
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

async function* linesOf(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<LogLine> {
  for await (const lines of logLines(chunks)) for (const { line } of lines) yield line;
}
