/**
 * A fast reader for the YAML in which most policies are written, and for JSON. It reads mappings and lists with one entry
 * a line, texts on one line or in blocks, and brackets and braces closed on the same line. It takes one pass, and a tenth
 * of the time of the `yaml` package. It leaves any other document, including every faulty one, to that package. Its tree
 * is the tree that the package would give.
 */

import { matchEnd } from "../../cel/text.js";
import { readBlock } from "./block-scalar.js";
import { readDouble } from "./flow-scalar.js";
import { plainScalar } from "./plain-scalar.js";
import { blockText } from "./server-scalars.js";
import type { ListNode, MapEntry, MapNode, ScalarNode, ScalarStyle, TreeNode } from "./tree.js";

/** Characters that some parsers treat as line ends or indentation, and others do not. */
const UNUSUAL = /[\t\r\u0085\u2028\u2029\ufeff]/;

/** A key with its colon. */
const KEY = /([A-Za-z_$][\w$./-]*):(?=[ \n]|$)/y;
/** The first character of a plain text. YAML's indicators are excluded. */
const PLAIN = /[\w($./]/y;
/** Makes a line a mapping. A plain text cannot contain it. */
const COLON = /:(?: |$)/;
const SINGLE = /'[^'\n]*(?:''[^'\n]*)*'/y;
const DOUBLE = /"[^"\\\n]*(?:\\["\\/nt][^"\\\n]*)*"/y;
/** A plain text or a number in brackets. */
const WORD = /[A-Za-z_][\w./-]*|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const BLOCK = /([|>])-?\n/y;
/** May follow a value on its line: spaces and a comment. */
const REST = / *(?: #[^\n]*)?(?:\n|$)/y;

/** A comment below a document in braces: the server refuses it. */
const COMMENT_BELOW = /\n *#/;

/** Deeper documents are left to the `yaml` package, which checks the limit on nesting. */
const MAX_DEPTH = 50;
/** Longer keys are left to the `yaml` package, which checks their length. */
const MAX_KEY = 1_000;

/** The tree of a document in the server's dialect; undefined if this reader does not support all of it. */
export function readPlainYaml(text: string): TreeNode | undefined {
  return UNUSUAL.test(text) ? undefined : new PlainReader(text).document();
}

/** Each method returns undefined for unsupported input. Reading ends there. */
class PlainReader {
  private readonly text: string;
  /** The offset of the next entry after its indentation; the end of the text if there is none. */
  private at = 0;
  /** The column of the next entry, from 0; -1 if there is none. */
  private column = -1;
  private depth = 0;
  /** The end of the latest value. For a block, the end of its last line. */
  private end = 0;
  /** Whether the document is JSON-like: its brackets and braces may span lines. */
  private isJson = false;

  constructor(text: string) {
    this.text = text;
  }

  document(): TreeNode | undefined {
    this.skipTo(0);
    if (this.column === 0 && this.text.startsWith("---\n", this.at)) this.skipTo(this.at + 4);
    if (this.column !== 0 || this.isItem(this.at)) return undefined;
    this.isJson = this.text[this.at] === "{";
    const node = this.isJson ? this.inline(this.at, 0) : this.map(0);
    if (this.column >= 0) return undefined;
    return this.isJson && COMMENT_BELOW.test(this.text.slice(this.end)) ? undefined : node;
  }

  /** Skips empty lines and comments, from `lineStart` to the next entry. */
  private skipTo(lineStart: number): void {
    const { text } = this;
    let start = lineStart;
    while (start < text.length) {
      let at = start;
      while (text[at] === " ") at++;
      const first = text[at];
      if (first !== undefined && first !== "\n" && first !== "#") {
        this.at = at;
        this.column = at - start;
        return;
      }
      start = this.lineEnd(at) + 1;
    }
    this.at = text.length;
    this.column = -1;
  }

  private lineEnd(at: number): number {
    const end = this.text.indexOf("\n", at);
    return end < 0 ? this.text.length : end;
  }

  private isItem(at: number): boolean {
    return this.text[at] === "-" && this.text[at + 1] === " ";
  }

  /** Reads the mapping that begins with the next entry, in `column`. */
  private map(column: number): MapNode | undefined {
    const entries = new Map<string, MapEntry>();
    const start = this.at;
    if (++this.depth > MAX_DEPTH) return undefined;
    do {
      const key = this.at;
      const end = matchEnd(KEY, this.text, key);
      const name = this.text.slice(key, end - 1);
      if (end < 0 || entries.has(name) || typeof plainScalar(name).data !== "string") return undefined;
      const value = this.value(end, column);
      if (value === undefined) return undefined;
      entries.set(name, { key: { start: key, isText: true }, value });
    } while (this.column === column && !this.isItem(this.at));
    this.depth--;
    return { kind: "map", entries, start };
  }

  /** Reads a key's value, on the same line or below. */
  private value(at: number, column: number): TreeNode | undefined {
    const lineEnd = matchEnd(REST, this.text, at);
    if (lineEnd < 0) return this.inline(this.afterSpace(at), column);
    this.skipTo(lineEnd);
    if (this.isItem(this.at) && this.column >= column) return this.list(this.column);
    return this.column > column ? this.map(this.column) : undefined;
  }

  /** Reads the list that begins with the next entry, in `column`. */
  private list(column: number): ListNode | undefined {
    const items: TreeNode[] = [];
    const start = this.at;
    if (++this.depth > MAX_DEPTH) return undefined;
    do {
      const item = this.item(column);
      if (item === undefined) return undefined;
      items.push(item);
    } while (this.column === column && this.isItem(this.at));
    this.depth--;
    return { kind: "list", items, start };
  }

  private item(column: number): TreeNode | undefined {
    const at = this.afterSpace(this.at + 1);
    if (matchEnd(KEY, this.text, at) < 0) return this.inline(at, column);
    this.column += at - this.at;
    this.at = at;
    return this.map(this.column);
  }

  private afterSpace(from: number): number {
    let at = from;
    while (this.text[at] === " ") at++;
    return at;
  }

  /** Reads a value on the line of an entry in `column`. Deeper indented lines must not follow it. */
  private inline(at: number, column: number): TreeNode | undefined {
    const first = this.text[at];
    const isBlock = first === "|" || first === ">";
    const isFlow = first === "[" || first === "{";
    const node = isBlock ? this.block(at, column) : isFlow ? this.flow(at) : this.line(at);
    const lineEnd = isBlock ? this.end : matchEnd(REST, this.text, this.end);
    if (node === undefined || lineEnd < 0) return undefined;
    this.skipTo(lineEnd);
    return this.column > column ? undefined : node;
  }

  /** Reads a quoted text, or a plain text up to the end of its line or a comment. */
  private line(at: number): ScalarNode | undefined {
    const { text } = this;
    if (matchEnd(PLAIN, text, at) < 0) return this.quoted(at);
    const line = text.slice(at, this.lineEnd(at));
    const comment = line.indexOf(" #");
    let end = at + (comment < 0 ? line.length : comment);
    while (text[end - 1] === " ") end--;
    return COLON.test(text.slice(at, end)) ? undefined : this.plain(at, end);
  }

  private plain(start: number, end: number): ScalarNode | undefined {
    const { data, text } = plainScalar(this.text.slice(start, end));
    return Number.isNaN(data) ? undefined : this.node("plain", data, text, start, end);
  }

  private quoted(start: number): ScalarNode | undefined {
    const { text } = this;
    const isSingle = text[start] === "'";
    const end = matchEnd(isSingle ? SINGLE : DOUBLE, text, start);
    if (end < 0) return undefined;
    let value = text.slice(start + 1, end - 1);
    if (isSingle) value = value.replaceAll("''", "'");
    else if (value.includes("\\")) value = readDouble(value, start).value;
    return this.node(isSingle ? "single" : "double", value, value, start, end);
  }

  /** Reads a value within brackets or braces, or a list or mapping in brackets or braces. */
  private flow(at: number): TreeNode | undefined {
    const first = this.text[at];
    if (first === "[" || first === "{") {
      if (++this.depth > MAX_DEPTH) return undefined;
      const node = first === "[" ? this.flowList(at) : this.flowMap(at);
      this.depth--;
      return node;
    }
    const end = matchEnd(WORD, this.text, at);
    return end < 0 ? this.quoted(at) : this.plain(at, end);
  }

  private flowList(start: number): ListNode | undefined {
    const items: TreeNode[] = [];
    let at = this.flowSpace(start + 1);
    while (at >= 0 && this.text[at] !== "]") {
      const item = this.flow(at);
      if (item === undefined) return undefined;
      items.push(item);
      at = this.afterItem("]");
    }
    this.end = at + 1;
    return at < 0 ? undefined : { kind: "list", items, start };
  }

  private flowMap(start: number): MapNode | undefined {
    const { text } = this;
    const entries = new Map<string, MapEntry>();
    let at = this.flowSpace(start + 1);
    while (at >= 0 && text[at] !== "}") {
      const name = this.quoted(at)?.text;
      const colon = this.afterSpace(this.end);
      if (name === undefined || text[colon] !== ":" || colon - at > MAX_KEY) return undefined;
      const value = this.flow(this.afterSpace(colon + 1));
      if (value === undefined || entries.has(name)) return undefined;
      entries.set(name, { key: { start: at, isText: true }, value });
      at = this.afterItem("}");
    }
    this.end = at + 1;
    return at < 0 ? undefined : { kind: "map", entries, start };
  }

  /** The offset of the next item in brackets or braces, or of the closing one; below 0 if neither follows. */
  private afterItem(close: string): number {
    const behind = this.afterSpace(this.end);
    const hasComma = this.text[behind] === ",";
    const at = this.flowSpace(hasComma ? behind + 1 : behind);
    // Exactly one of the two must follow: a comma with an item, or the closing bracket.
    return (this.text[at] === close) === hasComma ? -1 : at;
  }

  /** Skips white space between items in brackets or braces. */
  private flowSpace(from: number): number {
    let at = this.afterSpace(from);
    while (this.isJson && this.text[at] === "\n") at = this.afterSpace(at + 1);
    return at;
  }

  /** Reads a block text: the lines below that are indented at least as far as the first. */
  private block(start: number, column: number): ScalarNode | undefined {
    const { text } = this;
    let at = matchEnd(BLOCK, text, start);
    if (at < 0) return undefined;
    const indent = this.afterSpace(at) - at;
    if (indent <= column || text[at + indent] === "\n") return undefined;
    let end = at;
    while (at < text.length) {
      const first = this.afterSpace(at);
      if (text[first] === "\n" ? first - at > indent : first === text.length) return undefined;
      const isEmpty = text[first] === "\n";
      if (!isEmpty && first - at < indent) break;
      at = this.lineEnd(first) + 1;
      if (!isEmpty) end = at;
    }
    if (end > text.length) return undefined;
    const style = text[start] === "|" ? "literal" : "folded";
    const value = blockText(readBlock(text.slice(start, end), start, style, "").value);
    return this.node(style, value, value, start, end);
  }

  private node(
    style: ScalarStyle,
    data: ScalarNode["data"],
    text: string | undefined,
    start: number,
    end: number,
  ): ScalarNode {
    this.end = end;
    return { kind: "scalar", style, data, text, start, end };
  }
}
