/**
 * Static checking: the type of every node, by the declared overloads. What Cerbos refuses to load is refused here:
 * `1 == 1.0`, `"abc"[0]`, `V["x"]`, an undefined `V.x`, a function that does not exist.
 *
 * The rules are cel-go's checker (`checker/checker.go`, `checker/types.go` of v0.26); attributes, variables and
 * constants are `dyn`. What later versions of the language have is noted on the nodes that use it (`check/resolved.ts`).
 */

import type { Call, Expr, Has, Macro, MemberCall, Select } from "./ast.js";
import { formatIssues } from "./check/format-calls.js";
import { similar, unknownFunction } from "./check/hints.js";
import { literalFault } from "./check/literal-calls.js";
import { noteDoom, noteField, noteNewer, resolve } from "./check/resolved.js";
import { typeText, Unifier } from "./check/unify.js";
import type { Overload, Style } from "./functions/overload.js";
import { overloadsOf } from "./functions/registry.js";
import { laterTypeName, namespacedName, typeName } from "./namespaces.js";
import { CONSTANT_ROOTS, GLOBAL_ROOTS, MESSAGES, type Message, protoName, ROOTS, VARIABLE_ROOTS } from "./roots.js";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  INT,
  list,
  map,
  NULL,
  optional,
  optionalArgument,
  STRING,
  TYPE,
  type Type,
  UINT,
} from "./types.js";
import { type CelValue, Uint } from "./values.js";
import { type CelVersion, DEFAULT_CEL_VERSION, has } from "./versions.js";

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

/** Everything wrong with `expr` in this version of the language; empty if it can be compiled. */
export function checkExpression(
  expr: Expr,
  names: Names,
  version: CelVersion = DEFAULT_CEL_VERSION,
): readonly ExpressionIssue[] {
  const checker = new Checker(names, version);
  checker.typeOf(expr, new Map());
  const issues = checker.finish();
  const doom = issues.length === 0 ? checker.doom() : undefined;
  if (doom !== undefined) noteDoom(expr, doom);
  return issues;
}

type Locals = ReadonlyMap<string, Type>;

class Checker {
  private readonly issues: ExpressionIssue[] = [];
  private readonly names: Names;
  private readonly version: CelVersion;
  private readonly unifier = new Unifier();
  /** Calls of `format` on a constant, with a list literal: they are looked at once all types are known. */
  private readonly formats: MemberCall[] = [];
  private readonly types = new Map<Expr, Type>();
  private badIndex: number | undefined = undefined;
  /** Reads of variables that macros bind. */
  private readonly reads: { readonly at: number; readonly name: string; readonly type: Type }[] = [];

  constructor(names: Names, version: CelVersion) {
    this.names = names;
    this.version = version;
  }

  finish(): readonly ExpressionIssue[] {
    if (this.unifier.exhausted) this.report(0, "unsupported", "the types in this expression are too complex");
    if (this.issues.length > 0) return this.issues;
    return formatIssues(this.formats, (expr) => this.unifier.settle(this.types.get(expr) ?? DYN));
  }

  /**
   * What cel-go's planner fails at (`interpreter/planner.go`): a variable that holds a type, which it takes for the name of
   * one (`planCheckedIdent`), and an index that is constant and of no kind that it has a qualifier for.
   */
  doom(): { readonly at: number; readonly message: string } | undefined {
    const held = this.reads.find(({ type }) => this.unifier.resolve(type).kind === "type");
    if (held !== undefined) return { at: held.at, message: `reference to undefined type: ${held.name}` };
    return this.badIndex === undefined ? undefined : { at: this.badIndex, message: "invalid qualifier type" };
  }

  /** The type of `expr`; after an issue it is `dyn`, so that one mistake is reported once. */
  typeOf(expr: Expr, locals: Locals): Type {
    const type = this.find(expr, locals);
    this.types.set(expr, type);
    return type;
  }

  private find(expr: Expr, locals: Locals): Type {
    switch (expr.kind) {
      case "literal":
        return literalType(expr.value);
      case "ident":
        return this.ident(expr, locals);
      case "select":
        return this.isType(expr) ? TYPE : this.field(expr, locals);
      case "has":
        this.field(expr, locals);
        return BOOL;
      case "call":
        if (expr.fn === "_?._") return this.optionalField(expr, locals);
        return this.call(expr, expr.fn, "global", expr.args, locals);
      case "member":
        return this.member(expr, locals);
      case "list":
        return list(this.joined(expr.elements, locals));
      case "map": {
        const keys = expr.entries.map((entry) => entry.key);
        const values = expr.entries.map((entry) => entry.value);
        return map(this.joined(keys, locals), this.joined(values, locals));
      }
      case "optional":
        return this.optionalEntry(expr.value, locals);
      case "macro":
        return this.macro(expr, locals);
      case "bind":
        return this.bound(expr, locals);
    }
  }

  private bound({ name, init, body, at }: Extract<Expr, { readonly kind: "bind" }>, locals: Locals): Type {
    const type = this.typeOf(init, locals);
    // Read by the loop that the macro is, whether the body reads it or not.
    this.reads.push({ at, name, type });
    return this.typeOf(body, new Map(locals).set(name, type));
  }

  private report(at: number, code: ExpressionIssue["code"], message: string, hint?: string): Type {
    this.issues.push({ at, code, message, ...(hint === undefined ? {} : { hint }) });
    return DYN;
  }

  private text(types: readonly Type[]): string {
    return types.map((type) => typeText(this.unifier.settle(type))).join(", ");
  }

  /** The type of what may be any of `exprs`; of none, it is still open. */
  private joined(exprs: readonly Expr[], locals: Locals): Type {
    let joined: Type | undefined;
    for (const expr of exprs) {
      const type = this.typeOf(expr, locals);
      joined = joined === undefined ? type : this.unifier.join(joined, type);
    }
    return joined ?? this.unifier.fresh();
  }

  /** What `?value` adds to a literal: what the optional holds. */
  private optionalEntry(value: Expr, locals: Locals): Type {
    const type = this.unifier.resolve(this.typeOf(value, locals));
    const held = optionalArgument(type);
    if (held !== undefined || type.kind === "dyn") return held ?? DYN;
    const wanted = typeText(this.unifier.settle(optional(type)));
    return this.report(value.at, "expression_type", `expected type '${wanted}' but found '${this.text([type])}'`);
  }

  /** Whether a name is that of a type. */
  private isType(expr: Expr): boolean {
    if (typeName(expr) !== undefined) return true;
    const type = laterTypeName(expr, this.version);
    if (type !== undefined) noteNewer(expr, { type });
    return type !== undefined;
  }

  private ident(expr: Extract<Expr, { readonly kind: "ident" }>, locals: Locals): Type {
    const { name, at } = expr;
    const local = locals.get(name);
    if (local !== undefined) {
      this.reads.push({ at, name, type: local });
      return local;
    }
    if (this.isType(expr)) return TYPE;
    const root = ROOTS.get(name);
    if (root !== undefined) return root.type;
    if (VARIABLE_ROOTS.has(name) || CONSTANT_ROOTS.has(name) || GLOBAL_ROOTS.has(name)) {
      return this.report(at, "unsupported", `${name} as a whole is not supported: select a field of it`);
    }
    return this.report(at, "expression_type", `undeclared reference to '${name}'`);
  }

  /** `operand.?field`. */
  private optionalField({ args, at }: Call, locals: Locals): Type {
    const [operand, name] = args;
    if (operand === undefined || name?.kind !== "literal" || typeof name.value !== "string") return DYN;
    const type = this.field({ operand, field: name.value, at }, locals);
    return optionalArgument(type) === undefined ? optional(type) : type;
  }

  /** `operand.field` and `has(operand.field)`. */
  private field(expr: Omit<Select | Has, "kind">, locals: Locals): Type {
    const { operand, field, at } = expr;
    if (operand.kind === "ident" && !locals.has(operand.name)) {
      if (VARIABLE_ROOTS.has(operand.name)) return this.definition(field, at, "variable", this.names.variables);
      if (CONSTANT_ROOTS.has(operand.name)) return this.definition(field, at, "constant", this.names.constants);
      if (GLOBAL_ROOTS.has(operand.name)) return DYN;
    }
    const type = this.unifier.resolve(this.typeOf(operand, locals));
    const held = optionalArgument(type);
    return held === undefined ? this.fieldOf(type, expr) : optional(this.fieldOf(held, expr));
  }

  private fieldOf(type: Type, selection: Pick<Select, "field" | "at">): Type {
    const { at } = selection;
    if (type.kind === "map") return this.unifier.resolve(type.args[1] ?? DYN);
    const message = type.kind === "message" ? MESSAGES.get(type.name) : undefined;
    if (message !== undefined) return this.messageField(message, selection);
    if (type.kind === "param") this.unifier.assignable(DYN, type);
    if (type.kind === "dyn" || type.kind === "param") return DYN;
    return this.report(at, "expression_type", `type '${this.text([type])}' does not support field selection`);
  }

  private messageField({ fields }: Message, selection: Pick<Select, "field" | "at">): Type {
    const { field: name, at } = selection;
    const proto = protoName(name);
    const field = fields.get(proto);
    if (field !== undefined) {
      if (proto !== name) noteField(selection, proto);
      return field.type;
    }
    return this.report(at, "expression_type", `undefined field '${name}'`, similar(name, fields.keys()));
  }

  private definition(name: string, at: number, what: "variable" | "constant", known: ReadonlySet<string>): Type {
    if (known.has(name)) return DYN;
    return this.report(at, `undefined_${what}`, `undefined ${what} '${name}'`, similar(name, known));
  }

  private member(expr: MemberCall, locals: Locals): Type {
    const { fn, target, args } = expr;
    const name = namespacedName(expr, locals, this.version);
    if (name !== undefined) return this.call(expr, name, "global", args, locals);
    if (fn === "format") this.formats.push(expr);
    return this.call(expr, fn, "member", [target, ...args], locals);
  }

  private call(expr: Expr, fn: string, style: Style, args: readonly Expr[], locals: Locals): Type {
    const { at } = expr;
    const overloads = overloadsOf(fn, style, this.version);
    if (overloads.length === 0) {
      const { code, message, hint } = unknownFunction(fn, style, this.version);
      this.report(at, code, message, hint);
      for (const arg of args) this.typeOf(arg, locals);
      return DYN;
    }
    if (fn === "_&&_" || fn === "_||_") {
      for (const arg of args) this.bool(arg, locals);
      return BOOL;
    }
    if (this.version !== DEFAULT_CEL_VERSION) this.later(expr, fn, style, args, overloads);
    const types = args.map((arg) => this.typeOf(arg, locals));
    if (fn === "_[_]" && isNoQualifier(args[1], locals)) this.badIndex ??= at;
    const found: Overload[] = [];
    let result: Type | undefined;
    for (const overload of overloads) {
      const signature = this.unifier.instantiate(overload);
      if (!this.unifier.allAssignable(types, signature.params)) continue;
      const next = this.unifier.resolve(signature.result);
      result = result === undefined || this.unifier.same(result, next) ? next : DYN;
      found.push(overload);
    }
    const [only, ...others] = found;
    if (only !== undefined && others.length === 0) resolve(expr, only);
    if (result !== undefined) return result;
    const applied =
      style === "member" ? `${this.text(types.slice(0, 1))}.(${this.text(types.slice(1))})` : `(${this.text(types)})`;
    return this.report(at, "expression_type", `found no matching overload for '${fn}' applied to '${applied}'`);
  }

  /** What a later version makes of a call, besides its types. */
  private later(expr: Expr, fn: string, style: Style, args: readonly Expr[], overloads: readonly Overload[]): void {
    const known = overloadsOf(fn, style);
    const isSame = overloads.length === known.length && overloads.every((overload, i) => overload === known[i]);
    if (!isSame) noteNewer(expr, { call: { fn, overloads } });
    if (!has(this.version, "literals")) return;
    const fault = literalFault(fn, args);
    if (fault !== undefined) this.report(fault.at, "expression_type", fault.message);
  }

  private bool(expr: Expr, locals: Locals): void {
    const type = this.typeOf(expr, locals);
    if (this.unifier.assignable(type, BOOL)) return;
    this.report(expr.at, "expression_type", `expected type 'bool' but found '${this.text([type])}'`);
  }

  private macro(expr: Macro, locals: Locals): Type {
    const range = this.unifier.resolve(this.typeOf(expr.range, locals));
    const [first, second] = this.rangeTypes(range, expr);
    const inner = new Map(locals).set(expr.v1, first);
    if (expr.v2 !== undefined) inner.set(expr.v2, second);
    if (expr.filter !== undefined) this.bool(expr.filter, inner);
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
        return map(first, made);
      case "transformMapEntry":
        return this.entries(made, expr);
    }
  }

  /** What `transformMapEntry` makes of its entries, which have to be maps. */
  private entries(made: Type, { transform, at }: Macro): Type {
    const wanted = map(this.unifier.fresh(), this.unifier.fresh());
    if (this.unifier.assignable(made, wanted)) return this.unifier.resolve(wanted);
    const message = `transformMapEntry makes a map of maps, found '${this.text([made])}'`;
    return this.report(transform?.at ?? at, "expression_type", message);
  }

  /** The types of a macro's variables. */
  private rangeTypes(range: Type, expr: Macro): readonly [Type, Type] {
    const [first = DYN, second = DYN] = range.args;
    if (range.kind === "list") return expr.v2 === undefined ? [first, DYN] : [INT, first];
    if (range.kind === "map") return [first, second];
    if (range.kind === "param") this.unifier.assignable(DYN, range);
    if (range.kind !== "dyn" && range.kind !== "param") {
      const message = `expression of type '${this.text([range])}' cannot be range of a comprehension (must be list, map, or dynamic)`;
      this.report(expr.range.at, "expression_type", message);
    }
    return [DYN, DYN];
  }
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

/** A constant that is an index of no kind: `null`, bytes, the name of a type. */
function isNoQualifier(index: Expr | undefined, locals: Locals): boolean {
  if (index?.kind === "literal") return index.value === null || index.value instanceof Uint8Array;
  if (index === undefined || (index.kind === "ident" && locals.has(index.name))) return false;
  return typeName(index) !== undefined;
}
