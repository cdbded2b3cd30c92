/** Finds texts that the server (goccy/go-yaml 1.19.2) refuses or reads differently. All cases were observed. */

interface ScalarFault {
  /** The offset in the token. */
  readonly at: number;
  readonly message: string;
}

const RETURN = /\r/;
/** A backslash removes the line break after it. */
const UNESCAPED_RETURN = /(?<!\\)\r/;
/** An escaped line break before an empty line, and an escaped space before a line break. */
const ESCAPED_BREAK = /\\(?:[ \t]+\r?\n|\r?\n[ \t]*\r?\n)/;
/** A tab before the first text of a block with more lines: the server counts the tab as a column of indentation. */
const TAB_FIRST = /^(?:[ \t]*\r?\n)* *\t[ \t]*[^ \t\r\n][^\n]*\n\s*\S/;

const TAB = "a tab in a text, which the server does not keep: write \\t in double quotes, or a space";
const CRLF = "a line break by CRLF in quotes, which the server takes for two: write a block (|), or end lines with LF";
const ESCAPE = "an escape at the end of a line, which the server reads otherwise: write the text on one line";

/** `header`: the `|` or `>` of a block, with its indicators. */
export function scalarFault(token: string, header: string | undefined): ScalarFault | undefined {
  if (header !== undefined) return blockFault(token, header);
  if (token.startsWith("'")) return faultAt(tabBefore(token, "break"), TAB) ?? faultAt(token.search(RETURN), CRLF);
  if (!token.startsWith('"')) return faultAt(tabBefore(token, "text"), TAB);
  return (
    faultAt(tabBefore(token.slice(0, -1), "text"), TAB) ??
    faultAt(token.search(ESCAPED_BREAK), ESCAPE) ??
    faultAt(token.search(UNESCAPED_RETURN), CRLF)
  );
}

function blockFault(token: string, header: string): ScalarFault | undefined {
  if (header.includes("+") && /^[\r\n]*$/.test(token)) {
    return { at: 0, message: "a block of blank lines that are kept, which the server does not read" };
  }
  if (/[1-9]/.test(header)) return undefined;
  return faultAt(
    token.search(TAB_FIRST),
    "a tab before the first line of a block, which is an indentation to the server",
  );
}

function faultAt(at: number, message: string): ScalarFault | undefined {
  return at < 0 ? undefined : { at, message };
}

/** The offset of the first tab that only white space separates from text, or from a line break; or -1. */
function tabBefore(text: string, what: "text" | "break"): number {
  let tab = -1;
  for (let at = text.indexOf("\t"); at >= 0 && at < text.length; at++) {
    const character = text[at];
    if (character === "\t" && tab < 0) tab = at;
    if (character === "\t" || character === " " || character === "\r") continue;
    if (tab >= 0 && (character === "\n") === (what === "break")) return tab;
    tab = -1;
  }
  return -1;
}

/** A block's text as the server reads it: without trailing spaces, unless the block keeps a line break after them. */
export function blockText(value: string): string {
  let end = value.length;
  while (value[end - 1] === " ") end--;
  return value.slice(0, end);
}
