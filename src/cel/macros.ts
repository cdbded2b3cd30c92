/**
 * Macros: the parser's expanded comprehensions folded back into {@link Macro} nodes, and the macros that it leaves
 * as plain calls. The forms are those of cel-go 0.26: the standard macros, and those of its libraries for bindings,
 * two variables, math and lists.
 */

import type { Expr_Comprehension, Expr as ProtoExpr } from "@bufbuild/cel-spec/cel/expr/syntax_pb.js";
import type { Macro, MacroName, Syntax } from "./ast.js";
import { ParseFault } from "./parse-fault.js";
import { Uint } from "./values.js";

type Read = (proto: ProtoExpr | undefined) => Syntax;

/** Folds the expansion of the one-variable macro `name` back; `read` reads the parts that the author wrote. */
export function foldComprehension(name: string, c: Expr_Comprehension, at: number, read: Read): Macro<Syntax> {
  // cel-go 0.26 has this name for two variables only; with one it is a function that does not exist.
  if (name === "existsOne") throw new ParseFault("there is no macro existsOne of one variable: use exists_one", at);
  usable(c.iterVar, at);
  const range = read(c.iterRange);
  const node = (macro: MacroName, filter: Syntax | undefined, transform?: Syntax): Macro<Syntax> => ({
    kind: "macro",
    at,
    macro,
    range,
    v1: c.iterVar,
    v2: undefined,
    filter,
    transform,
  });
  const step = argsOf(c.loopStep);
  switch (name) {
    case "all":
    case "exists": // step: @result && predicate, @result || predicate
      return node(name, read(step[1]));
    case "exists_one": // step: predicate ? @result + 1 : @result
      return node("exists_one", read(step[0]));
    case "filter": // step: predicate ? @result + [x] : @result
      return node("filter", read(step[0]));
    case "map": {
      // step: @result + [transform], or predicate ? @result + [transform] : @result
      const [filter, append] = step.length === 3 ? [read(step[0]), argsOf(step[1])] : [undefined, step];
      const appended = append[1]?.exprKind;
      const element = appended?.case === "listExpr" ? appended.value.elements[0] : undefined;
      return node("map", filter, read(element));
    }
    default:
      throw new ParseFault(`unknown macro ${name}`, at);
  }
}

function argsOf(proto: ProtoExpr | undefined): readonly ProtoExpr[] {
  return proto?.exprKind.case === "callExpr" ? proto.exprKind.value.args : [];
}

/**
 * The macro that `target.fn(args)` is, if it is one that the parser leaves as a call.
 * Throws {@link ParseFault} for a macro with unusable variables or arguments.
 */
export function macroFromCall(target: Syntax, fn: string, args: readonly Syntax[], at: number): Syntax | undefined {
  const namespace = target.kind === "ident" ? target.name : "";
  const [a, b, c, d] = args;
  if (
    namespace === "cel" &&
    fn === "bind" &&
    a !== undefined &&
    b !== undefined &&
    c !== undefined &&
    args.length === 3
  ) {
    return { kind: "bind", at, name: nameOf(a), init: b, body: c };
  }
  if (namespace === "math" && (fn === "greatest" || fn === "least")) return extreme(fn, args, at);
  if (fn === "sortBy" && a !== undefined && b !== undefined && args.length === 2) return sortBy(target, a, b, at);
  const form = FORMS[`${fn}/${args.length}`];
  if (form === undefined) return undefined;
  const v1 = usable(nameOf(a), a?.at ?? at);
  // One-variable macros are expanded by the parser unless the variable is not a plain name.
  if (a === undefined || b === undefined || c === undefined) {
    throw new ParseFault(`invalid arguments to the ${fn} macro`, at);
  }
  const v2 = usable(nameOf(b), b.at);
  if (v1 === v2) throw new ParseFault(`duplicate variable name: ${v1}`, b.at);
  const filter = form.filtered ? c : undefined;
  const transform = form.transforms ? (form.filtered ? d : c) : undefined;
  return { kind: "macro", at, macro: form.macro, range: target, v1, v2, filter, transform };
}

/** `math.greatest(…)` and `math.least(…)`: a call of one, two, or a list of arguments (`ext/math.go`). */
function extreme(name: "greatest" | "least", args: readonly Syntax[], at: number): Syntax {
  const fn = name === "greatest" ? "math.@max" : "math.@min";
  const [first, ...more] = args;
  if (first === undefined) throw new ParseFault(`math.${name}() requires at least one argument`, at);
  if (more.length === 0) {
    const numbers = first.kind === "list" ? first.elements : [first];
    if (numbers.length === 0 || !numbers.every(mayBeNumber)) {
      throw new ParseFault(`math.${name}() invalid single argument value`, first.at);
    }
    return { kind: "call", at, fn, args };
  }
  const wrong = args.find((arg) => !mayBeNumber(arg));
  if (wrong !== undefined) throw new ParseFault(`math.${name}() simple literal arguments must be numeric`, wrong.at);
  return { kind: "call", at, fn, args: args.length === 2 ? args : [{ kind: "list", at, elements: args }] };
}

function mayBeNumber(expr: Syntax): boolean {
  if (expr.kind === "list" || expr.kind === "map") return false;
  const { value } = expr.kind === "literal" ? expr : { value: 0 };
  return typeof value === "bigint" || typeof value === "number" || value instanceof Uint;
}

/** What the list is called in the expansion of `list.sortBy(x, key)`; no author can write this name. */
const SORTED = "@__sortBy_input__";

/** `list.sortBy(x, key)` is `list.@sortByAssociatedKeys(list.map(x, key))`, the list evaluated once (`ext/lists.go`). */
function sortBy(list: Syntax, variable: Syntax, key: Syntax, at: number): Syntax {
  if (list.kind === "literal" || list.kind === "map") {
    const message = "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
    throw new ParseFault(message, list.at);
  }
  const v1 = usable(nameOf(variable), variable.at);
  const input: Syntax = { kind: "ident", at: list.at, name: SORTED };
  const keys: Syntax = {
    kind: "macro",
    at,
    macro: "map",
    range: input,
    v1,
    v2: undefined,
    filter: undefined,
    transform: key,
  };
  const body: Syntax = { kind: "member", at, fn: "@sortByAssociatedKeys", target: input, args: [keys] };
  return { kind: "bind", at, name: SORTED, init: list, body };
}

interface Form {
  readonly macro: MacroName;
  /** Has a predicate (the third argument). */
  readonly filtered: boolean;
  /** Has a transform (the last argument). */
  readonly transforms: boolean;
}

const test = (macro: MacroName): Form => ({ macro, filtered: true, transforms: false });
const make = (macro: MacroName, filtered: boolean): Form => ({ macro, filtered, transforms: true });

/** Macro calls by name and number of arguments. Those of two arguments are here to be refused with a reason. */
const FORMS: { readonly [form: string]: Form } = Object.assign(Object.create(null), {
  "all/2": test("all"),
  "exists/2": test("exists"),
  "exists_one/2": test("exists_one"),
  "filter/2": test("filter"),
  "map/2": make("map", false),
  "map/3": make("map", true),
  "all/3": test("all"),
  "exists/3": test("exists"),
  "exists_one/3": test("exists_one"),
  "existsOne/3": test("exists_one"),
  "transformList/3": make("transformList", false),
  "transformList/4": make("transformList", true),
  "transformMap/3": make("transformMap", false),
  "transformMap/4": make("transformMap", true),
  "transformMapEntry/3": make("transformMapEntry", false),
  "transformMapEntry/4": make("transformMapEntry", true),
});

/** The name of a macro's variable. */
export function nameOf(variable: Syntax | undefined): string {
  if (variable?.kind !== "ident") throw new ParseFault("a macro's variable must be a simple name", variable?.at ?? 0);
  return variable.name;
}

/** cel-go's name of what a macro has found so far, which no variable of a macro may have. */
function usable(name: string, at: number): string {
  if (name === "__result__") throw new ParseFault("iteration variable overwrites accumulator variable", at);
  return name;
}
