/**
 * `yaml.parse` and `yaml.encode` of level 0.58: YAML 1.2 with its core schema, by the `yaml` package. Read in the
 * changelog, not run.
 *
 * `yaml.parse` gives a value in the types of attributes: every number is a double. Texts that readers of YAML understand
 * differently are errors: several documents, tags, merge keys, keys that are no text or stand twice, numbers that JSON
 * does not have. `yaml.encode` writes blocks with sorted keys; `yaml.parse` reads them back.
 */

import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  type ParsedNode,
  Parser,
  Schema,
  stringify,
} from "yaml";
import { type Evaluation, fail, spend } from "../evaluation.js";
import type { JsonValue } from "../json.js";
import { withoutStackTraces } from "../stack-traces.js";
import { compareStrings, isWellFormed } from "../text.js";
import { DYN, STRING } from "../types.js";
import type { CelValue } from "../values.js";
import { jsonOf, MAX_DEPTH } from "./json.js";
import { atLevel, type Overload, unary } from "./overload.js";

/** Reading a character of YAML takes one to three microseconds, also in a text that is broken in many places. */
const STEPS_PER_CHARACTER = 40;

const SCHEMA = new Schema({ schema: "core", resolveKnownTags: false });

function parse(ev: Evaluation, text: string): JsonValue | undefined {
  if (!spend(ev, 1 + text.length * STEPS_PER_CHARACTER)) return undefined;
  const documents = withoutStackTraces(() => documentsOf(text));
  const [document, second] = documents ?? [];
  if (documents === undefined || second !== undefined || documents.some(hasFault)) {
    return fail(ev, "the text is not one YAML document of supported values");
  }
  return document === undefined ? null : new Reader(ev).read(document.contents);
}

/** The documents of a text; undefined if it is nested too deeply, or has a token in a wrong place. */
function documentsOf(text: string): readonly Document.Parsed<ParsedNode>[] | undefined {
  const parser = new Parser();
  const composer = new Composer<ParsedNode>({ schema: SCHEMA, uniqueKeys: false, prettyErrors: false });
  const documents: Document.Parsed<ParsedNode>[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      if (token.type === "error") return undefined;
      documents.push(...composer.next(token));
    }
    if (parser.stack.length > MAX_DEPTH) return undefined;
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end());
  return documents;
}

/** Warnings are about tags that the schema does not know. */
function hasFault({ errors, warnings }: Document.Parsed<ParsedNode>): boolean {
  return errors.length > 0 || warnings.length > 0;
}

/** Reads the nodes of a document. Each value costs a step, also where an alias repeats it. */
class Reader {
  private readonly ev: Evaluation;
  private readonly anchors = new Map<string, { readonly value: JsonValue; readonly size: number }>();
  private size = 0;

  constructor(ev: Evaluation) {
    this.ev = ev;
  }

  read(node: ParsedNode | null): JsonValue | undefined {
    if (node === null) return null;
    if (isAlias(node)) return this.repeat(node.source);
    if (!this.pay(1)) return undefined;
    const before = this.size;
    const value = this.content(node);
    if (value !== undefined && node.anchor !== undefined) {
      this.anchors.set(node.anchor, { value, size: this.size - before + 1 });
    }
    return value;
  }

  private repeat(name: string): JsonValue | undefined {
    const anchored = this.anchors.get(name);
    if (anchored === undefined) return fail(this.ev, "a YAML alias has no anchor before it");
    return this.pay(anchored.size) ? anchored.value : undefined;
  }

  private pay(size: number): boolean {
    this.size += size;
    return spend(this.ev, size);
  }

  private content(node: ParsedNode): JsonValue | undefined {
    if (node.tag !== undefined) return fail(this.ev, "a YAML tag is not supported");
    if (isScalar(node)) return this.scalar(node.value);
    if (isSeq(node)) return this.list(node.items);
    return isMap(node) ? this.map(node.items) : undefined;
  }

  private scalar(value: unknown): JsonValue | undefined {
    if (value === null || typeof value === "boolean") return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    if (typeof value === "string" && isWellFormed(value)) return value;
    return fail(this.ev, "a value of the YAML text is neither text nor a finite number");
  }

  private list(items: readonly unknown[]): JsonValue | undefined {
    const values: JsonValue[] = [];
    for (const item of items) {
      // `[a: b]` has a pair as an item: a map of one entry.
      const value = isPair(item) ? this.map([item]) : isNode(item) ? this.read(item) : null;
      if (value === undefined) return undefined;
      values.push(value);
    }
    return values;
  }

  private map(pairs: readonly unknown[]): JsonValue | undefined {
    const entries = new Map<string, JsonValue>();
    for (const pair of pairs) {
      const key = isPair(pair) && isNode(pair.key) ? this.read(pair.key) : undefined;
      if (typeof key !== "string" || key === "<<" || entries.has(key)) {
        return fail(this.ev, "a key of the YAML text is no text, stands twice or merges");
      }
      const value = isPair(pair) && isNode(pair.value) ? this.read(pair.value) : null;
      if (value === undefined) return undefined;
      entries.set(key, value);
    }
    return Object.fromEntries(entries);
  }
}

function isNode(value: unknown): value is ParsedNode {
  return isScalar(value) || isMap(value) || isSeq(value) || isAlias(value);
}

function encode(ev: Evaluation, value: CelValue): string | undefined {
  const json = jsonOf(ev, value);
  if (json === undefined || !payFor(ev, json)) return undefined;
  return stringify(json, { schema: "core", aliasDuplicateObjects: false, lineWidth: 0, sortMapEntries: byKey });
}

/** Pays for writing: some microseconds for each value, and some for each character that may need an escape. */
function payFor(ev: Evaluation, json: JsonValue): boolean {
  if (typeof json === "string") return spend(ev, 16 + json.length * 2);
  if (typeof json !== "object" || json === null) return spend(ev, 16);
  return Object.entries(json).every(([key, value]) => spend(ev, 32 + key.length * 2) && payFor(ev, value));
}

function byKey({ key: a }: { readonly key: unknown }, { key: b }: { readonly key: unknown }): number {
  return compareStrings(textOf(a), textOf(b));
}

/** The text of a key, which is a node or the text itself. */
function textOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

export const yamlFunctions: readonly Overload[] = [
  unary("global", "yaml.parse", STRING, DYN, parse),
  unary("global", "yaml.encode", DYN, STRING, encode),
].map((overload) => atLevel("0.58", overload));
