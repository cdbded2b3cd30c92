/**
 * Static checking: computes the type of every node from the declared overloads. It refuses every expression that Cerbos
 * refuses to load: `1 == 1.0`, `"abc"[0]`, `V["x"]`, an undefined `V.x`, a function that does not exist.
 *
 * The rules are cel-go's checker (`checker/checker.go`, `checker/types.go` of v0.30); attributes, variables and
 * constants are `dyn`.
 *
 * The nodes of the checked tree record the results: the meaning of each name, and the only overload that fits a call.
 * cel-go runs that overload and no other: `R.attr.n + 1` adds two ints, so that a double is an error (observed).
 */

import type { Expr, Has, Macro, MethodCallNode, Select, StaticError, Syntax } from "./ast.js";
import { formatIssues } from "./check/format-calls.js";
import { fieldHint, overloadHint, rootHint, similarNameHint, unknownFunction } from "./check/hints.js";
import type { ExpressionIssue } from "./check/issue.js";
import { literalFault } from "./check/literal-calls.js";
import { StaticErrors, type TypedNode } from "./check/static-errors.js";
import { typeText, Unifier } from "./check/unify.js";
import type { CallStyle, Overload } from "./functions/overload.js";
import { overloadsOf } from "./functions/registry.js";
import type { CerbosLevel } from "./levels.js";
import { plainName } from "./names.js";
import { namespacedName, typeName } from "./namespaces.js";
import { OPERATORS } from "./operators.js";
import { MESSAGES, namingOf, ROOTS } from "./roots.js";
import {
  BOOL,
  BYTES,
  type CelType,
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
  UINT,
} from "./types.js";
import { type CelValue, TypeValue, Uint } from "./values.js";

/** The variables (`V.x`) and constants (`C.x`) that an expression may read. */
export interface DefinitionNames {
  readonly variables: ReadonlySet<string>;
  readonly constants: ReadonlySet<string>;
}

/** Shared by the many expressions that read no variable and no constant. */
export const NO_DEFINITION_NAMES: DefinitionNames = { variables: new Set(), constants: new Set() };

/** The names that an expression reads, and either its issues or its checked tree. */
export type CheckedExpression = { readonly reads: DefinitionNames } & (
  | { readonly ok: true; readonly expr: Expr }
  | { readonly ok: false; readonly issues: readonly ExpressionIssue[] }
);

/**
 * `names`: the defined variables and constants. Undefined: every name counts as defined. `level`: the level of the policy
 * language; the expression may call the functions of this level.
 */
export function checkExpression(
  syntax: Syntax,
  names: DefinitionNames | undefined,
  level: CerbosLevel,
): CheckedExpression {
  const checker = new Checker(syntax, names, level);
  const { expr } = checker.check(syntax, new Map());
  const { reads } = checker;
  const issues = checker.finish();
  if (issues.length > 0) return { ok: false, issues, reads };
  const doom = checker.doom();
  return { ok: true, expr: doom === undefined ? expr : { ...expr, doom }, reads };
}

type LocalTypes = ReadonlyMap<string, CelType>;

class Checker {
  private readonly issues: ExpressionIssue[] = [];
  private readonly names: DefinitionNames | undefined;
  private readonly level: CerbosLevel;
  private readonly unifier = new Unifier();
  /** Calls of `format` on a constant string with a list literal, to be checked once all types are known. */
  private readonly formats: MethodCallNode<Syntax>[] = [];
  private readonly types = new Map<Syntax, CelType>();
  private found: { readonly variables: Set<string>; readonly constants: Set<string> } | undefined = undefined;
  private readonly dooms: StaticErrors;

  constructor(syntax: Syntax, names: DefinitionNames | undefined, level: CerbosLevel) {
    this.names = names;
    this.level = level;
    this.dooms = new StaticErrors(syntax, this.issues);
  }

  finish(): readonly ExpressionIssue[] {
    if (this.unifier.exhausted) this.report(0, "unsupported", "the types in this expression are too complex");
    if (this.issues.length > 0) return this.issues;
    return formatIssues(this.formats, (expr) => this.unifier.settle(this.types.get(expr) ?? DYN));
  }

  get reads(): DefinitionNames {
    return this.found ?? NO_DEFINITION_NAMES;
  }

  /** Why the expression cannot be planned; undefined if it can. */
  doom(): StaticError | undefined {
    return this.dooms.found(this.unifier, this.types);
  }

  check(syntax: Syntax, locals: LocalTypes): TypedNode {
    const start = this.dooms.size;
    const typed = this.find(syntax, locals);
    this.dooms.fold(start, typed.expr);
    this.types.set(syntax, typed.type);
    return typed;
  }

  private find(syntax: Syntax, locals: LocalTypes): TypedNode {
    const { at } = syntax;
    switch (syntax.kind) {
      case "literal":
        return { expr: syntax, type: literalType(syntax.value) };
      case "ident":
        return this.ident(syntax.name, at, locals);
      case "select": {
        const named = this.named(syntax);
        if (named !== undefined) return named;
        const { type, operand, field } = this.field(syntax, locals);
        return { expr: { kind: "select", at, operand, field }, type };
      }
      case "has": {
        const { operand, field } = this.field(syntax, locals);
        return { expr: { kind: "has", at, operand, field }, type: BOOL };
      }
      case "call":
        if (OPERATORS.get(syntax.fn)?.kind === "optionalField") return this.optionalField(syntax.args, at, locals);
        return this.call(at, plainName(syntax.fn), "global", syntax.args, locals);
      case "member":
        return this.member(syntax, locals);
      case "list": {
        const { exprs, type } = this.joined(syntax.elements, locals);
        return { expr: { kind: "list", at, elements: exprs }, type: list(type) };
      }
      case "map": {
        const all = (part: "key" | "value") => syntax.entries.map((entry) => entry[part]);
        const [keys, values] = [this.joined(all("key"), locals), this.joined(all("value"), locals)];
        const entries = keys.exprs.flatMap((key, i) => {
          const value = values.exprs[i];
          return value === undefined ? [] : [{ key, value }];
        });
        return { expr: { kind: "map", at, entries }, type: map(keys.type, values.type) };
      }
      case "optional": {
        const { expr: value, type } = this.check(syntax.value, locals);
        return { expr: { kind: "optional", at, value }, type: this.held(type, syntax.value.at) };
      }
      case "macro":
        return this.macro(syntax, locals);
      case "bind": {
        const { name } = syntax;
        const init = this.check(syntax.init, locals);
        // cel-go expands the macro to a loop that reads the variable, even if the body does not.
        this.dooms.bound(at, name, init.type);
        const body = this.check(syntax.body, new Map(locals).set(name, init.type));
        return { expr: { kind: "bind", at, name, init: init.expr, body: body.expr }, type: body.type };
      }
    }
  }

  private report(at: number, code: ExpressionIssue["code"], message: string, hint?: string): CelType {
    this.issues.push({ at, code, message, ...(hint === undefined ? {} : { hint }) });
    return DYN;
  }

  private text(types: readonly CelType[]): string {
    return types.map((type) => typeText(this.unifier.settle(type))).join(", ");
  }

  /**
   * Checks the elements of a list or a map, and finds their common type. Without elements the type is a fresh variable.
   */
  private joined(
    all: readonly Syntax[],
    locals: LocalTypes,
  ): { readonly exprs: readonly Expr[]; readonly type: CelType } {
    let joined: CelType | undefined;
    const exprs = all.map((each) => {
      const { expr, type } = this.check(each, locals);
      joined = joined === undefined ? type : this.unifier.join(joined, type);
      return expr;
    });
    return { exprs, type: joined ?? this.unifier.fresh() };
  }

  /** The type that `?value` adds to a literal: the type inside the optional. */
  private held(of: CelType, at: number): CelType {
    const type = this.unifier.resolve(of);
    const held = optionalArgument(type);
    if (held !== undefined || type.kind === "dyn") return held ?? DYN;
    const wanted = typeText(this.unifier.settle(optional(type)));
    return this.report(at, "expression_type", `expected type '${wanted}' but found '${this.text([type])}'`);
  }

  /** The name of a type as a constant; undefined for other names. */
  private named(syntax: Syntax): TypedNode | undefined {
    const name = typeName(syntax);
    if (name === undefined) return undefined;
    return { expr: { kind: "literal", at: syntax.at, value: new TypeValue(name) }, type: TYPE };
  }

  private ident(written: string, at: number, locals: LocalTypes): TypedNode {
    const name = plainName(written);
    const local = name === written ? locals.get(name) : undefined;
    if (local !== undefined) {
      this.dooms.bound(at, name, local);
      return { expr: { kind: "ident", at, name, of: "local" }, type: local };
    }
    const type = this.named({ kind: "ident", at, name });
    if (type !== undefined) return type;
    const of = namingOf(name);
    const root = ROOTS.get(name);
    if (root === undefined) {
      if (of === undefined) this.report(at, "expression_type", `undeclared reference to '${name}'`, rootHint(name));
      else this.report(at, "unsupported", `${name} as a whole is not supported: select a field of it`);
    }
    return { expr: { kind: "ident", at, name, of: of ?? "request" }, type: root?.type ?? DYN };
  }

  /** `operand.?field`. */
  private optionalField([within, name]: readonly Syntax[], at: number, locals: LocalTypes): TypedNode {
    if (within === undefined || name?.kind !== "literal" || typeof name.value !== "string") {
      throw new Error("keyward: cannot check an optional selection: the expression was not parsed here");
    }
    const { type, operand, field } = this.field({ operand: within, field: name.value, at }, locals);
    const args: readonly Expr[] = [operand, { ...name, value: field }];
    return {
      expr: { kind: "call", at, fn: "_?._", args, overload: undefined },
      type: optionalArgument(type) === undefined ? optional(type) : type,
    };
  }

  /** `operand.field` and `has(operand.field)`. */
  private field(
    { operand, field, at }: Omit<Select<Syntax> | Has<Syntax>, "kind">,
    locals: LocalTypes,
  ): Pick<Select, "operand" | "field"> & { readonly type: CelType } {
    const name = operand.kind === "ident" ? plainName(operand.name) : undefined;
    if (operand.kind === "ident" && name !== undefined && (name !== operand.name || !locals.has(name))) {
      const of = namingOf(name);
      if (of !== undefined && of !== "request") {
        if (of !== "global") this.definition(field, at, of);
        return { operand: { ...operand, name, of }, field, type: DYN };
      }
    }
    const within = this.check(operand, locals);
    const type = this.unifier.resolve(within.type);
    const held = optionalArgument(type);
    const found = this.fieldOf(held ?? type, field, at);
    return { operand: within.expr, field: found.field, type: held === undefined ? found.type : optional(found.type) };
  }

  private fieldOf(type: CelType, field: string, at: number): Pick<Select, "field"> & { readonly type: CelType } {
    if (type.kind === "map") return { field, type: this.unifier.resolve(type.args[1] ?? DYN) };
    const message = type.kind === "message" ? MESSAGES.get(type.name) : undefined;
    if (message !== undefined) {
      const { fields } = message;
      const found = fields.get(field);
      if (found !== undefined) return { field, type: found.type };
      return {
        field,
        type: this.report(at, "expression_type", `undefined field '${field}'`, fieldHint(field, fields)),
      };
    }
    if (type.kind === "param") this.unifier.assignable(DYN, type);
    if (type.kind === "dyn" || type.kind === "param") return { field, type: DYN };
    const problem = `type '${this.text([type])}' does not support field selection`;
    return { field, type: this.report(at, "expression_type", problem) };
  }

  private definition(name: string, at: number, of: "variable" | "constant"): void {
    this.found ??= { variables: new Set(), constants: new Set() };
    this.found[`${of}s`].add(name);
    const known = this.names?.[`${of}s`];
    if (known === undefined || known.has(name)) return;
    this.report(at, `undefined_${of}`, `undefined ${of} '${name}'`, similarNameHint(name, known));
  }

  private member(syntax: MethodCallNode<Syntax>, locals: LocalTypes): TypedNode {
    const { at, fn, target, args } = syntax;
    const name = namespacedName(target, fn, locals);
    if (name !== undefined) return this.call(at, name, "global", args, locals);
    if (fn === "format") this.formats.push(syntax);
    return this.call(at, fn, "member", [target, ...args], locals);
  }

  private call(at: number, fn: string, style: CallStyle, args: readonly Syntax[], locals: LocalTypes): TypedNode {
    const overloads = overloadsOf(fn, style);
    const operator = OPERATORS.get(fn)?.kind;
    const isJunction = operator === "junction";
    if (overloads.length === 0) {
      const { code, message, hint } = unknownFunction(fn, style);
      this.report(at, code, message, hint);
    }
    const other = this.otherLevel(overloads);
    if (other !== undefined) {
      const hint = `write \`cerbos: "${other}"\` in keyward.yaml`;
      this.report(at, "unsupported", `${fn}() is a function of Cerbos ${other}`, hint);
    }
    const fault = overloads.length > 0 ? literalFault(fn, style, args) : undefined;
    if (fault !== undefined) this.report(fault.at, "expression_type", fault.message);
    const ends = [this.dooms.size];
    const checked = args.map((arg) => {
      const typed = isJunction ? this.bool(arg, locals) : this.check(arg, locals);
      ends.push(this.dooms.size);
      return typed;
    });
    this.dooms.leaveOut(fn, checked, ends);
    const made = (type: CelType, overload?: number): TypedNode => {
      const resolved = { at, fn, overload };
      const [target, ...rest] = checked.map(({ expr }) => expr);
      const expr: Expr =
        style === "member" && target !== undefined
          ? { kind: "member", target, args: rest, ...resolved }
          : { kind: "call", args: checked.map(({ expr }) => expr), ...resolved };
      this.dooms.call(expr);
      const settled =
        operator === "membership" && target !== undefined && rest[0] !== undefined
          ? this.dooms.membership(ends[0] ?? 0, target, rest[0])
          : undefined;
      return { expr: settled === undefined ? expr : { kind: "literal", at, value: settled }, type };
    };
    if (isJunction || overloads.length === 0) return made(isJunction ? BOOL : DYN);
    if (operator === "index" && args[1] !== undefined && checked[1] !== undefined) {
      this.dooms.index(at, args[1], checked[1].expr);
    }
    const types = checked.map(({ type }) => type);
    const found: number[] = [];
    let result: CelType | undefined;
    for (const [i, overload] of overloads.entries()) {
      if (other === undefined && !this.isOfLevel(overload)) continue;
      const signature = this.unifier.instantiate(overload);
      if (!this.unifier.allAssignable(types, signature.params)) continue;
      const next = this.unifier.resolve(signature.result);
      result = result === undefined || this.unifier.same(result, next) ? next : DYN;
      found.push(i);
    }
    if (result !== undefined) return made(result, found.length === 1 ? found[0] : undefined);
    const applied =
      style === "member" ? `${this.text(types.slice(0, 1))}.(${this.text(types.slice(1))})` : `(${this.text(types)})`;
    const message = `found no matching overload for '${fn}' applied to '${applied}'`;
    const hint = overloadHint(
      fn,
      types.map((type) => this.unifier.settle(type)),
    );
    return made(this.report(at, "expression_type", message, hint));
  }

  private isOfLevel({ level }: Overload): boolean {
    return level === undefined || level === this.level;
  }

  /** The level that has a function which this level lacks. */
  private otherLevel(overloads: readonly Overload[]): CerbosLevel | undefined {
    return overloads.some((overload) => this.isOfLevel(overload)) ? undefined : overloads[0]?.level;
  }

  private bool(syntax: Syntax, locals: LocalTypes): TypedNode {
    const typed = this.check(syntax, locals);
    if (!this.unifier.assignable(typed.type, BOOL)) {
      this.report(syntax.at, "expression_type", `expected type 'bool' but found '${this.text([typed.type])}'`);
    }
    return typed;
  }

  private macro(syntax: Macro<Syntax>, locals: LocalTypes): TypedNode {
    const range = this.check(syntax.range, locals);
    const [first, second] = this.rangeTypes(this.unifier.resolve(range.type), syntax);
    const inner = new Map(locals).set(syntax.v1, first);
    if (syntax.v2 !== undefined) inner.set(syntax.v2, second);
    const filter = syntax.filter && this.bool(syntax.filter, inner);
    const transform = syntax.transform && this.check(syntax.transform, inner);
    const type = this.macroType(syntax, first, transform?.type ?? DYN);
    return { expr: { ...syntax, range: range.expr, filter: filter?.expr, transform: transform?.expr }, type };
  }

  private macroType(syntax: Macro<Syntax>, first: CelType, made: CelType): CelType {
    switch (syntax.macro) {
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
        return this.entries(made, syntax);
    }
  }

  /** The type of the map that `transformMapEntry` builds. Its entries must be maps. */
  private entries(made: CelType, { transform, at }: Macro<Syntax>): CelType {
    const wanted = map(this.unifier.fresh(), this.unifier.fresh());
    if (this.unifier.assignable(made, wanted)) return this.unifier.resolve(wanted);
    const message = `transformMapEntry makes a map of maps, found '${this.text([made])}'`;
    return this.report(transform?.at ?? at, "expression_type", message);
  }

  /** The types of a macro's variables. */
  private rangeTypes(range: CelType, syntax: Macro<Syntax>): readonly [CelType, CelType] {
    const [first = DYN, second = DYN] = range.args;
    if (range.kind === "list") return syntax.v2 === undefined ? [first, DYN] : [INT, first];
    if (range.kind === "map") return [first, second];
    if (range.kind === "param") this.unifier.assignable(DYN, range);
    if (range.kind !== "dyn" && range.kind !== "param") {
      const message = `expression of type '${this.text([range])}' cannot be range of a comprehension (must be list, map, or dynamic)`;
      this.report(syntax.range.at, "expression_type", message);
    }
    return [DYN, DYN];
  }
}

function literalType(value: CelValue): CelType {
  if (value === null) return NULL;
  if (typeof value === "boolean") return BOOL;
  if (typeof value === "bigint") return INT;
  if (typeof value === "number") return DOUBLE;
  if (typeof value === "string") return STRING;
  if (value instanceof Uint) return UINT;
  return value instanceof Uint8Array ? BYTES : DYN;
}
