/**
 * Text of policies and requests for the places where it is read, so that it is nothing but text there. A function a place:
 * a terminal or the log of a CI system ({@link printable}), JSON that is printed ({@link jsonText}), HTML (`escapeHtml` of
 * `src/audit/review/html/html.ts`), Markdown, GitHub's annotations and SARIF, each in the one file that writes it.
 *
 * Terminals obey control characters. CI systems obey lines of a log: GitHub's runner those that begin with `::` and those
 * with `##[` anywhere, that of Azure those with `##vso[` anywhere.
 */

/** One line of text, without what a terminal or a CI system would take for a command. */
export function printable(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")
    .replace(/^(\s*:)(?=:)/, "$1 ")
    .replace(HASHES, "# ");
}

/** The same of several lines, which are kept. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/** A value as JSON that is printed: what it says is the same, with characters that can be seen alone. */
export function jsonText(value: unknown, indent?: number): string {
  return visibleJson(JSON.stringify(value, null, indent));
}

/** JSON that means the same, with {@link visible} characters alone. */
export function visibleJson(json: string): string {
  return json
    .replace(HASHES, unitEscape)
    .replace(HIDDEN, (char) => Array.from({ length: char.length }, (_, i) => unitEscape(char.charAt(i))).join(""));
}

/**
 * Control characters, and those that turn the direction of text or take no room, as escapes: who reads it must see what is
 * there, not what it wants to look like. Tabs and line feeds stay.
 */
export function visible(text: string): string {
  return text.replace(HIDDEN, (char) => {
    const point = char.codePointAt(0) ?? 0;
    return point > 0xffff ? `\\u{${point.toString(16)}}` : unitEscape(char);
  });
}

/** XML that means the same, with {@link visible} characters alone. */
export function visibleXml(xml: string): string {
  return xml.replace(HASHES, "&#35;").replace(HIDDEN, (char) => `&#${char.codePointAt(0)};`);
}

/** The first of the hashes with which a command of a CI system begins. */
export const HASHES: RegExp = /#(?=#\[|#vso\[)/gi;

const HIDDEN = /[^\P{Cc}\t\n]|[\p{Cf}\p{Cs}\p{Co}\u2028\u2029\u3164\uffa0]/gu;

function unitEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
