/**
 * Finds tokens that the `yaml` package accepts and the server's parser (goccy/go-yaml 1.19.2) does not. All faults were
 * observed on the server. It refuses such a file, or crashes if a document is empty.
 */

import { CST } from "yaml";
import { scalarFault } from "./server-scalars.js";
import type { Source } from "./source.js";

const FLOW_STARTS: ReadonlySet<string> = new Set(["[", "{"]);
const FLOW_ENDS: ReadonlySet<string> = new Set(["]", "}"]);

const COMMENT = "a comment where the server takes none: put it at the end of the line above, or before the bracket";

/** Syntax that the server refuses, at an offset. */
export interface LexicalFault {
  readonly at: number;
  /** `unsupported`: the server accepts it in some places. */
  readonly code: "yaml" | "unsupported";
  readonly message: string;
}

export class ServerLexer {
  readonly faults: LexicalFault[] = [];
  private readonly source: Source;
  private readonly hasTabs: boolean;
  /** The stack of open brackets. */
  private readonly flows: string[] = [];
  /** The column of the latest key or dash, from 1. */
  private delimiter = 0;
  /** The start of the latest scalar or alias, and the white space before it. */
  private key = 0;
  private keySpace = "";
  /** The latest token that is neither white space nor a comment. */
  private previous = "";
  /** White space since the latest token. */
  private space = "";
  private scalarFollows = false;
  /** The header of a block: the next scalar is its text. */
  private header: string | undefined = undefined;
  /** Whether a comment follows the latest token. */
  private hasComment = false;
  /** The offset of the latest comment on a line of its own, if it follows the latest token. */
  private ownLine: number | undefined = undefined;
  /** Whether the document is a single value in brackets. */
  private inRoot = false;
  /** Whether the brackets of such a document are closed. */
  private rootEnded = false;
  /** Whether an alias came without white space after it so far. Until white space follows, the server sees no `:`. */
  private afterAlias = false;
  /** The start of a document that has no content so far. */
  private empty: number | undefined = undefined;
  /** The start of a document without content that `...` ended: no other may follow. */
  private endedEmpty: number | undefined = undefined;
  private lineStart = 0;

  constructor(source: Source) {
    this.source = source;
    this.hasTabs = source.text.includes("\t");
    if (source.hasMark) this.refuse(0, "a byte order mark, which the server takes for a part of the first key");
  }

  /** Reads the next token of `yaml`'s lexer, which begins at `at`. */
  see(token: string, at: number): void {
    if (this.scalarFollows) {
      this.scalarFollows = false;
      this.scalar(token, at, this.header);
      return;
    }
    switch (CST.tokenType(token)) {
      case "doc-mode":
      case "flow-error-end":
        return;
      case "scalar":
        this.scalarFollows = true;
        return;
      case "space":
        this.afterAlias = false;
        this.space += token;
        return;
      case "newline":
        this.tab(at);
        this.afterAlias = false;
        this.space = token;
        this.lineStart = at + token.length;
        return;
      case "comment":
        this.tab(at);
        this.comment(at);
        return;
      case "doc-start":
        this.documentEnds();
        this.empty = at;
        this.rootEnded = false;
        this.token(token, at);
        return;
      case "doc-end":
        this.endedEmpty ??= this.empty;
        this.empty = undefined;
        this.rootEnded = false;
        this.token(token, at);
        return;
      case "block-scalar-header":
        this.header = token;
        break;
      case "directive-line":
        this.refuse(at, "a directive, which the server takes for a document");
        break;
      case "explicit-key-ind":
        this.refuse(at, "a key marked by ?", "unsupported");
        break;
      case "seq-item-ind":
        this.delimiter = this.column(at);
        break;
      case "map-value-ind":
        this.colon(at);
        break;
      case "alias":
        this.value(token, at);
        this.afterAlias = true;
        return;
      case "single-quoted-scalar":
      case "double-quoted-scalar":
        this.scalar(token, at, undefined);
        return;
      case "anchor":
        if (this.previous.startsWith("!")) this.refuse(at, "an anchor after a tag, which the server does not find");
        break;
    }
    if (token === "]" && this.ownLine !== undefined) this.refuse(this.ownLine, COMMENT);
    this.empty = undefined;
    this.token(token, at);
    if (FLOW_STARTS.has(token)) this.opens(token);
    if (FLOW_ENDS.has(token)) this.closes();
  }

  end(at: number): void {
    this.tab(at);
    this.endedEmpty = undefined;
    this.documentEnds();
  }

  private opens(bracket: string): void {
    if (this.flows.length === 0) this.inRoot = this.delimiter === 0;
    this.flows.push(bracket);
  }

  private closes(): void {
    this.flows.pop();
    this.rootEnded = this.inRoot && this.flows.length === 0;
  }

  /** The server accepts comments only in few places between brackets, and never below a document in brackets. */
  private comment(at: number): void {
    const hasOwnLine = /^[ \t]*$/.test(this.line(at));
    if (hasOwnLine) {
      this.empty = undefined;
      this.ownLine = at;
    }
    this.hasComment = true;
    if (!this.takesComment(at, hasOwnLine)) this.refuse(at, COMMENT);
  }

  private takesComment(at: number, hasOwnLine: boolean): boolean {
    const { previous } = this;
    switch (this.flows.at(-1)) {
      case "{":
        return !hasOwnLine || previous === ":";
      case "[":
        return previous !== ":" && (!hasOwnLine || previous === "[" || previous === ",");
      default:
        if (!hasOwnLine) return true;
        return !this.rootEnded && (!previous.startsWith("&") || this.column(at) > this.delimiter);
    }
  }

  private scalar(token: string, at: number, header: string | undefined): void {
    const fault = scalarFault(token, header);
    if (fault !== undefined) this.refuse(at + fault.at, fault.message);
    if (header === undefined && this.flows.length > 0 && !/^['"]/.test(token)) this.plainInBrackets(token, at);
    this.header = undefined;
    this.value(token, at);
  }

  private plainInBrackets(token: string, at: number): void {
    const colon = token.search(/:(?!\/)/);
    if (colon >= 0 && this.flows.includes("{") && (this.previous !== ":" || this.hasComment)) {
      this.refuse(
        at + colon,
        "a : in braces, which ends a key for the server: quote the text, or put a space behind it",
      );
    }
    for (const { index, 0: line } of token.matchAll(/\n[ \t]*(?=[^ \t\r\n])/g)) {
      if (line.length > this.delimiter) continue;
      this.refuse(at + index + line.length, "a text in brackets that goes on further left than the latest key");
    }
  }

  private value(token: string, at: number): void {
    this.key = at;
    this.keySpace = this.space;
    this.empty = undefined;
    this.token(token, at);
    const newline = token.lastIndexOf("\n");
    if (newline >= 0) this.lineStart = at + newline + 1;
  }

  private token(token: string, at: number): void {
    if (this.previous === ":" && this.flows.at(-1) === "[" && this.space.includes("\n")) {
      this.refuse(at, "a value in a list that is not in the line of its key");
    }
    this.previous = token;
    this.space = "";
    this.hasComment = false;
    this.ownLine = undefined;
  }

  private colon(at: number): void {
    if (this.afterAlias) this.refuse(at, "the server sees no : after an alias without white space in between");
    this.delimiter = this.column(this.key);
    if (/^ ?\t/.test(this.keySpace)) this.refuse(this.key, "a tab before a key");
    const next = this.source.text[at + 1];
    if (this.flows.at(-1) === "[" && next !== undefined && !/\s/.test(next)) {
      this.refuse(at, "a : in a list without white space after it");
    }
    if (this.flows.at(-1) === "{" && next === "/")
      this.refuse(at, "a : before a / in braces: put a space between them");
    const isQuoted = this.previous.startsWith('"') || this.previous.startsWith("'");
    if (isQuoted && this.space.includes("\t")) this.refuse(at, "a tab between a key in quotes and its :");
    if (!isQuoted && this.flows.length > 0 && this.space.includes("\n")) {
      this.refuse(at, "a : that is not in the line of its key");
    }
  }

  private documentEnds(): void {
    const empty = this.empty ?? this.endedEmpty;
    if (empty !== undefined) this.refuse(empty, "an empty document, which the server does not read");
  }

  /**
   * Outside brackets, refuses a tab in the indentation of a blank line or of a comment, unless the tab is to the right of
   * the latest key or dash.
   */
  private tab(at: number): void {
    if (!this.hasTabs) return;
    const line = this.line(at);
    const tab = line.indexOf("\t");
    if (this.flows.length > 0 || tab < 0 || tab >= this.delimiter || /[^ \t]/.test(line)) return;
    this.refuse(this.lineStart + tab, "a tab at the beginning of a line");
  }

  private line(at: number): string {
    return this.source.text.slice(this.lineStart, at);
  }

  /** The column of an offset in the latest line, from 1. */
  private column(at: number): number {
    return Math.max(at - this.lineStart, 0) + 1;
  }

  private refuse(at: number, message: string, code: LexicalFault["code"] = "yaml"): void {
    this.faults.push({ at, code, message });
  }
}
