/**
 * Names and texts with invisible whitespace: at an end, beside a separator, or of a kind that looks like an ordinary
 * space. Names are compared exactly, so such a name is a different name.
 */

import type { Finding } from "./finding.js";
import { hasHidden } from "./hidden-characters.js";
import type { WrittenText } from "./names.js";

const ENDS = /^\s|\s$/u;
const BESIDE_SEPARATOR = /\s[.:/*]|[.:/*]\s/u;
/** Whitespace other than the space. */
const ODD = /[^\S ]/u;

export function spaceFindings(texts: readonly WrittenText[]): readonly Finding[] {
  return texts.flatMap((one) => finding(one));
}

function finding({ what, text, isName, ...at }: WrittenText): readonly Finding[] {
  // Those have a finding of their own.
  if (hasHidden(text)) return [];
  const why = fault(text, isName);
  if (why === undefined) return [];
  const clean = text.replaceAll(/\s/gu, " ").trim();
  const hint =
    why === COMMA
      ? "write a separate entry for each name"
      : `did you mean ${JSON.stringify(isName ? clean.replaceAll(/\s*([.:/*])\s*/gu, "$1") : clean)}?`;
  const message = `${what} ${quoted(text)} ${why}`;
  return [{ code: "odd_space", severity: "warning", message, hint, ...at }];
}

const COMMA = "contains a comma, but it counts as one name, not several";

function fault(text: string, isName: boolean): string | undefined {
  if (ENDS.test(text)) return "begins or ends with a space, which counts in comparisons";
  if (ODD.test(text)) return "contains white space that is easily mistaken for another";
  if (!isName) return undefined;
  if (BESIDE_SEPARATOR.test(text)) return "has a space next to a separator";
  return text.includes(",") && !text.includes("{") ? COMMA : undefined;
}

/** Quotes a text so that every character in it is visible. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(/[^\S ]/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
