/** JSON Schemas guessed from what policies do with attributes, for those that have no schema. */

import { children, type Expr, type Macro } from "../../cel/ast.js";
import { chainOf, factsOf } from "../../cel/facts.js";
import { OPERATORS, type Operator } from "../../cel/operators.js";
import type { SchemaObject } from "../../schema/keywords.js";
import { substitute } from "./substitute.js";

/** What the attributes of one subject seem to hold, by path. */
export class Usage {
  private readonly root: string;
  private readonly leaves = new Map<string, Leaf>();

  /** `root`: `P.attr` or `R.attr`. */
  constructor(root: string) {
    this.root = root;
  }

  /** Adds the attributes that `expr` reads. `condition`: its value is to be a boolean. */
  add(expr: Expr, condition: boolean): void {
    for (const { root, path, has } of factsOf(expr).reads) {
      if (root !== this.root || path.length === 0) continue;
      const leaf = this.leaf(path);
      if (has) leaf.optional = true;
    }
    if (condition) this.note(expr, "boolean");
    this.walk(expr);
  }

  /** The schema of an object with all these attributes. */
  schema(): SchemaObject {
    const root: Branch = { below: new Map(), leaf: undefined };
    for (const leaf of this.leaves.values()) {
      let branch = root;
      for (const name of leaf.path) {
        const next = branch.below.get(name) ?? { below: new Map<string, Branch>(), leaf: undefined };
        branch.below.set(name, next);
        branch = next;
      }
      branch.leaf = leaf;
    }
    return schemaOf(root);
  }

  private leaf(path: readonly string[]): Leaf {
    const key = JSON.stringify(path);
    const known = this.leaves.get(key) ?? { path, sort: undefined, optional: false };
    this.leaves.set(key, known);
    return known;
  }

  private walk(expr: Expr): void {
    if (expr.kind === "macro") {
      this.note(expr.range, "array");
      this.elements(expr);
      this.walk(expr.range);
      return;
    }
    if (expr.kind === "call" || expr.kind === "member") this.call(expr.fn, children(expr));
    for (const child of children(expr)) this.walk(child);
  }

  /** What a macro does with the elements of a list: they are named as if they were the field `[]` of it. */
  private elements({ at, macro, range, v1, v2, filter, transform }: Macro): void {
    const item: Expr = { kind: "select", at, operand: range, field: ELEMENT };
    for (const body of [filter, transform]) {
      if (body === undefined) continue;
      this.add(substitute(body, v2 ?? v1, item), body === filter || macro === "filter");
    }
  }

  private call(fn: string, args: readonly Expr[]): void {
    const [a, b] = args;
    if (a === undefined) return;
    const operator = OPERATORS.get(fn);
    const sort = ARGUMENTS.get(fn) ?? operandSort(operator);
    if (sort !== undefined) for (const arg of args) this.note(arg, sort);
    if (b === undefined) return;
    if (operator?.kind === "equality" || operator?.kind === "ordering") {
      this.note(a, sortOf(b));
      this.note(b, sortOf(a));
    }
    if (operator?.kind === "membership") {
      this.note(b, "array");
      if (b.kind === "list") this.note(a, sortOf(b.elements[0]));
    }
    if (operator?.kind === "arithmetic" && operator.symbol === "+")
      for (const arg of args)
        this.note(
          arg,
          args.map(sortOf).find((one) => one !== undefined),
        );
  }

  private note(expr: Expr, sort: Sort | undefined): void {
    if (sort === undefined) return;
    const [read, ...others] = chainOf(expr) === undefined ? [] : factsOf(expr).reads;
    if (read === undefined || others.length > 0 || read.root !== this.root || read.path.length === 0) return;
    this.leaf(read.path).sort ??= sort;
  }
}

/** Stands in paths for the elements of a list. */
export const ELEMENT = "[]";

type Sort = "boolean" | "number" | "string" | "array" | "date-time" | "duration";

interface Leaf {
  readonly path: readonly string[];
  sort: Sort | undefined;
  optional: boolean;
}

interface Branch {
  readonly below: Map<string, Branch>;
  leaf: Leaf | undefined;
}

/** What functions want, of all their arguments. */
const ARGUMENTS: ReadonlyMap<string, Sort> = new Map<string, Sort>([
  ["timestamp", "date-time"],
  ["timeSince", "date-time"],
  ["startsWith", "string"],
  ["endsWith", "string"],
  ["contains", "string"],
  ["matches", "string"],
  ["hasIntersection", "array"],
  ["has_intersection", "array"],
  ["intersect", "array"],
  ["isSubset", "array"],
  ["is_subset", "array"],
  ["except", "array"],
]);

/** What an operator wants, of all its operands. Sums may be of numbers or of texts. */
function operandSort(operator: Operator | undefined): Sort | undefined {
  if (operator?.kind === "junction" || operator?.kind === "not") return "boolean";
  const isNumber = operator?.kind === "arithmetic" ? operator.symbol !== "+" : operator?.kind === "negative";
  return isNumber ? "number" : undefined;
}

function sortOf(expr: Expr | undefined): Sort | undefined {
  if (expr?.kind === "list") return "array";
  if (expr?.kind === "call" && (expr.fn === "size" || expr.fn === "_-_")) return "number";
  if (expr?.kind !== "literal") return undefined;
  const { value } = expr;
  if (typeof value === "string" || typeof value === "boolean") return typeof value === "string" ? "string" : "boolean";
  return typeof value === "number" || typeof value === "bigint" ? "number" : undefined;
}

function schemaOf({ below, leaf }: Branch): SchemaObject {
  const element = below.get(ELEMENT);
  if (element !== undefined) return { type: "array", items: schemaOf(element) };
  if (below.size === 0) return leafSchema(leaf?.sort);
  const required = [...below].filter(([, branch]) => branch.leaf?.optional !== true).map(([name]) => name);
  const properties = Object.fromEntries([...below].map(([name, branch]) => [name, schemaOf(branch)]));
  return { type: "object", properties, required };
}

function leafSchema(sort: Sort | undefined): SchemaObject {
  if (sort === "array") return { type: "array", items: { type: "string" } };
  if (sort === "date-time") return { type: "string", format: "date-time" };
  return { type: sort === "number" || sort === "boolean" ? sort : "string" };
}
