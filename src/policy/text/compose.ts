/**
 * Turns nodes of the `yaml` package into a positioned tree: resolves aliases and merge keys, reports duplicate keys, and
 * enforces limits.
 */

import { isAlias, isMap, isPair, isScalar, isSeq, type ParsedNode, type Scalar } from "yaml";
import { isWellFormed } from "../../cel/text.js";
import { MAX_ALIASES, MAX_NODES } from "../../limits.js";
import type { IssueLog } from "../issue-log.js";
import { type Plain, plainScalar } from "./plain-scalar.js";
import { blockText } from "./server-scalars.js";
import type { Source } from "./source.js";
import type { MapEntry, MapNode, ScalarNode, ScalarStyle, TreeNode } from "./tree.js";

/** `core`: YAML 1.2 and its core schema. `server`: as the Cerbos server reads policies. */
export type Dialect = "core" | "server";

/** The tree of one document; undefined if it is refused. */
export function composeTree(
  contents: ParsedNode,
  source: Source,
  log: IssueLog,
  dialect: Dialect,
): TreeNode | undefined {
  const composer = new TreeComposer(source, log, dialect);
  const tree = composer.node(contents);
  return composer.refused ? undefined : tree;
}

interface Anchored {
  readonly node: TreeNode;
  /** The number of its nodes after aliases are resolved. */
  readonly size: number;
}

const STYLES: ReadonlyMap<string | undefined, ScalarStyle> = new Map<string | undefined, ScalarStyle>([
  ["QUOTE_SINGLE", "single"],
  ["QUOTE_DOUBLE", "double"],
  ["BLOCK_LITERAL", "literal"],
  ["BLOCK_FOLDED", "folded"],
]);

class TreeComposer {
  refused = false;
  private readonly source: Source;
  private readonly log: IssueLog;
  private readonly dialect: Dialect;
  private readonly anchors = new Map<string, Anchored>();
  private aliases = 0;
  private size = 0;

  constructor(source: Source, log: IssueLog, dialect: Dialect) {
    this.source = source;
    this.log = log;
    this.dialect = dialect;
  }

  node(parsed: ParsedNode | null): TreeNode {
    if (parsed === null) return nothing(0);
    if (isAlias(parsed)) return this.alias(parsed.source, parsed.range[0]);
    const before = this.size++;
    const node = this.content(parsed);
    if (parsed.anchor === undefined) return node;
    if (this.dialect === "server" && this.anchors.has(parsed.anchor)) {
      this.refuse(parsed.range[0], "yaml", `the anchor "&${parsed.anchor}" is there twice`);
    }
    if (this.dialect === "server" && isScalar(parsed) && parsed.source === "") this.emptyAnchor(parsed.range[0]);
    this.anchors.set(parsed.anchor, { node, size: this.size - before });
    return node;
  }

  private content(parsed: ParsedNode): TreeNode {
    const [start, end] = parsed.range;
    if (isScalar(parsed)) return this.scalar(parsed, start, end);
    if (isSeq(parsed)) return { kind: "list", items: parsed.items.map((item) => this.item(item, start)), start };
    if (isMap(parsed)) return this.map(parsed.items, start);
    return nothing(start);
  }

  /** An item can be a pair, as in `[a: b]`. */
  private item(item: unknown, start: number): TreeNode {
    if (isPair(item)) return this.map([item], start);
    return isParsed(item) ? this.node(item) : nothing(start);
  }

  private scalar(parsed: Scalar, start: number, end: number): ScalarNode {
    const style = STYLES.get(parsed.type) ?? "plain";
    const { data, text } = this.tagged(parsed, style, this.value(parsed, style));
    if (this.dialect === "server" && text?.trim() === "") this.beforeItem(start);
    if (typeof data === "number" && !Number.isFinite(data)) {
      this.refuse(start, "shape", "a number that JSON does not have");
    }
    return { kind: "scalar", style, data, text, start, end };
  }

  /** Refuses a block of blank lines before a list item: the server takes the item for a part of the block. */
  private beforeItem(start: number): void {
    BLANK_BLOCK.lastIndex = start;
    if (!BLANK_BLOCK.test(this.source.text)) return;
    this.refuse(start, "yaml", "a block of blank lines before an item: the server reads them as part of the item");
  }

  /** Refuses an anchor without a value above a comment: the server anchors the next value in its place. */
  private emptyAnchor(start: number): void {
    COMMENT_BELOW.lastIndex = start;
    if (!COMMENT_BELOW.test(this.source.text)) return;
    this.refuse(start, "yaml", "an anchor without a value above a comment, which the server gives to a later value");
  }

  private value({ value, source = "" }: Scalar, style: ScalarStyle): Plain {
    if (this.dialect === "core") return coreScalar(value, source);
    if (typeof value === "string" && style !== "plain") {
      const text = style === "literal" || style === "folded" ? blockText(value) : value;
      return { data: text, text };
    }
    const plain = plainScalar(source);
    // In text of several lines, `value` has the lines folded.
    return typeof plain.data === "string" && typeof value === "string" ? { data: value, text: value } : plain;
  }

  /** Applies the tag to a value. Refuses a tag that does not fit the value. */
  private tagged({ tag, range }: Scalar, style: ScalarStyle, plain: Plain): Plain {
    if (this.dialect === "core") return plain;
    const start = range?.[0] ?? 0;
    const { data, text } = plain;
    if (typeof data === "string" && !isWellFormed(data)) this.refuse(start, "not_text", "half of a surrogate pair");
    if (tag === undefined || isMeant(tag, style, plain)) return plain;
    // The server ignores the text tag on such values.
    if (tag === TEXT_TAG && text !== undefined && (typeof data === "number" || text === String(data))) return plain;
    this.refuse(start, "unsupported", `a value that is not of the type of its tag, ${tag}`);
    return plain;
  }

  private alias(name: string, start: number): TreeNode {
    const anchored = this.anchors.get(name);
    if (anchored === undefined) {
      this.refuse(start, "yaml", `no anchor "&${name}" before this alias`);
      return nothing(start);
    }
    this.size += anchored.size;
    if (++this.aliases > MAX_ALIASES) this.refuse(start, "too_large", `more than ${MAX_ALIASES} aliases`);
    if (this.size > MAX_NODES)
      this.refuse(start, "too_large", `more than ${MAX_NODES} values once aliases are resolved`);
    return anchored.node;
  }

  private map(pairs: readonly unknown[], start: number): MapNode {
    const entries = new Map<string, MapEntry>();
    const names = new Set<string>();
    let merged: MapNode | undefined;
    for (const pair of pairs) {
      if (!isPair(pair) || !isParsed(pair.key)) continue;
      const key = this.key(pair.key);
      const value = isParsed(pair.value) ? this.node(pair.value) : nothing(key?.end ?? start);
      if (key === undefined) continue;
      if (names.has(key.name)) this.duplicate(key);
      else if (!key.merges) entries.set(key.name, { key: { start: key.start, isText: key.isText }, value });
      else if (value.kind === "map" && isMergeable(pair.value)) merged = value;
      else
        this.refuse(key.start, "yaml", "a merge key takes a mapping without anchor or tag, or an alias of a mapping");
      names.add(key.name);
    }
    if (merged !== undefined) merge(entries, merged);
    return { kind: "map", entries, start };
  }

  private key(parsed: ParsedNode): Key | undefined {
    const [start, end] = parsed.range;
    const node = this.node(parsed);
    if (node.kind !== "scalar") {
      this.refuse(start, "yaml", "a key must be text");
      return undefined;
    }
    const mark = this.dialect === "server" ? markOf(parsed) : undefined;
    if (mark !== undefined) this.refuse(start, "unsupported", mark);
    const name = this.keyName(node);
    if (name === undefined) {
      this.refuse(start, "unsupported", "a key that is a number with a fraction: quote it");
      return undefined;
    }
    const isText = typeof node.data === "string";
    const merges = name === MERGE_KEY && node.style === "plain" && isScalar(parsed) && parsed.tag === undefined;
    return { name, start, end, isText, merges };
  }

  private keyName({ data, text }: ScalarNode): string | undefined {
    return this.dialect === "server" && (data === null || typeof data === "boolean") ? String(data) : text;
  }

  private duplicate({ name, start, merges }: Key): void {
    const hint = merges ? "merge one mapping here: it can itself merge another" : undefined;
    this.log.error(
      "duplicate_key",
      this.source.position(start),
      `the key ${JSON.stringify(name)} is there twice`,
      hint,
    );
  }

  private refuse(at: number, code: "yaml" | "too_large" | "shape" | "unsupported" | "not_text", message: string): void {
    this.log.error(code, this.source.position(at), message);
    this.refused = true;
  }
}

interface Key {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly isText: boolean;
  readonly merges: boolean;
}

const MERGE_KEY = "<<";

/** A mark on a key that the server refuses; undefined if there is none. */
function markOf(key: ParsedNode): string | undefined {
  if (isAlias(key)) return "an alias as a key";
  if (key.anchor !== undefined) return "an anchor on a key";
  return key.tag === undefined ? undefined : "a tag on a key";
}

/** A block's header, a blank line, further blank lines and comments, and a list item. */
const BLANK_BLOCK = /[|>][^\n]*\n[ \t]*\r?\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*-[ \t\r\n]/y;

/** The rest of a line, and a comment below it. */
const COMMENT_BELOW = /[ \t]*(?:#[^\n]*)?\n\s*#/y;

/** Whether a merge key can merge this value. As on the server, a mapping with an anchor or a tag cannot be merged. */
function isMergeable(value: unknown): boolean {
  return isAlias(value) || (isMap(value) && value.anchor === undefined && value.tag === undefined);
}

/** `<<`: existing keys win (https://yaml.org/type/merge.html). */
function merge(entries: Map<string, MapEntry>, { entries: merged }: MapNode): void {
  for (const [name, entry] of merged) if (!entries.has(name)) entries.set(name, entry);
}

/** A plain scalar of YAML 1.2's core schema. Its text is the source: `1.0`, not `1`. */
function coreScalar(value: unknown, source: string): Plain {
  if (typeof value === "string") return { data: value, text: value };
  return typeof value === "number" || typeof value === "boolean"
    ? { data: value, text: source }
    : { data: null, text: "" };
}

const YAML_TAG = "tag:yaml.org,2002:";
const TEXT_TAG = `${YAML_TAG}str`;

/** Whether a value has the type of its tag. The server converts some other values, in ways of its own. */
function isMeant(tag: string, style: ScalarStyle, { data, text }: Plain): boolean {
  if (tag === TEXT_TAG) return typeof data === "string";
  if (style !== "plain") return false;
  switch (tag) {
    case `${YAML_TAG}int`:
      return typeof data === "number" && text !== undefined;
    case `${YAML_TAG}float`:
      return typeof data === "number" && text === undefined;
    case `${YAML_TAG}bool`:
      return typeof data === "boolean";
    case `${YAML_TAG}null`:
      return data === null;
    default:
      return false;
  }
}

function isParsed(value: unknown): value is ParsedNode {
  return isScalar(value) || isMap(value) || isSeq(value) || isAlias(value);
}

function nothing(at: number): ScalarNode {
  return { kind: "scalar", style: "plain", data: null, text: "", start: at, end: at };
}
