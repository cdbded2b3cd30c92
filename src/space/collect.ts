/** Collects from expressions the distinctions that they make between requests. */

import { children, type Expr, testedBy } from "../cel/ast.js";
import { type Chain, chainOf, optionalChainOf, requestValueAt } from "../cel/expression-usage.js";
import { type JsonObject, type JsonValue, valueAtPath } from "../cel/json.js";
import { LIST_FUNCTIONS } from "../cel/list-functions.js";
import { isBooleanOperator, OPERATORS } from "../cel/operators.js";
import { parseDuration } from "../cel/time.js";
import { Duration, Uint } from "../cel/values.js";
import type { Condition, Definitions, Expression } from "../policy/model.js";
import { definitionOf } from "../policy/policy-expressions.js";
import { type ComparedTerm, dimensionsIn } from "./compared-terms.js";
import {
  type Dimension,
  ELEMENT,
  newDimension,
  type SpaceLayer,
  type ValuePlace,
  type ValueSort,
  type ValueSpace,
  valuePlaceOf,
} from "./dimension.js";
import { addConstant, relate, relateLists, relateMember, relateWidely } from "./relate.js";

const LOGIC: ReadonlySet<string | undefined> = new Set(["junction", "not", "conditional"]);
const AFFIXES: ReadonlySet<string> = new Set(["startsWith", "endsWith", "contains"]);
const TEXTS: ReadonlySet<string> = new Set([...AFFIXES, "matches"]);
const SAME: ReadonlySet<string> = new Set(["dyn", "int", "uint", "double", "string", "bool"]);

/** The context of an expression: the names that it can read. */
interface CollectorScope {
  readonly definitions: Definitions;
  readonly locals: ReadonlyMap<string, ComparedTerm>;
}

export class Collector implements ValueSpace {
  readonly layer: SpaceLayer;
  readonly dimensions = new Map<string, Dimension>();
  readonly opaque = new Set<string>();
  needsTime = false;
  readonly globals: JsonObject;
  private source = "";
  /** Variables that were followed already, as conditions and as values. Following one again gives the same result. */
  private readonly tested = new Map<Expr, Set<Definitions>>();
  private readonly terms = new Map<Expr, Map<Definitions, ComparedTerm>>();

  constructor(layer: SpaceLayer, globals: JsonObject) {
    this.layer = layer;
    this.globals = globals;
  }

  condition(condition: Condition | undefined, definitions: Definitions): void {
    if (condition === undefined) return;
    if (condition.kind !== "expr") {
      for (const member of condition.of) this.condition(member, definitions);
      return;
    }
    this.source = condition.expr.source;
    this.test(condition.expr.expr, { definitions, locals: new Map() });
  }

  /** Adds an expression with a value of any type: a variable or an output. */
  value({ expr, source }: Expression, definitions: Definitions): void {
    this.source = source;
    this.term(expr, { definitions, locals: new Map() });
  }

  dimension(place: ValuePlace): Dimension {
    const made = newDimension(place);
    const known = this.dimensions.get(made.id);
    if (known !== undefined) return known;
    this.dimensions.set(made.id, made);
    return made;
  }

  /** An expression with a boolean value. */
  private test(expr: Expr, scope: CollectorScope): void {
    if (chainOf(expr) !== undefined) {
      const followed = definitionOf(expr, scope.definitions)?.expr;
      if (followed !== undefined) this.testVariable(followed, scope);
      else for (const dimension of dimensionsIn(this.term(expr, scope))) this.mark(dimension, "boolean");
    } else if (expr.kind === "has") this.presence(expr, scope);
    else if (expr.kind === "macro") this.walk(expr, scope);
    else if (expr.kind === "bind") {
      const locals = new Map(scope.locals).set(expr.name, this.term(expr.init, scope));
      this.test(expr.body, { ...scope, locals });
    } else if (expr.kind === "call" && LOGIC.has(OPERATORS.get(expr.fn)?.kind)) {
      for (const arg of expr.args) this.test(arg, scope);
    } else if (expr.kind === "call" || expr.kind === "member") this.operation(expr, scope);
  }

  private testVariable(expr: Expr, { definitions }: CollectorScope): void {
    const known = this.tested.get(expr) ?? new Set();
    if (known.has(definitions)) return;
    this.tested.set(expr, known.add(definitions));
    this.test(expr, { definitions, locals: new Map() });
  }

  private variableTerm(expr: Expr, { definitions }: CollectorScope): ComparedTerm {
    const known = this.terms.get(expr) ?? new Map<Definitions, ComparedTerm>();
    const term = known.get(definitions) ?? this.term(expr, { definitions, locals: new Map() });
    this.terms.set(expr, known.set(definitions, term));
    return term;
  }

  private operation(expr: Extract<Expr, { kind: "call" | "member" }>, scope: CollectorScope): void {
    const { fn } = expr;
    const terms = children(expr).map((operand) => this.term(operand, scope));
    const [a, b] = terms;
    if (!this.relation(fn, a, b)) {
      relateWidely(terms);
      this.opaque.add(this.source);
    }
  }

  /** Collects the distinctions of an operation. False: some are not known. */
  private relation(fn: string, a: ComparedTerm | undefined, b: ComparedTerm | undefined): boolean {
    if (a === undefined || b === undefined) return false;
    const operator = OPERATORS.get(fn)?.kind;
    if (operator === "equality" || operator === "ordering") return relate(a, b);
    if (operator === "membership") return relateMember(a, b);
    if (LIST_FUNCTIONS.has(fn)) return relateLists(a, b);
    if (fn === "pathHasPrefix") return this.pathPrefix(a, b);
    if (TEXTS.has(fn))
      for (const term of [a, b]) if (term.kind === "value") this.mark(term.dimension, term.element ? "list" : "string");
    if (!AFFIXES.has(fn) || a.kind !== "value" || b.kind !== "constant" || typeof b.value !== "string") return false;
    const { dimension } = a;
    const text = b.value;
    for (const value of [text, `${text}~`, `~${text}`, `~${text}~`]) {
      addConstant(a.element ? dimension.elements : dimension.constants, value);
    }
    return true;
  }

  /** Adds the prefix, and paths below it and beside it. Other paths may matter, too. */
  private pathPrefix(path: ComparedTerm, prefix: ComparedTerm): boolean {
    if (path.kind !== "value" || prefix.kind !== "constant" || typeof prefix.value !== "string") return false;
    const { dimension, element } = path;
    this.mark(dimension, element ? "list" : "string");
    const separator = prefix.value.includes("\\") ? "\\" : "/";
    for (const below of ["", separator, `${separator}~`, `${separator}.~`, `${separator}..`, "~"]) {
      addConstant(element ? dimension.elements : dimension.constants, `${prefix.value}${below}`);
    }
    return false;
  }

  private presence(expr: Extract<Expr, { kind: "has" }>, scope: CollectorScope): void {
    const select = testedBy(expr);
    const followed = definitionOf(select, scope.definitions)?.expr;
    if (followed !== undefined) {
      this.term(followed, scope);
      return;
    }
    for (const dimension of dimensionsIn(this.term(select, scope))) dimension.tested = true;
  }

  /** A macro over a list: collects the values that its elements are compared with. */
  private walk(expr: Extract<Expr, { kind: "macro" }>, scope: CollectorScope): void {
    const range = this.term(expr.range, scope);
    const element: ComparedTerm =
      range.kind === "value" && !range.element
        ? { kind: "value", dimension: range.dimension, element: true }
        : range.kind === "list"
          ? { kind: "either", of: range.items }
          : { kind: "unknown", of: [range] };
    if (range.kind === "value") this.mark(range.dimension, "list");
    const index: ComparedTerm = { kind: "unknown", of: [] };
    const locals = new Map(scope.locals);
    if (expr.v2 === undefined) locals.set(expr.v1, element);
    else locals.set(expr.v1, index).set(expr.v2, element);
    for (const body of [expr.filter, expr.transform]) if (body !== undefined) this.test(body, { ...scope, locals });
  }

  private mark(dimension: Dimension, sort: ValueSort): void {
    dimension.sorts.add(sort);
  }

  private term(expr: Expr, scope: CollectorScope): ComparedTerm {
    if (expr.kind === "literal") return constantOf(expr.value);
    const chain = chainOf(expr);
    if (chain !== undefined) return this.named(chain, expr, scope);
    const optional = optionalChainOf(expr);
    if (optional !== undefined) {
      const term = this.named(optional, expr, scope);
      for (const dimension of dimensionsIn(term)) dimension.tested = true;
      return term;
    }
    if (expr.kind === "list") {
      const items = expr.elements.map((element) => this.term(element, scope));
      const values = items.flatMap((item) => (item.kind === "constant" ? [item.value] : []));
      return values.length === items.length ? { kind: "constant", value: values } : { kind: "list", items };
    }
    if (expr.kind === "call" || expr.kind === "member") return this.result(expr, scope);
    if (expr.kind === "macro") {
      this.walk(expr, scope);
      return { kind: "unknown", of: [this.term(expr.range, scope)] };
    }
    if (expr.kind === "bind") {
      const locals = new Map(scope.locals).set(expr.name, this.term(expr.init, scope));
      return this.term(expr.body, { ...scope, locals });
    }
    if (expr.kind === "has") this.presence(expr, scope);
    return { kind: "unknown", of: children(expr).map((child) => this.term(child, scope)) };
  }

  private result(expr: Extract<Expr, { kind: "call" | "member" }>, scope: CollectorScope): ComparedTerm {
    const { fn } = expr;
    const operands = children(expr);
    if (isBooleanOperator(fn)) {
      this.test(expr, scope);
      return { kind: "unknown", of: [] };
    }
    const operator = OPERATORS.get(fn);
    if (operator?.kind === "conditional") {
      const [test, yes, no] = operands;
      if (test !== undefined) this.test(test, scope);
      return { kind: "either", of: [yes, no].flatMap((e) => (e === undefined ? [] : [this.term(e, scope)])) };
    }
    const parts = operands.map((operand) => this.term(operand, scope));
    const [a, b] = parts;
    const dynamic = { expr, definitions: scope.definitions };
    if (fn === "now") {
      this.needsTime = true;
      return { kind: "now", offset: 0 };
    }
    if (a === undefined) return { kind: "unknown", of: [] };
    if (fn === "timeSince") {
      this.needsTime = true;
      return { kind: "age", of: a };
    }
    if (SAME.has(fn) && b === undefined) return a;
    if (fn === "orValue" && b !== undefined) return { kind: "either", of: [a, b] };
    if (fn === "timestamp") return { kind: "time", of: a };
    if (fn === "duration" && a.kind === "constant") return secondsOf(a.value);
    if (fn === "size" && a.kind === "value") return { kind: "size", dimension: a.dimension };
    if (operator?.kind === "index" && a.kind === "value")
      return { kind: "value", dimension: a.dimension, element: true };
    if (operator?.kind === "negative") return { kind: "made", sort: "number", parts, dynamic };
    if (operator?.kind === "arithmetic") {
      const moment = shifted(a, b, operator.symbol);
      const sort = operator.symbol === "+" && isText(parts) ? "string" : "number";
      return moment ?? { kind: "made", sort, parts, dynamic };
    }
    relateWidely(parts);
    this.opaque.add(this.source);
    return { kind: "unknown", of: parts };
  }

  private named(chain: Chain, expr: Expr, scope: CollectorScope): ComparedTerm {
    const { of, root, fields } = chain;
    if (of === "local") {
      const local = scope.locals.get(root) ?? { kind: "unknown", of: [] };
      if (fields.length === 0) return local;
      this.opaque.add(this.source);
      if (local.kind !== "value" || !local.element) return { kind: "unknown", of: [] };
      const { subject, path } = local.dimension;
      return {
        kind: "value",
        dimension: this.dimension({ subject, path: [...path, ELEMENT, ...fields] }),
        element: false,
      };
    }
    const [first, ...rest] = fields;
    const followed = definitionOf(expr, scope.definitions)?.expr;
    if (followed !== undefined) return this.variableTerm(followed, scope);
    if (of === "constant" || of === "global") {
      const own = of === "constant" ? scope.definitions.constants.get(first ?? "") : this.globals[first ?? ""];
      const value = valueAtPath(own ?? null, rest);
      return value === undefined ? { kind: "unknown", of: [] } : { kind: "constant", value };
    }
    const found = requestValueAt(chain);
    const place = found && valuePlaceOf(this.layer, { root: found.root.path, path: found.path });
    if (place !== undefined && isValue(place))
      return { kind: "value", dimension: this.dimension(place), element: false };
    this.opaque.add(this.source);
    return { kind: "unknown", of: expr.kind === "select" ? [this.term(expr.operand, scope)] : [] };
  }
}

/** Fields of subjects that are values. (`kind` belongs to the question, and `roles` are tried separately.) */
const FIELDS: ReadonlySet<string> = new Set(["id", "roles", "kind", "scope"]);

/** A value that can be chosen: one attribute, or a field that is itself a value. */
function isValue({ path: [field = "", ...below] }: ValuePlace): boolean {
  return field === "attr" ? below.length > 0 : below.length === 0 && FIELDS.has(field);
}

function constantOf(value: unknown): ComparedTerm {
  if (typeof value === "bigint") return { kind: "constant", value: Number(value) };
  if (value instanceof Uint) return { kind: "constant", value: Number(value.value) };
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null) {
    return { kind: "constant", value };
  }
  return { kind: "unknown", of: [] };
}

function secondsOf(value: JsonValue): ComparedTerm {
  const duration = typeof value === "string" ? parseDuration(value) : undefined;
  if (!(duration instanceof Duration)) return { kind: "unknown", of: [] };
  return { kind: "seconds", value: Number(duration.nanos / 1_000_000_000n) };
}

/** A time with a duration added or subtracted. */
function shifted(a: ComparedTerm, b: ComparedTerm | undefined, symbol: string): ComparedTerm | undefined {
  if (b === undefined || (symbol !== "+" && symbol !== "-")) return undefined;
  const sign = symbol === "+" ? 1 : -1;
  if (a.kind === "now" && b.kind === "seconds") return { kind: "now", offset: a.offset + sign * b.value };
  if (a.kind === "now" && b.kind === "time" && sign === -1) return { kind: "age", of: b.of };
  if (a.kind === "time" && b.kind === "seconds") return a;
  return undefined;
}

/** Whether `+` concatenates texts: some part is known to be a text. */
function isText(parts: readonly ComparedTerm[]): boolean {
  return parts.some(
    (part) =>
      (part.kind === "constant" && typeof part.value === "string") || (part.kind === "made" && part.sort === "string"),
  );
}
