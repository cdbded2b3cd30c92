/**
 * YAML as policies are mostly written: mappings and lists of one line an entry, texts on one line or in blocks, brackets and
 * braces that are closed in their line; and JSON. It is read here in one pass, in a tenth of the time that the `yaml` package
 * takes. Whatever else there is in a document, a fault included, is left to that package: what is read here is the tree
 * that it would be there.
 */

import { matchEnd } from "../../cel/text.js";
import { readBlock } from "./block-scalar.js";
import { readDouble } from "./flow-scalar.js";
import { plainScalar } from "./plain-scalar.js";
import { blockText } from "./server-scalars.js";
import type { ListNode, MapEntry, MapNode, ScalarNode, ScalarStyle, TreeNode } from "./tree.js";

/** Characters that end lines, or indent them, for some parsers and not for others. */
const UNUSUAL = /[\t\r\u0085\u2028\u2029\ufeff]/;

/** A key, and the colon behind it. */
const KEY = /([A-Za-z_$][\w$./-]*):(?=[ \n]|$)/y;
/** The first character of a plain text, which is none of YAML's indicators. */
const PLAIN = /[\w($./]/y;
/** What makes a line a mapping, which no plain text is. */
const COLON = /:(?: |$)/;
const SINGLE = /'[^'\n]*(?:''[^'\n]*)*'/y;
const DOUBLE = /"[^"\\\n]*(?:\\["\\/nt][^"\\\n]*)*"/y;
/** A plain text or a number in brackets. */
const WORD = /[A-Za-z_][\w./-]*|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const BLOCK = /([|>])-?\n/y;
/** What may follow a value in its line. */
const REST = / *(?: #[^\n]*)?(?:\n|$)/y;

/** A comment below a document in braces, which the server refuses. */
const COMMENT_BELOW = /\n *#/;

/** Deeper documents are left to who says that they are too deep. */
const MAX_DEPTH = 50;
/** Longer keys are left to who says that they are too long. */
const MAX_KEY = 1_000;

/** The tree of a document in the server's dialect; undefined if anything in it is not read here. */
export function readPlainYaml(text: string): TreeNode | undefined {
  return UNUSUAL.test(text) ? undefined : new PlainReader(text).document();
}

/** Each method returns undefined where the document is not read here; nothing is read after that. */
class PlainReader {
  private readonly text: string;
  /** Where the next entry begins, past the white space of its line: the end of the text if there is none. */
  private at = 0;
  /** The column of that place, from 0; less than any if there is no entry. */
  private column = -1;
  private depth = 0;
  /** Where the value ends that was read last: behind its line, if it is a block. */
  private end = 0;
  /** Whether the document is JSON, or as good as: its brackets and braces go over lines. */
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

  /** Goes to the next entry in the lines from `lineStart` on: past empty lines and comments. */
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

  /** The mapping whose first key is the next entry, in `column`. */
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

  /** What stands behind a key's colon, or below it. */
  private value(at: number, column: number): TreeNode | undefined {
    const lineEnd = matchEnd(REST, this.text, at);
    if (lineEnd < 0) return this.inline(this.afterSpace(at), column);
    this.skipTo(lineEnd);
    if (this.isItem(this.at) && this.column >= column) return this.list(this.column);
    return this.column > column ? this.map(this.column) : undefined;
  }

  /** The list whose first item is the next entry, in `column`. */
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

  /** A value that begins in the line of an entry in `column`; nothing that is indented deeper may follow it. */
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

  /** A text that goes on to the end of its line, or to a comment there, or one in quotes. */
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

  /** A value in brackets or braces, or such a list or mapping itself. */
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

  /** Behind an item in brackets or braces: where the next one begins, or what closes them; below 0 if there is neither. */
  private afterItem(close: string): number {
    const behind = this.afterSpace(this.end);
    const hasComma = this.text[behind] === ",";
    const at = this.flowSpace(hasComma ? behind + 1 : behind);
    // An item follows a comma, and nothing else does.
    return (this.text[at] === close) === hasComma ? -1 : at;
  }

  /** Past white space between what is in brackets or braces. */
  private flowSpace(from: number): number {
    let at = this.afterSpace(from);
    while (this.isJson && this.text[at] === "\n") at = this.afterSpace(at + 1);
    return at;
  }

  /** A text in the lines below, as far as they are indented as the first of them. */
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
