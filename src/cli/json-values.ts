/** Reads JSON values from a stream of UTF-8: one per line, or a single one over several lines. */

import { duplicateKey } from "../policy/text/duplicate-keys.js";

/** A fault of a text. `path` is the path of a duplicate key, or `""` if the text is not JSON. */
export interface JsonFault {
  readonly ok: false;
  readonly path: string;
  readonly message: string;
}

/** A value, or a fault. */
export type JsonText = { readonly ok: true; readonly value: unknown } | JsonFault;

/** A decoded line. `isText`: whether it was valid UTF-8; if not, `text` has replacement characters. */
interface DecodedLine {
  readonly text: string;
  readonly isText: boolean;
}

/**
 * Yields the values in order, as they arrive. If the first line that is not blank is not JSON, the whole text is parsed
 * as one value. If that fails too, each line yields its own value or fault.
 */
export async function* readJsonValues(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<JsonText> {
  const lines = nonBlank(linesOf(chunks));
  const first = await lines.next();
  if (first.done === true) return;
  if (isValue(parse(first.value.text))) {
    yield valueIn(first.value);
    for await (const line of lines) yield valueIn(line);
    return;
  }
  const all = [first.value];
  for await (const line of lines) all.push(line);
  const whole = { text: all.map(({ text }) => text).join("\n"), isText: all.every(({ isText }) => isText) };
  if (isValue(parse(whole.text))) yield valueIn(whole);
  else for (const line of all) yield valueIn(line);
}

/** Whether this line alone is a value. A text that is not JSON has no path, and may continue on the next line. */
function isValue(value: JsonText): boolean {
  return value.ok || value.path !== "";
}

function valueIn({ text, isText }: DecodedLine): JsonText {
  return isText ? parse(text) : { ok: false, path: "", message: "not UTF-8 text" };
}

function parse(text: string): JsonText {
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

async function* nonBlank(lines: AsyncIterable<DecodedLine>): AsyncGenerator<DecodedLine> {
  for await (const line of lines) if (line.text.trim() !== "") yield line;
}

const LINE_FEED = 0x0a;

async function* linesOf(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<DecodedLine> {
  let parts: Uint8Array[] = [];
  for await (const chunk of chunks) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      yield decoded([...parts, bytes.subarray(start, end)]);
      parts = [];
      start = end + 1;
    }
    parts.push(bytes.subarray(start));
  }
  yield decoded(parts);
}

const STRICT = new TextDecoder("utf-8", { fatal: true });
const LENIENT = new TextDecoder();

/** The decoder removes a byte order mark at the start of a line. */
function decoded(parts: readonly Uint8Array[]): DecodedLine {
  const bytes = Buffer.concat(parts);
  try {
    return { text: STRICT.decode(bytes), isText: true };
  } catch {
    return { text: LENIENT.decode(bytes), isText: false };
  }
}
