/** References: an address, absolute or relative to a document's address, and a JSON pointer or an anchor after `#`. */

import { isList, isObject, type JsonValue } from "../cel/json.js";
import { own } from "./keywords.js";

/**
 * Replaces the empty host of an address such as `cerbos:///dir/key.json`: WHATWG's `URL` does not resolve paths there.
 */
const STAND_IN = "http://keyward.invalid/";

/** The absolute address of a reference in a document at `base`. */
export function resolveReference(reference: string, base: string): string {
  const [, root = "", path = ""] = /^([a-z][a-z0-9+.-]*:\/\/\/)(.*)$/is.exec(base) ?? [];
  try {
    if (root === "") return new URL(reference, base).href;
    const { href } = new URL(reference, STAND_IN + path);
    return href.startsWith(STAND_IN) ? root + href.slice(STAND_IN.length) : href;
  } catch {
    return reference;
  }
}

/** Splits a reference into address and fragment, without decoding them. */
export function splitReference(reference: string): readonly [address: string, fragment: string] {
  const hash = reference.indexOf("#");
  return hash < 0 ? [reference, ""] : [reference.slice(0, hash), reference.slice(hash + 1)];
}

/** Decodes the percent escapes of a fragment. */
export function decodedFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** The value in a document at a JSON pointer; undefined if there is none. */
export function atPointer(pointer: string, document: JsonValue): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const name of pointerNames(pointer)) value = member(value, name);
  return value;
}

/** The names and indexes in a JSON pointer, unescaped. */
export function pointerNames(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (isList(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined;
  return isObject(value) ? own(value, name) : undefined;
}
