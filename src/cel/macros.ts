/**
 * Macros: calls that the parser turns into nodes of their own. The forms are those of cel-go v0.30: the standard
 * macros, and the macros of its libraries for optional values, bindings, two variables, math and lists.
 */

import type { MacroName, Syntax } from "./ast.js";
import { plainName } from "./names.js";
import { optionalMacro } from "./optional-macros.js";
import { ParseFault } from "./parse-fault.js";
import { Uint } from "./values.js";

/** `has(operand.field)`. */
export function hasMacro([tested, ...more]: readonly Syntax[], at: number): Syntax {
  if (tested?.kind === "select" && more.length === 0) {
    return { kind: "has", at, operand: tested.operand, field: tested.field };
  }
  throw new ParseFault("invalid argument to has() macro: it takes a field selection", at);
}

/**
 * The macro for `target.fn(args)`; undefined for a call of a function. Throws {@link ParseFault} for a macro with
 * invalid variables or arguments.
 */
export function macroFromCall(target: Syntax, fn: string, args: readonly Syntax[], at: number): Syntax | undefined {
  const namespace = target.kind === "ident" ? target.name : "";
  const [first, second, third] = args;
  if (namespace === "cel" && fn === "bind" && second !== undefined && third !== undefined && args.length === 3) {
    return { kind: "bind", at, name: nameOf(first), init: second, body: third };
  }
  if (namespace === "math" && (fn === "greatest" || fn === "least")) return extreme(fn, args, at);
  if (args.length === 2 && first !== undefined && second !== undefined) {
    if (fn === "sortBy") return sortBy(target, first, second, at);
    if (fn === "optMap" || fn === "optFlatMap") return optionalMacro(target, fn, nameOf(first), second, at);
    // In cel-go `existsOne` has two variables; with one it is a function that does not exist.
    if (fn === "existsOne") throw new ParseFault("there is no macro existsOne of one variable: use exists_one", at);
  }
  const form = FORMS[`${fn}/${args.length}`];
  return form === undefined ? undefined : iterationMacro(form, target, args, at);
}

/** A macro that iterates over a list or a map. */
function iterationMacro(
  { macro, variables, filters, makes }: MacroForm,
  range: Syntax,
  args: readonly Syntax[],
  at: number,
): Syntax {
  const v1 = variableOf(args[0]);
  const v2 = variables === 2 ? variableOf(args[1]) : undefined;
  if (v1 === v2) throw new ParseFault(`duplicate variable name: ${v1}`, args[1]?.at ?? at);
  const filter = filters ? args[variables] : undefined;
  const transform = makes ? args.at(-1) : undefined;
  return { kind: "macro", at, macro, range, v1, v2, filter, transform };
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

/** The variable for the list in the expansion of `list.sortBy(x, key)`. No author can write this name. */
const SORTED = "@__sortBy_input__";

/** `list.sortBy(x, key)` is `list.@sortByAssociatedKeys(list.map(x, key))`, the list evaluated once (`ext/lists.go`). */
function sortBy(list: Syntax, variable: Syntax, key: Syntax, at: number): Syntax {
  if (list.kind === "literal" || list.kind === "map") {
    const message = "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
    throw new ParseFault(message, list.at);
  }
  const v1 = variableOf(variable);
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

interface MacroForm {
  readonly macro: MacroName;
  readonly variables: 1 | 2;
  /** Whether it has a predicate, after the variables. */
  readonly filters: boolean;
  /** Whether it has a transform, the last argument. */
  readonly makes: boolean;
}

const test = (macro: MacroName, variables: 1 | 2): MacroForm => ({ macro, variables, filters: true, makes: false });
const make = (macro: MacroName, variables: 1 | 2, filters: boolean): MacroForm => ({
  macro,
  variables,
  filters,
  makes: true,
});

/** The macros by name and number of arguments. */
const FORMS: { readonly [form: string]: MacroForm } = Object.assign(Object.create(null), {
  "all/2": test("all", 1),
  "exists/2": test("exists", 1),
  "exists_one/2": test("exists_one", 1),
  "filter/2": test("filter", 1),
  "map/2": make("map", 1, false),
  "map/3": make("map", 1, true),
  "all/3": test("all", 2),
  "exists/3": test("exists", 2),
  "exists_one/3": test("exists_one", 2),
  "existsOne/3": test("exists_one", 2),
  "transformList/3": make("transformList", 2, false),
  "transformList/4": make("transformList", 2, true),
  "transformMap/3": make("transformMap", 2, false),
  "transformMap/4": make("transformMap", 2, true),
  "transformMapEntry/3": make("transformMapEntry", 2, false),
  "transformMapEntry/4": make("transformMapEntry", 2, true),
});

/** The variable that a macro binds. A leading dot is refused: nothing could read such a variable. */
function nameOf(variable: Syntax | undefined): string {
  if (variable?.kind === "ident" && variable.name === plainName(variable.name)) return variable.name;
  throw new ParseFault("a macro's variable must be a simple name", variable?.at ?? 0);
}

/** {@link nameOf} for a macro that iterates. It refuses the name that cel-go gives to its accumulator. */
function variableOf(variable: Syntax | undefined): string {
  const name = nameOf(variable);
  if (name !== "__result__") return name;
  throw new ParseFault("iteration variable overwrites accumulator variable", variable?.at ?? 0);
}
