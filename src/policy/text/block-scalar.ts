/** Block scalars, `|` and `>`: see `offsets.ts`. */

import { Spelling } from "./spelling.js";

interface BlockScalarLine {
  /** The number of leading spaces. */
  readonly indent: number;
  /** The text after the leading spaces, without the line break. */
  readonly content: string;
  /** Offset of the line's first character, leading spaces included. */
  readonly start: number;
}

/**
 * Reads `raw`, a block scalar from its `|` or `>` on. An indentation indicator (`|2`) counts from the parent's column,
 * which this text does not show. So the indentation that yields `value` is used.
 */
export function readBlock(raw: string, start: number, style: "literal" | "folded", value: string): Spelling {
  const headerEnd = raw.indexOf("\n");
  if (headerEnd < 0) return new Spelling();
  const header = raw.slice(0, headerEnd).replace(/\s#.*/, "");
  const lines = linesOf(raw, headerEnd + 1, start);
  const first = lines.find((line) => line.content !== "");
  const indicated = /[1-9]/.test(header);
  const deepest = first?.indent ?? Math.max(0, ...lines.map((line) => line.indent));
  for (let indent = deepest; indent >= 0; indent--) {
    const spelling = readLines(lines, indent, style, header.includes("+"), header.includes("-"));
    if (spelling.value === value || !indicated) return spelling;
  }
  return new Spelling();
}

function linesOf(raw: string, from: number, start: number): readonly BlockScalarLine[] {
  const lines: BlockScalarLine[] = [];
  let at = from;
  for (const text of raw.slice(from).split("\n")) {
    const line = text.endsWith("\r") ? text.slice(0, -1) : text;
    const content = line.replace(/^ +/, "");
    lines.push({ indent: line.length - content.length, content, start: start + at });
    at += text.length + 1;
  }
  return lines;
}

function readLines(
  lines: readonly BlockScalarLine[],
  indent: number,
  style: string,
  keep: boolean,
  strip: boolean,
): Spelling {
  const body = lines.map((line) => ({ ...line, text: lineText(line, indent) }));
  let end = body.length;
  while (end > 0 && body[end - 1]?.text === "") end--;
  const out = new Spelling();
  let previous: (typeof body)[number] | undefined;
  let breaks = 0;
  for (const line of body.slice(0, end)) {
    if (line.text === "") {
      breaks++;
      continue;
    }
    out.push(separator(previous?.text, line.text, breaks, style), endOf(previous, indent));
    out.copy(line.text, line.start + Math.min(indent, line.indent));
    previous = line;
    breaks = 0;
  }
  const last = endOf(previous, indent);
  if (keep) {
    const trailing = body.length - end - (body.at(-1)?.text === "" && end < body.length ? 1 : 0);
    out.push("\n".repeat(previous === undefined ? Math.max(1, body.length - 1) : trailing + 1), last);
  } else if (!strip && previous !== undefined) out.push("\n", last);
  return out;
}

/** The separator of two non-empty lines that have `breaks` empty lines between them. */
function separator(before: string | undefined, after: string, breaks: number, style: string): string {
  if (before === undefined) return "\n".repeat(breaks);
  if (style === "literal" || isIndented(before) || isIndented(after)) return "\n".repeat(breaks + 1);
  return breaks === 0 ? " " : "\n".repeat(breaks);
}

/** In a folded scalar, a line indented more than the rest keeps its line breaks. */
function isIndented(text: string): boolean {
  return text.startsWith(" ") || text.startsWith("\t");
}

function lineText(line: BlockScalarLine, indent: number): string {
  return " ".repeat(Math.max(0, line.indent - indent)) + line.content;
}

function endOf(line: (BlockScalarLine & { readonly text: string }) | undefined, indent: number): number {
  return line === undefined ? 0 : line.start + Math.min(indent, line.indent) + line.text.length;
}
