/** JSON values from a stream of UTF-8: one to a line, or one over several lines. */

import { duplicateKey } from "../policy/text/duplicate-keys.js";

/** A value, or what is wrong with the text where one should be: `path` is a duplicate key's, `""` if it is not JSON. */
export type JsonText =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly path: string; readonly message: string };

/** A line as it can be read, and whether it is what is there: what is no UTF-8 is not. */
interface Line {
  readonly text: string;
  readonly isText: boolean;
}

/**
 * Yields the values in order, as they arrive. If the first line that is not blank is no JSON by itself, the whole text
 * is tried as one value; if that fails too, each line is a value that is wrong.
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

/** A text that is not JSON has no path: with a line break in a value, the next line may go on. */
function isValue(value: JsonText): boolean {
  return value.ok || value.path !== "";
}

function valueIn({ text, isText }: Line): JsonText {
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

async function* nonBlank(lines: AsyncIterable<Line>): AsyncGenerator<Line> {
  for await (const line of lines) if (line.text.trim() !== "") yield line;
}

const LINE_FEED = 0x0a;

async function* linesOf(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<Line> {
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

/** A byte order mark before a line is no part of it. */
function decoded(parts: readonly Uint8Array[]): Line {
  const bytes = Buffer.concat(parts);
  try {
    return { text: STRICT.decode(bytes), isText: true };
  } catch {
    return { text: LENIENT.decode(bytes), isText: false };
  }
}
