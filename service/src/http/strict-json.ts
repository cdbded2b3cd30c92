/** JSON bodies, read strictly. */

import { visit } from "jsonc-parser";
import { ApiError } from "keyward/http";
import { DUPLICATE_FIELD, INVALID_JSON } from "./problems.js";

/** Deepest nesting of a body. No operation has more than two levels. */
const MAX_DEPTH = 16;

/**
 * The value of a JSON text in UTF-8. Throws 400 for anything else, and for an object with one name twice: parsers differ
 * in which they take, so two that read one request would not see the same.
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  const text = decoded(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The error quotes the body.
    throw new ApiError(INVALID_JSON);
  }
  checkNames(text);
  return value;
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

function decoded(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes);
  } catch {
    throw new ApiError(INVALID_JSON);
  }
}

/** Walks well-formed JSON, of which `JSON.parse` keeps the last of equal names. */
function checkNames(text: string): void {
  const open: Set<string>[] = [];
  let depth = 0;
  const enter = () => {
    // The walk is recursive: it must not go as deep as a body can.
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
    },
    onObjectEnd: () => {
      leave();
      open.pop();
    },
    onArrayBegin: enter,
    onArrayEnd: leave,
  });
}
