/** JSON values from a stream of text: one to a line, or one over several lines. */

/** A value, or what is wrong with the text where one should be. */
export type JsonText =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

/**
 * Yields the values in order, as they arrive. If the first line that is not blank is no JSON by itself, the whole text
 * is tried as one value; if that fails too, each line is a value that is wrong.
 */
export async function* readJsonValues(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<JsonText> {
  const lines = nonBlank(linesOf(chunks));
  const first = await lines.next();
  if (first.done === true) return;
  const value = parse(first.value);
  if (value.ok) {
    yield value;
    for await (const line of lines) yield parse(line);
    return;
  }
  const all = [first.value];
  for await (const line of lines) all.push(line);
  const whole = parse(all.join("\n"));
  if (whole.ok) yield whole;
  else for (const line of all) yield parse(line);
}

function parse(text: string): JsonText {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, message: `not JSON: ${error instanceof Error ? error.message : "syntax error"}` };
  }
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
