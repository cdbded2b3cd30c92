/** Parses JSON bodies strictly. */

import { visit } from "jsonc-parser";
import { ApiError } from "keyward/http";
import { DUPLICATE_FIELD, INVALID_JSON, invalidBody } from "./problems.js";

/** The maximum nesting of a body. No operation has more than two levels. */
const MAX_DEPTH = 16;

/**
 * The maximum number of values in a body. No operation takes more than some hundred. A larger body would hold the event
 * loop: its values are built, and the schema is compared with each.
 */
const MAX_VALUES = 500;

/**
 * Parses a JSON text in UTF-8. Throws 400 for anything else, and for an object with a duplicate name: parsers differ in
 * which value they keep, so two parsers of one request would read different values.
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  const text = decoded(bytes);
  checkParts(text);
  try {
    return JSON.parse(text);
  } catch {
    // The error is replaced, as it quotes the body.
    throw new ApiError(INVALID_JSON);
  }
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

function decoded(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes);
  } catch {
    throw new ApiError(INVALID_JSON);
  }
}

/**
 * Throws for duplicate names in well-formed JSON (`JSON.parse` silently keeps the last one), and at the first value too
 * many. Malformed text is left to `JSON.parse`.
 */
function checkParts(text: string): void {
  const open: Set<string>[] = [];
  let depth = 0;
  let values = 0;
  let hasProto = false;
  const count = () => {
    if (++values > MAX_VALUES) throw new ApiError(invalidBody(`must not have more than ${MAX_VALUES} values`));
  };
  const enter = () => {
    count();
    // The traversal is recursive, so its depth must be limited.
    if (++depth > MAX_DEPTH) throw new ApiError(INVALID_JSON);
  };
  const leave = () => {
    depth--;
  };
  visit(text, {
    onObjectBegin: () => {
      enter();
      open.push(new Set());
    },
    onObjectProperty: (name) => {
      const names = open.at(-1);
      if (names?.has(name)) throw new ApiError(DUPLICATE_FIELD);
      names?.add(name);
      hasProto ||= name === "__proto__";
    },
    onObjectEnd: () => {
      leave();
      open.pop();
    },
    onArrayBegin: enter,
    onArrayEnd: leave,
    onLiteralValue: count,
  });
  // Schemas of objects with any names would drop it without a word.
  if (hasProto) throw new ApiError(invalidBody("__proto__: must not be the name of a field"));
}
