/**
 * Escapes text of policies and requests for output, so that no reader takes it for a command or markup. Each output
 * format has one function: {@link printable} for terminals and logs of CI systems, {@link jsonText} for printed JSON,
 * `escapeHtml` of `src/audit/review/html/html.ts` for HTML. Markdown, GitHub's annotations and SARIF are escaped in the
 * one file that writes each.
 *
 * Terminals obey control characters. CI systems obey lines of a log: GitHub's runner obeys lines that begin with `::`,
 * and `##[` anywhere; Azure's obeys `##vso[` anywhere.
 */

/** One line of text that terminals and CI systems do not take for a command. */
export function printable(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")
    .replace(/^(\s*:)(?=:)/, "$1 ")
    .replace(HASHES, "# ");
}

/** Like {@link printable}, line by line: line breaks are kept. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/** A value as JSON for printing: the same value, written in visible characters only. */
export function jsonText(value: unknown, indent?: number): string {
  return visibleJson(JSON.stringify(value, null, indent));
}

/** Rewrites JSON with {@link visible} characters only. The value stays the same. */
export function visibleJson(json: string): string {
  return json
    .replace(HASHES, unitEscape)
    .replace(HIDDEN, (char) => Array.from({ length: char.length }, (_, i) => unitEscape(char.charAt(i))).join(""));
}

/**
 * Escapes control characters, and characters that change the direction of text or take no room, so that a reader sees the
 * actual characters. Tabs and line feeds stay.
 */
export function visible(text: string): string {
  return text.replace(HIDDEN, (char) => {
    const point = char.codePointAt(0) ?? 0;
    return point > 0xffff ? `\\u{${point.toString(16)}}` : unitEscape(char);
  });
}

/** Rewrites XML with {@link visible} characters only. Its content stays the same. */
export function visibleXml(xml: string): string {
  return xml.replace(HASHES, "&#35;").replace(HIDDEN, (char) => `&#${char.codePointAt(0)};`);
}

/** The first hash of a CI system's command. */
export const HASHES: RegExp = /#(?=#\[|#vso\[)/gi;

const HIDDEN = /[^\P{Cc}\t\n]|[\p{Cf}\p{Cs}\p{Co}\u2028\u2029\u3164\uffa0]/gu;

function unitEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
