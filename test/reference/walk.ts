/**
 * Evaluates CEL by walking the parser's raw `cel.expr.Expr` tree, with macros expanded. A value is computed from the
 * values of its parts, an error is a value like others, and nothing is prepared or shared. Section numbers refer to
 * docs/cerbos-semantics.md.
 */

import { parse } from "@bufbuild/cel";
import type { Constant, Expr, Expr_Call, Expr_Comprehension } from "@bufbuild/cel-spec/cel/expr/syntax_pb.js";
import { bindsType, TYPES } from "./checked.js";
import { callFunction, callMethod } from "./functions.js";
import { asWhole } from "./typed.js";
import {
  bool,
  double,
  equals,
  error,
  FALSE,
  int,
  list,
  mapGet,
  NO_OVERLOAD,
  NULL,
  string,
  TRUE,
  uint,
  type Val,
} from "./values.js";

/** The names that an expression can read, and the time. */
export interface Environment {
  readonly names: ReadonlyMap<string, Val>;
  readonly now: Date | undefined;
}

/** The value of `source`. Throws if it does not parse, since policies are validated before evaluation. */
export function evaluate(source: string, env: Environment): Val {
  const { expr, isDoomed } = parsed(source);
  return isDoomed ? error("reference to undefined type") : walk(expr, env);
}

/** The string of `source` if it is a single literal. */
export function stringLiteral(source: string): string | undefined {
  const kind = parsed(source).expr?.exprKind;
  const constant = kind?.case === "constExpr" ? kind.value.constantKind : undefined;
  return constant?.case === "stringValue" ? constant.value : undefined;
}

/** The parser cancels the operators of `!(!a)` and `-(-a)`, which the server does not. A call keeps the operators apart. */
const DOUBLED = /([!-])\s*\((?=\s*\1)/g;
const GROUP = "group_of_one";

interface Parsed {
  readonly expr: Expr | undefined;
  /** It always fails: see {@link bindsType}. */
  readonly isDoomed: boolean;
}

const memo = new Map<string, Parsed>();

function parsed(source: string): Parsed {
  const known = memo.get(source);
  if (known !== undefined) return known;
  if (memo.size > 100_000) memo.clear();
  const { expr } = parse(source.replace(DOUBLED, `$1${GROUP}(`));
  const made = { expr, isDoomed: expr !== undefined && bindsType(expr) };
  memo.set(source, made);
  return made;
}

function walk(expr: Expr | undefined, env: Environment): Val {
  const kind = expr?.exprKind;
  switch (kind?.case) {
    case "constExpr":
      return literal(kind.value);
    case "identExpr":
      return name(kind.value.name, env);
    case "selectExpr": {
      if (!kind.value.testOnly) return asWhole(selected(expr, env));
      return hasField(selected(kind.value.operand, env), kind.value.field);
    }
    case "callExpr": {
      const { target, function: fn, args } = kind.value;
      if (target !== undefined) return method(target, fn, args, env);
      if (fn === GROUP) return walk(args[0], env);
      if (namedIndex(kind.value) !== undefined) return asWhole(selected(expr, env));
      return call(fn, args, env);
    }
    case "listExpr":
      return strict(kind.value.elements, env, list);
    case "structExpr": {
      const entries = kind.value.entries.map((entry) => [
        walk(entry.keyKind.case === "mapKey" ? entry.keyKind.value : undefined, env),
        walk(entry.value, env),
      ]);
      return mapLiteral(entries as [Val, Val][]);
    }
    case "comprehensionExpr":
      return comprehension(kind.value, env);
    default:
      return error("not an expression");
  }
}

/** A value that is read only for a nested value; unrelated nested values may violate their declarations. */
function selected(expr: Expr | undefined, env: Environment): Val {
  const kind = expr?.exprKind;
  if (kind?.case === "selectExpr" && !kind.value.testOnly)
    return field(selected(kind.value.operand, env), kind.value.field);
  const index = kind?.case === "callExpr" ? namedIndex(kind.value) : undefined;
  if (index === undefined) return walk(expr, env);
  const operand = selected(index.operand, env);
  return operand.t === "error" ? operand : callFunction("_[_]", [operand, string(index.name)], env.now);
}

/** `x["f"]`, which selects a field as `x.f` does. */
function namedIndex({ function: fn, args }: Expr_Call): { operand: Expr | undefined; name: string } | undefined {
  const [operand, index] = args;
  const constant = index?.exprKind.case === "constExpr" ? index.exprKind.value.constantKind : undefined;
  return fn === "_[_]" && constant?.case === "stringValue" ? { operand, name: constant.value } : undefined;
}

/** Calls `make` with the values of `parts`, or returns the first error: functions are strict. */
function strict(parts: readonly Expr[], env: Environment, make: (values: readonly Val[]) => Val): Val {
  const values = parts.map((part) => walk(part, env));
  return values.find((value) => value.t === "error") ?? make(values);
}

function literal(constant: Constant): Val {
  const kind = constant.constantKind;
  switch (kind.case) {
    case "nullValue":
      return NULL;
    case "boolValue":
      return bool(kind.value);
    case "int64Value":
      return int(kind.value);
    case "uint64Value":
      return uint(kind.value);
    case "doubleValue":
      return double(kind.value);
    case "stringValue":
      return string(kind.value);
    case "bytesValue":
      return { t: "bytes", v: kind.value };
    default:
      return error("unsupported literal");
  }
}

function name(written: string, env: Environment): Val {
  const found = env.names.get(written);
  if (found !== undefined) return found;
  return TYPES.has(written) ? { t: "type", v: written } : error(`undeclared reference to '${written}'`);
}

/** `x.f` (§3.3: a missing key is an error, and so is a field of anything but a map). */
function field(operand: Val, f: string): Val {
  switch (operand.t) {
    case "error":
      return operand;
    case "map":
      return mapGet(operand, string(f)) ?? error(`no such key: ${f}`);
    case "message":
      return operand.v.get(f) ?? error(`undefined field '${f}'`);
    case "lookup":
      return operand.read(f) ?? error(`undefined field '${f}'`);
    default:
      return NO_OVERLOAD;
  }
}

/**
 * `has(x.f)` (§3.3): does the map have the key, even with the value null? False for other values, but an error for a
 * list, and if `x` is an error. A message has a field if it is not empty. `has(V.x)` is false if the variable errs
 * (§2.10).
 */
function hasField(operand: Val, f: string): Val {
  switch (operand.t) {
    case "error":
      return operand;
    case "map":
      return bool(mapGet(operand, string(f)) !== undefined);
    case "message":
      return bool(!isEmpty(operand.v.get(f)));
    case "lookup": {
      if (operand.has !== undefined) return bool(operand.has(f));
      const read = operand.read(f);
      return bool(read !== undefined && read.t !== "error");
    }
    case "list":
      return NO_OVERLOAD; // observed: the server looks for the element "f" of the list
    default:
      return FALSE;
  }
}

function isEmpty(val: Val | undefined): boolean {
  if (val === undefined) return true;
  return (val.t === "string" || val.t === "list" || val.t === "map") && val.v.length === 0;
}

/** Of a repeated key, the last value counts (§3.3). */
function mapLiteral(entries: readonly (readonly [Val, Val])[]): Val {
  const failed = entries.flat().find((value) => value.t === "error");
  if (failed !== undefined) return failed;
  if (!entries.every(([k]) => ["string", "int", "uint", "double", "bool"].includes(k.t)))
    return error("unsupported key type");
  const last = entries.filter(([k], i) => !entries.slice(i + 1).some(([later]) => equals(k, later)));
  return { t: "map", v: last };
}

/** Operators and functions. All are strict except the logical ones and `?:`. */
function call(fn: string, args: readonly Expr[], env: Environment): Val {
  const [a, b, c] = args;
  switch (fn) {
    case "_&&_":
      return and(walk(a, env), walk(b, env));
    case "_||_":
      return or(walk(a, env), walk(b, env));
    case "_?_:_": {
      const condition = walk(a, env);
      if (condition.t === "error") return condition;
      if (condition.t !== "bool") return NO_OVERLOAD; // §3.3: `R.attr.n ? 1 : 2` errs
      return walk(condition.v ? b : c, env);
    }
    case "@not_strictly_false":
      // From the expansion of `all` and `exists`: continues unless the result is certain. An error is not certain.
      return bool(!isFalse(walk(a, env)));
    default:
      return strict(args, env, (values) => callFunction(fn, values, env.now));
  }
}

const isFalse = (val: Val) => val.t === "bool" && !val.v;
const isTrue = (val: Val) => val.t === "bool" && val.v;

/** §2.11: `false` absorbs an error, in either order. A value that is not a bool counts as an error. */
function and(a: Val, b: Val): Val {
  if (isFalse(a) || isFalse(b)) return FALSE;
  if (isTrue(a) && isTrue(b)) return TRUE;
  return [a, b].find((side) => side.t === "error") ?? NO_OVERLOAD;
}

/** §2.11: `true` absorbs an error, in either order. */
function or(a: Val, b: Val): Val {
  if (isTrue(a) || isTrue(b)) return TRUE;
  if (isFalse(a) && isFalse(b)) return FALSE;
  return [a, b].find((side) => side.t === "error") ?? NO_OVERLOAD;
}

function method(target: Expr, fn: string, args: readonly Expr[], env: Environment): Val {
  const receiver = target.exprKind;
  if (receiver.case === "identExpr" && receiver.value.name === "cel" && fn === "bind") return bind(args, env);
  const [first, second, ...bodies] = args;
  if (first?.exprKind.case === "identExpr" && second?.exprKind.case === "identExpr" && PAIR_MACROS.has(fn)) {
    const names = [first.exprKind.value.name, second.exprKind.value.name] as const;
    return pairMacro(fn, walk(target, env), names, bodies, env);
  }
  return strict([target, ...args], env, ([self = NULL, ...rest]) => callMethod(fn, self, rest, env.now));
}

/** `cel.bind(name, value, body)`, which the parser does not expand. */
function bind(args: readonly Expr[], env: Environment): Val {
  const [variable, value, body] = args;
  if (variable?.exprKind.case !== "identExpr") return error("cel.bind needs a name");
  return walk(body, binding(env, variable.exprKind.value.name, walk(value, env)));
}

function binding(env: Environment, written: string, value: Val): Environment {
  return { ...env, names: new Map(env.names).set(written, value) };
}

/** Iterates over the elements of a list, or the keys of a map in the written order. */
function comprehension(c: Expr_Comprehension, env: Environment): Val {
  const range = walk(c.iterRange, env);
  if (range.t === "error") return range;
  if (range.t !== "list" && range.t !== "map") return NO_OVERLOAD;
  const items = range.t === "list" ? range.v : range.v.map(([key]) => key);
  let result = walk(c.accuInit, env);
  for (const item of items) {
    const inner = binding(binding(env, c.iterVar, item), c.accuVar, result);
    if (!isTrue(walk(c.loopCondition, inner))) break;
    result = walk(c.loopStep, inner);
  }
  return walk(c.result, binding(env, c.accuVar, result));
}

const PAIR_MACROS = new Set(["all", "exists", "existsOne", "exists_one", "transformList", "transformMap"]);

/**
 * Macros with two variables, which the parser does not expand (§3.1): index and element of a list, or key and value of
 * a map. The two transforming macros take an optional filter before the transformation.
 */
function pairMacro(
  fn: string,
  range: Val,
  [k, v]: readonly [string, string],
  bodies: readonly Expr[],
  env: Environment,
): Val {
  if (range.t === "error") return range;
  if (range.t !== "list" && range.t !== "map") return NO_OVERLOAD;
  const pairs = range.t === "map" ? range.v : range.v.map((item, i) => [int(BigInt(i)), item] as const);
  const each = (body: Expr | undefined) =>
    pairs.map(([key, value]) => walk(body, binding(binding(env, k, key), v, value)));
  const last = each(bodies.at(-1));
  if (fn === "all") return last.reduce(and, TRUE);
  if (fn === "exists") return last.reduce(or, FALSE);
  const tests = fn.startsWith("exists") ? last : bodies.length > 1 ? each(bodies[0]) : pairs.map(() => TRUE);
  const wrong = tests.find((test) => test.t !== "bool");
  if (wrong !== undefined) return wrong.t === "error" ? wrong : NO_OVERLOAD;
  if (fn.startsWith("exists")) return bool(tests.filter(isTrue).length === 1);
  const made = last.flatMap((value, i) => (isTrue(tests[i] ?? FALSE) ? [[pairs[i]?.[0] ?? NULL, value] as const] : []));
  const failed = made.find(([, value]) => value.t === "error");
  if (failed !== undefined) return failed[1];
  return fn === "transformMap" ? { t: "map", v: made } : list(made.map(([, value]) => value));
}
