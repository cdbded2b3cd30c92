/** Checks a document against a shape: reports each problem in plain words, with a position and a hint. */

import { didYouMean } from "../distance.js";
import type { IssueCode } from "../issue.js";
import type { IssueLog } from "../issue-log.js";
import type { Source } from "../text/source.js";
import type { ListNode, MapNode, ScalarNode, TreeNode } from "../text/tree.js";
import { type DocumentShape, resolve } from "./shape.js";

/** Whether a document has a shape. All problems go to `log`. */
export function hasShape(document: TreeNode, shape: DocumentShape, source: Source, log: IssueLog): boolean {
  const check = new ShapeCheck(shape, source, log);
  check.node(document, shape);
  return check.fits;
}

class ShapeCheck {
  fits = true;
  private readonly root: DocumentShape;
  private readonly source: Source;
  private readonly log: IssueLog;
  /** The keys and indexes that lead to the current node. */
  private readonly path: (string | number)[] = [];

  constructor(root: DocumentShape, source: Source, log: IssueLog) {
    this.root = root;
    this.source = source;
    this.log = log;
  }

  node(node: TreeNode, given: DocumentShape): void {
    const shape = resolve(given, this.root);
    if (shape.type !== undefined && typeOf(node) !== shape.type) this.wrongType(node, shape.type);
    else if (node.kind === "map") this.map(node, shape);
    else if (node.kind === "list") this.list(node, shape);
    else if (typeof node.data === "string") this.text(node, node.data, shape);
    if (shape.enum !== undefined || shape.const !== undefined) this.value(node, shape);
  }

  private wrongType(node: TreeNode, type: NonNullable<DocumentShape["type"]>): void {
    const isEmpty = node.kind === "scalar" && node.data === null && this.path.length > 0;
    const hint = isEmpty ? `the value of ${this.field} must be indented deeper than the field` : undefined;
    this.fault("shape", node.start, `${this.field} must be ${TYPE_NAMES[type]}`, hint);
  }

  /** Checks fields that accept only certain values. */
  private value(node: TreeNode, { enum: members, const: constant }: DocumentShape): void {
    const { start } = node;
    const text = node.kind === "scalar" && typeof node.data === "string" ? node.data : undefined;
    if (members !== undefined && (text === undefined || !members.includes(text))) {
      const hint = text === undefined ? undefined : memberHint(text, members);
      this.fault("shape", start, `${this.field} must be one of ${members.join(", ")}`, hint);
    }
    if (constant !== undefined && text !== constant) this.fault("shape", start, `${this.field} must be "${constant}"`);
  }

  private map(node: MapNode, shape: DocumentShape): void {
    const { entries, start } = node;
    const { properties, additionalProperties } = shape;
    this.count(node, shape);
    for (const name of shape.required ?? []) {
      if (!entries.has(name)) this.fault("shape", start, `the field "${name}" is missing`);
    }
    for (const [name, { key, value }] of entries) {
      const inner =
        properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
      if (name.length < (shape.propertyNames?.minLength ?? 0)) {
        this.fault("shape", start, `${this.field} must not have ${JSON.stringify(name)} for a key`);
      }
      if (inner === false) {
        const hint = didYouMean(name, Object.keys(properties ?? {})) ?? ownerHint(name);
        this.fault("shape", key.start, `unknown field "${name}"`, hint);
      } else if (typeof inner === "object") this.inner(value, inner, name);
    }
  }

  /** Checks the number of fields, unless some are unknown: those are reported by name. */
  private count({ entries, start }: MapNode, shape: DocumentShape): void {
    const { properties = {}, additionalProperties, minProperties = 0, maxProperties = entries.size } = shape;
    if (entries.size >= minProperties && entries.size <= maxProperties) return;
    const isKnown = (name: string) => additionalProperties !== false || Object.hasOwn(properties, name);
    if ([...entries.keys()].every(isKnown)) this.fault("shape", start, `${this.field} must have ${shape.description}`);
  }

  private list({ items, start }: ListNode, { items: each, minItems = 0, uniqueItems }: DocumentShape): void {
    if (items.length < minItems) this.fault("shape", start, `${this.field} must not be empty`);
    if (uniqueItems === true && hasRepeatedText(items)) {
      this.fault("shape", start, `${this.field} must not name anything twice`);
    }
    if (each !== undefined) for (const [i, item] of items.entries()) this.inner(item, each, i);
  }

  private inner(node: TreeNode, shape: DocumentShape, step: string | number): void {
    this.path.push(step);
    this.node(node, shape);
    this.path.pop();
  }

  private text(node: ScalarNode, text: string, shape: DocumentShape): void {
    const { start } = node;
    const { minLength = 0, pattern, description } = shape;
    if (text.length < minLength) this.fault("shape", start, `${this.field} must not be empty`);
    if (pattern !== undefined && !matches(text, pattern)) {
      const message = `${JSON.stringify(text)} is not allowed as ${this.field}: it takes ${description}`;
      this.fault("name", start, message);
    }
  }

  /** `"effect"`, `"actions[0]"`. */
  private get field(): string {
    const last = this.path.at(-1);
    if (last === undefined) return "the document";
    return typeof last === "number" ? `"${this.path.at(-2) ?? ""}[${last}]"` : `"${last}"`;
  }

  private fault(code: IssueCode, at: number, message: string, hint?: string): void {
    this.log.error(code, this.source.position(at), message, hint);
    this.fits = false;
  }
}

function typeOf(node: TreeNode): string {
  if (node.kind !== "scalar") return node.kind === "map" ? "object" : "array";
  return node.data === null ? "null" : typeof node.data;
}

function matches(text: string, pattern: string): boolean {
  const known = PATTERNS.get(pattern) ?? new RegExp(pattern, "u");
  PATTERNS.set(pattern, known);
  return known.test(text);
}

/** Compiled patterns. Their number is bounded, because they come from shapes. */
const PATTERNS = new Map<string, RegExp>();

function hasRepeatedText(items: readonly TreeNode[]): boolean {
  const texts = items.flatMap((item) => (item.kind === "scalar" && typeof item.data === "string" ? [item.data] : []));
  return new Set(texts).size < texts.length;
}

/** Suggests a member that was misspelt, or written without its prefix: `DENY` for `EFFECT_DENY`. */
function memberHint(written: string, members: readonly string[]): string | undefined {
  const short = `_${written.toUpperCase()}`;
  const whole = members.find((member) => member.endsWith(short));
  return whole === undefined ? didYouMean(written, members) : `did you mean ${JSON.stringify(whole)}?`;
}

/** The owner of each field that is often misplaced by wrong indentation. */
const OWNERS: ReadonlyMap<string, string> = new Map([
  ["match", "condition"],
  ["expr", "match"],
  ["all", "match"],
  ["any", "match"],
  ["none", "match"],
  ["of", "all, any or none"],
  ["when", "output"],
  ["ruleActivated", "when"],
  ["conditionNotMet", "when"],
  ["local", "variables or constants"],
  ...["resource", "version", "scope", "importDerivedRoles", "schemas", "rules"].map((field): [string, string] => [
    field,
    "the policy",
  ]),
  ...["actions", "roles", "derivedRoles", "effect", "condition", "output"].map((field): [string, string] => [
    field,
    "a rule",
  ]),
]);

function ownerHint(field: string): string | undefined {
  const owner = OWNERS.get(field);
  return owner === undefined ? undefined : `it belongs to ${owner}: indent it like the entries there`;
}

const TYPE_NAMES = { object: "a mapping", array: "a list", string: "text", boolean: "true or false" } as const;
