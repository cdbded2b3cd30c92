/**
 * A checked policy set as text, and back. What is packed has been checked, so a page has neither to check it again nor to
 * bring what checks. Expressions travel as checked trees, so that they mean what they mean here; where each part of them
 * stands in its file goes along.
 */

import { children, type Expr } from "../../cel/ast.js";
import { Spans } from "../../cel/spans.js";
import { treeFromJson, treeToJson } from "../../cel/tree-json.js";
import type { JsonMap } from "../../cel/values.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { Layer } from "../../engine/evaluate/layer.js";
import { WHOLE } from "../../engine/evaluate/whole.js";
import type { Position } from "../../policy/issue.js";
import type { Expression, PolicyModel } from "../../policy/model.js";

/** A place as `[file, line, column]`; the file is an index. */
type Place = readonly [file: number, line: number, column: number];

/** An expression's text, its tree, its file, and `offset, line, column` of each part, in the order of offsets. */
type PackedExpression = readonly [source: string, tree: string, file: number, places: readonly number[]];

interface Packed {
  /** `null`: the set is permission-only. */
  readonly versions: readonly [permission: string, platform: string | null];
  readonly globals: string;
  readonly enforceSchemas: boolean;
  readonly typedReads: boolean;
  readonly files: readonly string[];
  readonly expressions: readonly PackedExpression[];
  /** Objects that several policies share, each after those it holds, as JSON. */
  readonly shared: readonly string[];
  readonly model: string;
}

/** A policy set as JSON text. */
export function pack({ model, permission, platform }: PolicySet): string {
  const packer = new Packer();
  const { resourcePolicies, principalPolicies, rolePolicies, scopePermissions, schemas } = model;
  const text = packer.text({ resourcePolicies, principalPolicies, rolePolicies, scopePermissions, schemas });
  const packed: Packed = {
    versions: [permission.version, platform?.version ?? null],
    globals: JSON.stringify(permission.globals),
    enforceSchemas: permission.enforcesSchemas,
    typedReads: permission.typedReads,
    files: packer.files.all,
    expressions: packer.expressions.all,
    shared: packer.shared.all,
    model: text,
  };
  return JSON.stringify(packed);
}

/** The set that {@link pack} was given, ready to decide; nothing is generated for it, and it has no files. */
export function unpack(text: string): PolicySet {
  const packed: Packed = JSON.parse(text);
  const expressions = packed.expressions.map((one) => new PackedSource(one, packed.files));
  const shared: unknown[] = [];
  const reviver = (_: string, value: unknown): unknown => revived(value, packed, expressions, shared);
  for (const each of packed.shared) shared.push(JSON.parse(each, reviver));
  const model: Omit<PolicyModel, "unused" | "warnings"> = JSON.parse(packed.model, reviver);
  const whole = { ...model, unused: [], warnings: [] };
  const [permission, platform] = packed.versions;
  const globals: JsonMap = JSON.parse(packed.globals);
  const { enforceSchemas, typedReads } = packed;
  const options = { equipment: WHOLE, codegen: false, globals, enforceSchemas, typedReads };
  return {
    permission: new Layer(whole, permission, "not_granted", options),
    platform: platform === null ? undefined : new Layer(whole, platform, "not_available", options),
    model: whole,
    files: [],
    warnings: [],
  };
}

/** Values of a kind, each once, by their index. */
class Table<T> {
  readonly all: T[] = [];
  private readonly indexes = new Map<unknown, number>();

  /** `key`: what is the same for equal values. */
  add(key: unknown, value: () => T): number {
    const known = this.indexes.get(key);
    if (known !== undefined) return known;
    const made = value();
    const index = this.all.push(made) - 1;
    this.indexes.set(key, index);
    return index;
  }
}

class Packer {
  readonly files = new Table<string>();
  readonly expressions = new Table<PackedExpression>();
  readonly shared = new Table<string>();

  text(value: object): string {
    return JSON.stringify(this.fields(value));
  }

  private value(name: string, value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (isExpression(value)) return marked({ $expression: this.expression(value) });
    if (isPosition(value)) return marked({ $at: this.place(value) });
    if (value instanceof Map) return marked({ $map: this.entries(name, value) });
    if (Array.isArray(value)) return value.map((each) => this.value("", each));
    if (name === "definitions" || "parentRoles" in value) {
      return marked({ $shared: this.shared.add(value, () => JSON.stringify(this.fields(value))) });
    }
    return this.fields(value);
  }

  private entries(name: string, map: ReadonlyMap<unknown, unknown>): readonly (readonly [unknown, unknown])[] {
    const isJson = name === "constants" || name === "schemas";
    return [...map].map(([key, value]) => [
      key,
      isJson ? marked({ $json: JSON.stringify(value) }) : this.value("", value),
    ]);
  }

  private fields(value: object): object {
    // What no decision reads stays behind.
    const kept = Object.entries(value).filter(([name]) => !FOR_FINDINGS.has(name));
    return Object.fromEntries(kept.map(([name, each]) => [name, this.value(name, each)]));
  }

  private place({ file, line, column }: Position): Place {
    return [this.files.add(file, () => file), line, column];
  }

  private expression(expression: Expression): number {
    const { file } = expression.position(0);
    return this.expressions.add(expression, () => [
      expression.source,
      treeToJson(expression.expr),
      this.files.add(file, () => file),
      placesOf(expression),
    ]);
  }
}

/** Fields of the model that only people and findings need. */
const FOR_FINDINGS: ReadonlySet<string> = new Set(["actionPositions", "annotations", "rolePositions", "versionAt"]);

/** Where the parts of an expression stand; what follows from the part before is left out. */
function placesOf(expression: Expression): readonly number[] {
  const spans = new Spans(expression.source);
  const offsets = new Set([0]);
  const pending: Expr[] = [expression.expr];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    offsets.add(node.at).add(spans.of(node).start);
    pending.push(...children(node));
  }
  const places: number[] = [];
  let last: Position & { readonly offset: number } = { file: "", line: 0, column: 0, offset: 0 };
  for (const offset of [...offsets].sort((a, b) => a - b)) {
    const { file, line, column } = expression.position(offset);
    const follows = line === last.line && column - last.column === offset - last.offset;
    if (!follows) places.push(offset, line, column);
    last = { file, line, column, offset };
  }
  return places;
}

class PackedSource implements Expression {
  readonly source: string;
  readonly expr: Expr;
  private readonly file: string;
  private readonly places: readonly number[];

  constructor([source, tree, file, places]: PackedExpression, files: readonly string[]) {
    this.source = source;
    this.expr = treeFromJson(tree);
    this.file = files[file] ?? "";
    this.places = places;
  }

  position(offset: number): Position {
    let [at = 0, line = 1, column = 1] = this.places;
    for (let i = 3; i < this.places.length && (this.places[i] ?? 0) <= offset; i += 3) {
      [at, line, column] = [this.places[i] ?? 0, this.places[i + 1] ?? 1, this.places[i + 2] ?? 1];
    }
    return { file: this.file, line, column: column + Math.max(0, offset - at) };
  }
}

/** What is read here was written by {@link pack}. */
function revived(
  value: unknown,
  { files }: Packed,
  expressions: readonly Expression[],
  shared: readonly unknown[],
): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { $map, $json, $expression, $shared, $at }: Marked = value;
  if ($map !== undefined) return new Map($map);
  if ($json !== undefined) return JSON.parse($json);
  if ($expression !== undefined) return expressions[$expression];
  if ($shared !== undefined) return shared[$shared];
  if ($at === undefined) return value;
  const [file, line, column] = $at;
  return { file: files[file] ?? "", line, column };
}

/** Fields of the model have no such names; those that its author chose are in maps. */
function marked(mark: Marked): Marked {
  return mark;
}

/** What stands for what JSON has no form for. */
interface Marked {
  readonly $map?: readonly (readonly [unknown, unknown])[];
  readonly $json?: string;
  readonly $expression?: number;
  readonly $shared?: number;
  readonly $at?: Place;
}

function isExpression(value: object): value is Expression {
  return "position" in value && typeof value.position === "function";
}

function isPosition(value: object): value is Position {
  return "line" in value && "column" in value && "file" in value;
}
