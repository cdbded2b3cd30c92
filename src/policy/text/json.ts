/** Strict JSON, with the place of what is wrong with it. */

import type { IssueLog } from "../issue-log.js";
import { MAX_NESTING } from "../limits.js";
import type { JsonValue } from "../model.js";
import type { Source } from "./source.js";

/** The value of a JSON file; undefined (with an issue) if it is not JSON. */
export function parseJson(source: Source, log: IssueLog): JsonValue | undefined {
  const deep = tooDeepAt(source.text);
  if (deep >= 0) {
    log.error("too_large", source.position(deep), `nested more than ${MAX_NESTING} levels deep`);
    return undefined;
  }
  try {
    const value: JsonValue = JSON.parse(source.text);
    return value;
  } catch (error) {
    const message = error instanceof Error ? error.message : "not JSON";
    const [, at = source.text.length] = /at position (\d+)/.exec(message) ?? [];
    log.error(
      "schema",
      source.position(Number(at)),
      `not valid JSON: ${message.replace(/ (in JSON )?at position \d+.*/s, "")}`,
    );
    return undefined;
  }
}

/** The offset of the first bracket that nests too deep, or -1. */
function tooDeepAt(text: string): number {
  let depth = 0;
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    const [token] = match;
    if (token === "[" || token === "{") {
      if (++depth > MAX_NESTING) return match.index;
    } else if (token === "]" || token === "}") depth--;
  }
  return -1;
}
