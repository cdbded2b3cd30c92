/** References: an address, absolute or relative to that of a document, and a JSON pointer or an anchor after `#`. */

import { isList, isObject, type JsonValue } from "../cel/json.js";
import { own } from "./keywords.js";

/** The empty base of a reference such as `cerbos:///dir/key.json`: WHATWG's URLs know no relative paths in it. */
const STAND_IN = "http://keyward.invalid/";

/** The absolute address that a reference means in a document at `base`. */
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

/** An address and its fragment, as they are written. */
export function splitReference(reference: string): readonly [address: string, fragment: string] {
  const hash = reference.indexOf("#");
  return hash < 0 ? [reference, ""] : [reference.slice(0, hash), reference.slice(hash + 1)];
}

/** A fragment with what is escaped in it as in a URL. */
export function decodedFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** What a JSON pointer leads to in a document. */
export function atPointer(pointer: string, document: JsonValue): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const token of pointer.split("/").slice(1)) {
    value = member(value, token.replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return value;
}

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (isList(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined;
  return isObject(value) ? own(value, name) : undefined;
}
