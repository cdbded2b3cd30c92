/** The `yaml` package's nodes to a positioned tree: aliases, merge keys, duplicate keys, and the limits on them. */

import { isAlias, isMap, isPair, isScalar, isSeq, type ParsedNode, type Scalar } from "yaml";
import type { IssueLog } from "../issue-log.js";
import { MAX_ALIASES, MAX_NODES } from "../limits.js";
import type { Source } from "./source.js";
import {
  listNode,
  type MapEntry,
  type MapNode,
  mapNode,
  type ScalarNode,
  type ScalarStyle,
  type TreeNode,
} from "./tree.js";

/** The tree of one document; undefined if it is refused. */
export function composeTree(contents: ParsedNode, source: Source, log: IssueLog): TreeNode | undefined {
  const composer = new TreeComposer(source, log);
  const tree = composer.node(contents);
  return composer.refused ? undefined : tree;
}

interface Anchored {
  readonly node: TreeNode;
  /** How many nodes it is, its aliases replaced. */
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
  private readonly anchors = new Map<string, Anchored>();
  private aliases = 0;
  private size = 0;

  constructor(source: Source, log: IssueLog) {
    this.source = source;
    this.log = log;
  }

  node(parsed: ParsedNode | null): TreeNode {
    if (parsed === null) return nothing(0);
    if (isAlias(parsed)) return this.alias(parsed.source, parsed.range[0]);
    const before = this.size++;
    const node = this.content(parsed);
    if (parsed.anchor !== undefined) this.anchors.set(parsed.anchor, { node, size: this.size - before });
    return node;
  }

  private content(parsed: ParsedNode): TreeNode {
    const [start, end] = parsed.range;
    if (isScalar(parsed)) return this.scalar(parsed, start, end);
    if (isSeq(parsed))
      return listNode(
        parsed.items.map((item) => this.item(item, start)),
        start,
        end,
      );
    if (isMap(parsed)) return this.map(parsed.items, start, end);
    return nothing(start);
  }

  /** `[a: b]` makes an item that is a pair. */
  private item(item: unknown, start: number): TreeNode {
    if (isPair(item)) return this.map([item], start, start);
    return isParsed(item) ? this.node(item) : nothing(start);
  }

  private scalar(parsed: Scalar, start: number, end: number): ScalarNode {
    const style = STYLES.get(parsed.type) ?? "plain";
    const value = parsed.value;
    switch (typeof value) {
      case "string":
      case "boolean":
        return { kind: "scalar", style, data: value, start, end };
      case "number":
        if (!Number.isFinite(value)) this.refuse(start, "shape", "a number that JSON does not have");
        return { kind: "scalar", style, data: value, start, end };
      default:
        return { kind: "scalar", style, data: null, start, end };
    }
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

  private map(pairs: readonly unknown[], start: number, end: number): MapNode {
    const entries = new Map<string, MapEntry>();
    const merged: { readonly value: TreeNode; readonly at: number }[] = [];
    for (const pair of pairs) {
      if (!isPair(pair) || !isParsed(pair.key)) continue;
      const key = this.key(pair.key);
      const value = isParsed(pair.value) ? this.node(pair.value) : nothing(key?.end ?? start);
      if (key === undefined) continue;
      if (key.merges && !isAlias(pair.value)) this.refuse(key.start, "yaml", "a merge key takes an alias");
      else if (key.merges) merged.push({ value, at: key.start });
      else if (entries.has(key.name)) this.duplicate(key.name, key.start);
      else entries.set(key.name, { key, value });
    }
    for (const { value, at } of merged) this.merge(entries, value, at);
    return mapNode(entries, start, end);
  }

  private key(parsed: ParsedNode): Key | undefined {
    const [start, end] = parsed.range;
    const node = this.node(parsed);
    if (node.kind !== "scalar") {
      this.refuse(start, "yaml", "a key must be text");
      return undefined;
    }
    const name = scalarText(node, this.source);
    return { name, start, end, merges: name === "<<" && node.style === "plain" && isScalar(parsed) };
  }

  /**
   * `<<`: keys that are there already win; of a list, the first wins (https://yaml.org/type/merge.html). As on the
   * server, what is merged is an alias.
   */
  private merge(entries: Map<string, MapEntry>, value: TreeNode, at: number): void {
    if (value.kind === "scalar") {
      this.refuse(at, "yaml", "a merge key takes a mapping or a list of mappings");
      return;
    }
    if (value.kind === "list") {
      for (const item of value.items) this.merge(entries, item, at);
      return;
    }
    for (const [name, entry] of value.entries) if (!entries.has(name)) entries.set(name, entry);
  }

  private duplicate(name: string, at: number): void {
    this.log.error("duplicate_key", this.source.position(at), `the key ${JSON.stringify(name)} is there twice`);
  }

  private refuse(at: number, code: "yaml" | "too_large" | "shape", message: string): void {
    this.log.error(code, this.source.position(at), message);
    this.refused = true;
  }
}

interface Key {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly merges: boolean;
}

/** A scalar's text, as written where it is plain: `1.0`, not `1`. */
export function scalarText(node: ScalarNode, source: Source): string {
  if (typeof node.data === "string") return node.data;
  return node.data === null ? "" : source.text.slice(node.start, node.end);
}

function isParsed(value: unknown): value is ParsedNode {
  return isScalar(value) || isMap(value) || isSeq(value) || isAlias(value);
}

function nothing(at: number): ScalarNode {
  return { kind: "scalar", style: "plain", data: null, start: at, end: at };
}
