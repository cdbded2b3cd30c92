/** JSON values from a stream of text: one to a line, or one over several lines. */

import { duplicateKey } from "./duplicate-keys.js";

/** A value, or what is wrong with the text where one should be: `path` is a duplicate key's, `""` if it is not JSON. */
export type JsonText =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly path: string; readonly message: string };

/**
 * Yields the values in order, as they arrive. If the first line that is not blank is no JSON by itself, the whole text
 * is tried as one value; if that fails too, each line is a value that is wrong.
 */
export async function* readJsonValues(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<JsonText> {
  const lines = nonBlank(linesOf(chunks));
  const first = await lines.next();
  if (first.done === true) return;
  const value = parse(first.value);
  // A text that is not JSON has no path: with a line break in a value, the next line may go on.
  if (value.ok || value.path !== "") {
    yield value;
    for await (const line of lines) yield parse(line);
    return;
  }
  const all = [first.value];
  for await (const line of lines) all.push(line);
  const whole = parse(all.join("\n"));
  if (whole.ok || whole.path !== "") yield whole;
  else for (const line of all) yield parse(line);
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

async function* nonBlank(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) if (line.trim() !== "") yield line;
}

async function* linesOf(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }))).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  yield rest + decoder.decode();
}
