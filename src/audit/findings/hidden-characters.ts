/**
 * Names and texts with characters that nobody sees: they take no room, or change the direction of the text around them.
 * Names are compared exactly, so such a name is another name than the one that a reader sees.
 */

import type { Finding } from "./finding.js";
import type { WrittenText } from "./names.js";

/**
 * Control and format characters, those that Unicode lets programs leave out, and private ones without a shape that
 * readers share. Bidirectional controls are format characters.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}]/u;
/** Control characters that are white space are findings about space. */
const SPACE = /[\t-\r]/;

const DIRECTION = /\p{Bidi_Control}/u;

export function hiddenCharacterFindings(texts: readonly WrittenText[]): readonly Finding[] {
  return texts.flatMap(({ what, text, isName: _, ...at }): readonly Finding[] => {
    const hidden = hiddenIn(text);
    const [first] = hidden;
    if (first === undefined) return [];
    const clean = [...text].filter((char) => !isHidden(char)).join("");
    const message = `${what} ${shown(text)} contains ${listed(hidden)}, so it differs from what a reader sees`;
    const hint = clean === "" ? "write visible characters" : `did you mean ${JSON.stringify(clean)}?`;
    return [{ code: "hidden_character", severity: "warning", message, hint, ...at }];
  });
}

export function hasHidden(text: string): boolean {
  return hiddenIn(text).length > 0;
}

function isHidden(char: string): boolean {
  return HIDDEN.test(char) && !SPACE.test(char);
}

function hiddenIn(text: string): readonly string[] {
  return [...new Set(text)].filter(isHidden);
}

/** `U+202E, which changes the direction of text`. */
function listed(chars: readonly string[]): string {
  const named = chars.slice(0, MAX_NAMED).map((char) => {
    return `U+${codeOf(char).toUpperCase().padStart(4, "0")}, which ${DIRECTION.test(char) ? "changes the direction of text" : "is invisible"}`;
  });
  return `${named.join("; ")}${chars.length > MAX_NAMED ? "; and others" : ""}`;
}

/** More characters are not named one by one. */
const MAX_NAMED = 4;

/** Quotes a text so that every character in it is visible. */
function shown(text: string): string {
  return JSON.stringify(text).replaceAll(EVERY_HIDDEN, (char) => `\\u{${codeOf(char)}}`);
}

const EVERY_HIDDEN = new RegExp(HIDDEN, "gu");

function codeOf(char: string): string {
  return (char.codePointAt(0) ?? 0).toString(16);
}
