/**
 * Static checking: the type of every node, by the declared overloads. What Cerbos refuses to load is refused here:
 * `1 == 1.0`, `"abc"[0]`, `V["x"]`, an undefined `V.x`, a function that does not exist.
 *
 * The rules are cel-go's checker (`checker/checker.go`); attributes, variables and constants are `dyn`.
 */

import type { Expr, Macro } from "./ast.js";
import { Bindings, sameType, typeText } from "./check/unify.js";
import type { Overload, Style } from "./functions/overload.js";
import { nearestFunction, overloadsOf } from "./functions/registry.js";
import { namespacedName } from "./namespaces.js";
import { CONSTANT_ROOTS, ROOTS, type Root, TYPE_NAMES, UNSUPPORTED_ROOTS, VARIABLE_ROOTS } from "./roots.js";
import { BOOL, BYTES, DOUBLE, DYN, INT, list, map, NULL, STRING, TYPE, type Type, UINT } from "./types.js";
import { type CelValue, Uint } from "./values.js";

export interface ExpressionIssue {
  /** Offset into the expression's source. */
  readonly at: number;
  readonly code: "undefined_variable" | "undefined_constant" | "unknown_function" | "expression_type" | "unsupported";
  readonly message: string;
  readonly hint?: string;
}

/** The variables (`V.x`) and constants (`C.x`) that an expression may read. */
export interface Names {
  readonly variables: ReadonlySet<string>;
  readonly constants: ReadonlySet<string>;
}

/** Everything wrong with `expr`; empty if it can be compiled. */
export function checkExpression(expr: Expr, names: Names): readonly ExpressionIssue[] {
  const checker = new Checker(names);
  checker.typeOf(expr, new Map());
  return checker.issues;
}

type Locals = ReadonlyMap<string, Type>;

class Checker {
  readonly issues: ExpressionIssue[] = [];
  private readonly names: Names;

  constructor(names: Names) {
    this.names = names;
  }

  /** The type of `expr`; after an issue it is `dyn`, so that one mistake is reported once. */
  typeOf(expr: Expr, locals: Locals): Type {
    switch (expr.kind) {
      case "literal":
        return literalType(expr.value);
      case "ident":
        return this.ident(expr.name, expr.at, locals);
      case "select":
      case "has": {
        const type = this.field(expr, locals);
        return expr.kind === "has" ? BOOL : type;
      }
      case "call":
        return this.call(expr.fn, "global", expr.args, expr.at, locals);
      case "member": {
        const name = namespacedName(expr, locals);
        if (name !== undefined) return this.call(name, "global", expr.args, expr.at, locals);
        return this.call(expr.fn, "member", [expr.target, ...expr.args], expr.at, locals);
      }
      case "list":
        return list(joined(expr.elements.map((element) => this.typeOf(element, locals))));
      case "map": {
        const keys = expr.entries.map((entry) => this.typeOf(entry.key, locals));
        const values = expr.entries.map((entry) => this.typeOf(entry.value, locals));
        return map(joined(keys), joined(values));
      }
      case "macro":
        return this.macro(expr, locals);
      case "bind":
        return this.typeOf(expr.body, new Map(locals).set(expr.name, this.typeOf(expr.init, locals)));
    }
  }

  private report(at: number, code: ExpressionIssue["code"], message: string, hint?: string): Type {
    this.issues.push({ at, code, message, ...(hint === undefined ? {} : { hint }) });
    return DYN;
  }

  private ident(name: string, at: number, locals: Locals): Type {
    const local = locals.get(name);
    if (local !== undefined) return local;
    if (TYPE_NAMES.has(name)) return TYPE;
    if (UNSUPPORTED_ROOTS.has(name)) return this.report(at, "unsupported", `${name} is not supported in this version`);
    const root = ROOTS.get(name);
    if (root?.kind === "leaf") return root.type;
    if (root !== undefined || VARIABLE_ROOTS.has(name) || CONSTANT_ROOTS.has(name)) {
      return this.report(at, "unsupported", `${name} as a whole is not supported: select a field of it`);
    }
    return this.report(at, "expression_type", `undeclared reference to '${name}'`);
  }

  /** `operand.field` and `has(operand.field)`. */
  private field(expr: Extract<Expr, { readonly kind: "select" | "has" }>, locals: Locals): Type {
    const { operand, field, at } = expr;
    if (operand.kind === "ident" && !locals.has(operand.name)) {
      if (VARIABLE_ROOTS.has(operand.name)) return this.definition(field, at, "variable", this.names.variables);
      if (CONSTANT_ROOTS.has(operand.name)) return this.definition(field, at, "constant", this.names.constants);
    }
    const message = messageOf(operand, locals);
    if (message !== undefined) return this.messageField(message, expr);
    const type = this.typeOf(operand, locals);
    if (type.kind === "map") return type.args[1] ?? DYN;
    if (type.kind === "dyn") return DYN;
    return this.report(at, "expression_type", `type '${typeText(type)}' does not support field selection`);
  }

  private messageField(message: Root, expr: Extract<Expr, { readonly kind: "select" | "has" }>): Type {
    const field = message.kind === "message" ? message.fields.get(expr.field) : undefined;
    if (field === undefined) return this.report(expr.at, "expression_type", `undefined field '${expr.field}'`);
    if (field.kind === "leaf") return field.type;
    if (expr.kind === "has") return DYN;
    return this.report(expr.at, "unsupported", `${field.path} as a whole is not supported: select a field of it`);
  }

  private definition(name: string, at: number, what: "variable" | "constant", known: ReadonlySet<string>): Type {
    if (known.has(name)) return DYN;
    return this.report(at, `undefined_${what}`, `undefined ${what} '${name}'`, similar(name, known));
  }

  private call(fn: string, style: Style, args: readonly Expr[], at: number, locals: Locals): Type {
    const overloads = overloadsOf(fn, style);
    if (overloads.length === 0) return this.unknownFunction(fn, style, args, at, locals);
    const types = args.map((arg) => this.typeOf(arg, locals));
    const results = overloads.flatMap((overload) => resultOf(overload, types) ?? []);
    const [first] = results;
    if (first === undefined) {
      const applied =
        style === "member" ? `${typeText(types[0] ?? DYN)}.(${texts(types.slice(1))})` : `(${texts(types)})`;
      return this.report(at, "expression_type", `found no matching overload for '${fn}' applied to '${applied}'`);
    }
    return results.every((result) => sameType(result, first)) ? first : DYN;
  }

  private unknownFunction(fn: string, style: Style, args: readonly Expr[], at: number, locals: Locals): Type {
    for (const arg of args) this.typeOf(arg, locals);
    const other = style === "member" ? "global" : "member";
    const message = `there is no ${style === "member" ? "member " : ""}function '${fn}'`;
    const hint =
      overloadsOf(fn, other).length > 0
        ? `it is called as ${other === "member" ? `x.${fn}(…)` : `${fn}(…)`}`
        : didYouMean(nearestFunction(fn));
    return this.report(at, "unknown_function", message, hint);
  }

  private macro(expr: Macro, locals: Locals): Type {
    const range = this.typeOf(expr.range, locals);
    const [first, second] = this.rangeTypes(range, expr);
    const inner = new Map(locals);
    inner.set(expr.v1, expr.v2 === undefined || range.kind !== "list" ? first : INT);
    if (expr.v2 !== undefined) inner.set(expr.v2, range.kind === "list" ? first : second);
    if (expr.filter !== undefined) this.predicate(expr.filter, inner);
    const made = expr.transform === undefined ? DYN : this.typeOf(expr.transform, inner);
    switch (expr.macro) {
      case "all":
      case "exists":
      case "exists_one":
        return BOOL;
      case "filter":
        return list(first);
      case "map":
      case "transformList":
        return list(made);
      case "transformMap":
        return map(range.kind === "list" ? INT : first, made);
      case "transformMapEntry":
        return made.kind === "map" ? made : map(DYN, DYN);
    }
  }

  /** The types of a range's elements (of a map: its keys) and of a map's values. */
  private rangeTypes(range: Type, expr: Macro): readonly [Type, Type] {
    if (range.kind === "list" || range.kind === "map") return [range.args[0] ?? DYN, range.args[1] ?? DYN];
    if (range.kind !== "dyn") {
      const message = `expression of type '${typeText(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
      this.report(expr.range.at, "expression_type", message);
    }
    return [DYN, DYN];
  }

  private predicate(expr: Expr, locals: Locals): void {
    const type = this.typeOf(expr, locals);
    if (type.kind !== "bool" && type.kind !== "dyn") {
      this.report(expr.at, "expression_type", `expected a predicate of type 'bool', found '${typeText(type)}'`);
    }
  }
}

/** The message that a chain of fields denotes: `request.principal`, `P`. */
function messageOf(expr: Expr, locals: Locals): Root | undefined {
  if (expr.kind === "ident") {
    const root = locals.has(expr.name) ? undefined : ROOTS.get(expr.name);
    return root?.kind === "message" ? root : undefined;
  }
  if (expr.kind !== "select") return undefined;
  const message = messageOf(expr.operand, locals);
  const field = message?.kind === "message" ? message.fields.get(expr.field) : undefined;
  return field?.kind === "message" ? field : undefined;
}

/** The result of an overload for arguments of these types, or undefined if they do not fit. */
function resultOf(overload: Overload, types: readonly Type[]): Type | undefined {
  if (overload.params.length !== types.length) return undefined;
  const bindings = new Bindings();
  const fits = overload.params.every((param, i) => bindings.assignable(param, types[i] ?? DYN));
  return fits ? bindings.resolve(overload.result) : undefined;
}

function literalType(value: CelValue): Type {
  if (value === null) return NULL;
  if (typeof value === "boolean") return BOOL;
  if (typeof value === "bigint") return INT;
  if (typeof value === "number") return DOUBLE;
  if (typeof value === "string") return STRING;
  if (value instanceof Uint) return UINT;
  return value instanceof Uint8Array ? BYTES : DYN;
}

/** The type of what may be any of `types`: theirs if they agree, otherwise `dyn`. */
function joined(types: readonly Type[]): Type {
  const [first = DYN, ...rest] = types;
  return rest.every((type) => sameType(type, first)) ? first : DYN;
}

function texts(types: readonly Type[]): string {
  return types.map(typeText).join(", ");
}

function similar(name: string, known: ReadonlySet<string>): string | undefined {
  const lower = name.toLowerCase();
  return didYouMean([...known].find((other) => other.toLowerCase() === lower));
}

function didYouMean(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `did you mean \`${name}\`?`;
}
