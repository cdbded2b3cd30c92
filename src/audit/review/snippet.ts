/** Finds the end of a construct in a policy file, by its indentation or brackets. */

import type { SourcePosition } from "../../policy/issue.js";
import type { PolicyFile } from "../../policy/parse.js";
import type { FileLines } from "./types.js";

export class SourceLines {
  private readonly files: ReadonlyMap<string, readonly string[]>;

  constructor(files: readonly PolicyFile[]) {
    this.files = new Map(files.map(({ path, text }) => [path, text.replace(/^\ufeff/, "").split(/\r?\n/)]));
  }

  /** The lines of a file; empty if there is no such file. */
  of(file: string): readonly string[] {
    return this.files.get(file) ?? [];
  }

  /** The place of the mapping, entry or value that starts at a position. */
  place({ file, line, column }: SourcePosition): FileLines {
    const lines = this.of(file);
    const first = lines[line - 1] ?? "";
    const bracket = /[{["']/.exec(first.charAt(column - 1)) !== null;
    const to = bracket ? closingLine(lines, line - 1, column - 1) + 1 : lastLine(lines, line - 1, column - 1) + 1;
    return { file, line, to };
  }

  /** The lines of a place, without the indentation that all share. */
  text({ file, line, to }: FileLines): string {
    return dedented(this.of(file).slice(line - 1, to)).join("\n");
  }

  /** The first line of the comment block directly above `line`; `line` itself if there is none. */
  commentsAbove(file: string, line: number): number {
    const lines = this.of(file);
    let from = line;
    while (from > 1 && /^\s*#/.test(lines[from - 2] ?? "")) from--;
    return from;
  }
}

/** Without the indentation that all lines share. */
export function dedented(lines: readonly string[]): readonly string[] {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const least = indents.length === 0 ? 0 : Math.min(...indents);
  return lines.map((line) => line.slice(least));
}

/** The last line of a block: the lines after it are indented less than its first column, blank, or comments. */
function lastLine(lines: readonly string[], start: number, column: number): number {
  let last = start;
  for (let i = start + 1; i < lines.length; i++) {
    const line = lines[i] ?? "";
    const indent = line.search(/\S/);
    if (indent < 0) continue;
    if (indent < column) break;
    if (line.charAt(indent) !== "#") last = i;
  }
  return last;
}

/** The line on which the bracket or quote at a place closes; the last of the file if none does. */
function closingLine(lines: readonly string[], start: number, column: number): number {
  let depth = 0;
  let quote = "";
  for (let i = start; i < lines.length; i++) {
    const line = lines[i] ?? "";
    for (let j = i === start ? column : 0; j < line.length; j++) {
      const c = line.charAt(j);
      if (quote !== "") {
        if (c === "\\" && quote === '"') j++;
        else if (c === quote) quote = "";
      } else if (c === '"' || c === "'") quote = c;
      else if (c === "{" || c === "[") depth++;
      else if (c === "}" || c === "]") depth--;
      if (depth === 0 && quote === "") return i;
    }
  }
  return lines.length - 1;
}
