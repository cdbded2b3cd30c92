/** Text as Go formats it in messages. */

import { GO_ESCAPES } from "../cel/functions/strings.js";

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** `%q`. */
export function quoted(text: string): string {
  return `"${Array.from(text, quotedCharacter).join("")}"`;
}

function quotedCharacter(character: string): string {
  const known = GO_ESCAPES.get(character);
  if (known !== undefined) return known;
  if (PRINTABLE.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, length: number): string {
  return code.toString(16).padStart(length, "0");
}

/** {@link quoted} with apostrophes. */
export function singleQuoted(text: string): string {
  return `'${quoted(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** The result of `fmt.Sprintf(text)` without arguments. */
export function withoutArguments(text: string): string {
  return text.replace(/%[-+# 0]*\d*(?:\.\d*)?(.?)/gsu, (_, verb: string) => {
    if (verb === "%") return "%";
    return verb === "" ? "%!(NOVERB)" : `%!${verb}(MISSING)`;
  });
}

/** A token of a JSON pointer, escaped as by `url.PathEscape`. */
export function pointerToken(name: string): string {
  const token = name
    .replaceAll("~", "~0")
    .replaceAll("/", "~1")
    .replace(/\p{Surrogate}/gu, "\ufffd");
  return encodeURIComponent(token)
    .replace(/[!'()*]/g, (character) => `%${hex(character.charCodeAt(0), 2).toUpperCase()}`)
    .replace(/%(?:24|26|2B|3A|3D|40)/g, decodeURIComponent);
}
