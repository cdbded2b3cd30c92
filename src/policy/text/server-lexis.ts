/**
 * What the YAML parser of this library takes and the server's (goccy/go-yaml 1.19.2) does not, as far as it is a matter
 * of tokens. All of it was observed of the server, which refuses such a file, or, for an empty document, crashes.
 */

import { CST } from "yaml";
import type { Source } from "./source.js";

const FLOW_STARTS: ReadonlySet<string> = new Set(["[", "{"]);
const FLOW_ENDS: ReadonlySet<string> = new Set(["]", "}"]);

/** Something that the server refuses, at an offset. */
export interface LexicalFault {
  readonly at: number;
  /** `unsupported`: the server takes it in places. */
  readonly code: "yaml" | "unsupported";
  readonly message: string;
}

export class ServerLexis {
  readonly faults: LexicalFault[] = [];
  private readonly source: Source;
  private readonly hasTabs: boolean;
  /** The brackets that are open. */
  private readonly flows: string[] = [];
  /** The column of the latest key or dash, from 1. */
  private delimiter = 0;
  /** Where the latest scalar or alias begins, and the white space before it. */
  private key = 0;
  private keySpace = "";
  /** The latest token that is neither white space nor a comment. */
  private previous = "";
  /** White space since the latest token. */
  private space = "";
  private scalarFollows = false;
  /** Since the latest alias there was no white space: the server sees no `:` until there is. */
  private afterAlias = false;
  /** The start of a document in which nothing was found so far. */
  private empty: number | undefined = undefined;
  /** The start of a document that `...` ended before anything was found: no other may follow. */
  private endedEmpty: number | undefined = undefined;
  private lineStart = 0;

  constructor(source: Source) {
    this.source = source;
    this.hasTabs = source.text.includes("\t");
    if (source.hasMark) this.refuse(0, "a byte order mark, which the server takes for a part of the first key");
  }

  /** Takes up the next token of `yaml`'s lexer, which begins at `at`. */
  see(token: string, at: number): void {
    if (this.scalarFollows) {
      this.scalarFollows = false;
      this.value(token, at);
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
        if (/^[ \t]*$/.test(this.line(at))) this.empty = undefined;
        return;
      case "doc-start":
        this.documentEnds();
        this.empty = at;
        this.token(token);
        return;
      case "doc-end":
        this.endedEmpty ??= this.empty;
        this.empty = undefined;
        this.token(token);
        return;
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
        this.value(token, at);
        return;
      case "anchor":
        if (this.previous.startsWith("!")) this.refuse(at, "an anchor after a tag, which the server does not find");
        break;
    }
    if (FLOW_STARTS.has(token)) this.flows.push(token);
    if (FLOW_ENDS.has(token)) this.flows.pop();
    this.empty = undefined;
    this.token(token);
  }

  end(at: number): void {
    this.tab(at);
    this.endedEmpty = undefined;
    this.documentEnds();
  }

  private value(token: string, at: number): void {
    this.key = at;
    this.keySpace = this.space;
    this.empty = undefined;
    this.token(token);
    const newline = token.lastIndexOf("\n");
    if (newline >= 0) this.lineStart = at + newline + 1;
  }

  private token(token: string): void {
    this.previous = token;
    this.space = "";
  }

  private colon(at: number): void {
    if (this.afterAlias) this.refuse(at, "the server sees no : after an alias without white space in between");
    this.delimiter = this.column(this.key);
    if (/^ ?\t/.test(this.keySpace)) this.refuse(this.key, "a tab before a key");
    const next = this.source.text[at + 1];
    const isQuoted = this.previous.startsWith('"') || this.previous.startsWith("'");
    if (isQuoted && this.flows.at(-1) === "[" && next !== undefined && !/\s/.test(next)) {
      this.refuse(at, "a : in a list without white space after it");
    }
  }

  private documentEnds(): void {
    const empty = this.empty ?? this.endedEmpty;
    if (empty !== undefined) this.refuse(empty, "an empty document, which the server does not read");
  }

  /** A tab in the white space that a line begins with, where nothing follows that could stand further right. */
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

  /** The column of what stands in the latest line. */
  private column(at: number): number {
    return Math.max(at - this.lineStart, 0) + 1;
  }

  private refuse(at: number, message: string, code: LexicalFault["code"] = "yaml"): void {
    this.faults.push({ at, code, message });
  }
}
