/**
 * Macros: the parser's expanded comprehensions folded back into {@link Macro} nodes, and the macros that it leaves
 * as plain calls. The forms are those of cel-go's standard macros and its `bindings` and two-variable libraries.
 */

import type { Expr_Comprehension, Expr as ProtoExpr } from "@bufbuild/cel-spec/cel/expr/syntax_pb.js";
import type { Bind, Expr, Macro, MacroName } from "./ast.js";
import { ParseFault } from "./parse-fault.js";

type Read = (proto: ProtoExpr | undefined) => Expr;

/** Folds the expansion of the one-variable macro `name` back; `read` reads the parts that the author wrote. */
export function foldComprehension(name: string, c: Expr_Comprehension, at: number, read: Read): Macro {
  const range = read(c.iterRange);
  const node = (macro: MacroName, filter: Expr | undefined, transform?: Expr): Macro => ({
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
    case "existsOne":
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
 * Throws {@link ParseFault} for a macro with unusable variables.
 */
export function macroFromCall(target: Expr, fn: string, args: readonly Expr[], at: number): Macro | Bind | undefined {
  if (target.kind === "ident" && target.name === "cel" && fn === "bind" && args.length === 3) {
    const [variable, init, body] = args;
    if (variable === undefined || init === undefined || body === undefined) return undefined;
    return { kind: "bind", at, name: nameOf(variable), init, body };
  }
  const form = FORMS[`${fn}/${args.length}`];
  if (form === undefined) return undefined;
  const [a, b, c, d] = args;
  if (a === undefined || b === undefined || c === undefined) {
    // One-variable macros are expanded by the parser unless the variable is not a plain name.
    nameOf(a);
    throw new ParseFault(`invalid arguments to the ${fn} macro`, at);
  }
  const filter = form.filtered ? c : undefined;
  const transform = form.transforms ? (form.filtered ? d : c) : undefined;
  return { kind: "macro", at, macro: form.macro, range: target, v1: nameOf(a), v2: nameOf(b), filter, transform };
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
  "existsOne/2": test("exists_one"),
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

function nameOf(variable: Expr | undefined): string {
  if (variable?.kind !== "ident" || variable.name.includes(".")) {
    throw new ParseFault("a macro's variable must be a simple name", variable?.at ?? 0);
  }
  return variable.name;
}
