/**
 * Checks calls of `format` on a constant string with a list literal when policies are loaded, as cel-go does
 * (`ext/strings.go`, `stringFormatValidator`). Other calls of `format` err at evaluation.
 */

import type { ListLiteral, MethodCallNode, Syntax } from "../ast.js";
import { CLAUSE, MAX_PRECISION } from "../format.js";
import type { CelType, TypeKind } from "../types.js";
import type { ExpressionIssue } from "./issue.js";

type TypeOf = (expr: Syntax) => CelType;

export function formatIssues(calls: readonly MethodCallNode<Syntax>[], typeOf: TypeOf): readonly ExpressionIssue[] {
  return calls.flatMap((call) => {
    const { target, args } = call;
    const [list, ...more] = args;
    if (target.kind !== "literal" || typeof target.value !== "string" || list?.kind !== "list" || more.length > 0) {
      return [];
    }
    const wrong = formatFault(target.value, list, typeOf, call.at);
    return wrong === undefined ? [] : [{ at: wrong.at, code: "expression_type" as const, message: wrong.message }];
  });
}

interface FormatFault {
  readonly at: number;
  readonly message: string;
}

/** The first mistake; undefined if the call is valid. */
function formatFault(
  pattern: string,
  { elements }: ListLiteral<Syntax>,
  typeOf: TypeOf,
  at: number,
): FormatFault | undefined {
  let used = 0;
  for (let i = pattern.indexOf("%"); i >= 0; i = pattern.indexOf("%", CLAUSE.lastIndex)) {
    CLAUSE.lastIndex = i;
    const clause = CLAUSE.exec(pattern);
    const [, precision = "0", verb] = clause ?? [];
    if (clause === null || BigInt(precision) > MAX_PRECISION) {
      return { at, message: `could not parse formatting clause: ${pattern.slice(i, i + 20)}` };
    }
    if (verb === undefined) continue;
    const element = elements[used];
    if (element === undefined) return { at, message: `index ${used} out of range` };
    used++;
    const wrong = verb === "s" ? notText(element, typeOf) : notFor(verb, element, typeOf);
    if (wrong !== undefined) return wrong;
  }
  if (elements.length === used) return undefined;
  return { at, message: `too many arguments supplied to string.format (expected ${used}, got ${elements.length})` };
}

const NUMBERS: readonly TypeKind[] = ["int", "uint", "double"];

/** For each verb but `%s`: its name in messages, and the types that it can format. */
const SHOWS: ReadonlyMap<string, readonly [string, readonly TypeKind[]]> = new Map([
  ["d", ["decimal", NUMBERS] as const],
  ["f", ["fixed-point", NUMBERS] as const],
  ["e", ["scientific", NUMBERS] as const],
  ["b", ["binary", ["int", "uint", "bool"]] as const],
  ["o", ["octal", ["int", "uint"]] as const],
  ["x", ["hex", ["int", "uint", "bytes", "string"]] as const],
  ["X", ["hex", ["int", "uint", "bytes", "string"]] as const],
]);

function notFor(verb: string, expr: Syntax, typeOf: TypeOf): FormatFault | undefined {
  const [name, kinds] = SHOWS.get(verb) ?? ["", []];
  const { kind, name: given } = typeOf(expr);
  if (kind === "dyn" || kinds.includes(kind)) return undefined;
  const allowed = kinds.map((one) => (one === "bytes" ? one : `${one}s`)).join(", ");
  return {
    at: expr.at,
    message: `error during formatting: ${name} clause can only be used on ${allowed}, was given ${given}`,
  };
}

const NOT_TEXT: readonly TypeKind[] = ["opaque", "message"];

/** `%s` formats every value but those of Cerbos's own types. These are also refused inside list and map literals. */
function notText(expr: Syntax, typeOf: TypeOf): FormatFault | undefined {
  const { kind, name } = typeOf(expr);
  if (NOT_TEXT.includes(kind)) {
    return { at: expr.at, message: `error during formatting: string clause cannot be used on ${name}` };
  }
  const parts =
    expr.kind === "list" ? expr.elements : expr.kind === "map" ? expr.entries.flatMap((e) => [e.key, e.value]) : [];
  for (const part of parts) {
    const wrong = notText(part, typeOf);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
