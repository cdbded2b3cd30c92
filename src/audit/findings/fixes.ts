/** Suggests replacements for faulty expressions. */

import type { Expr } from "../../cel/ast.js";
import { OPERATORS } from "../../cel/operators.js";
import { didYouMean } from "../../policy/distance.js";
import type { PossibleValues } from "./possible.js";

type ShowExpression = (expr: Expr) => string;

/** For a value that the other operand never has: suggests the nearest possible value, or lists all. */
export function inMend({ values }: PossibleValues, wanted: PossibleValues): string {
  const texts = (wanted.values ?? []).map(String);
  const [value] = values ?? [];
  const near = typeof value === "string" ? didYouMean(value.trim(), texts) : undefined;
  if (near !== undefined) return near;
  return texts.length === 0 ? "write a possible value" : `it may be ${listed(wanted.values ?? [])}`;
}

function listed(values: readonly unknown[]): string {
  const shown = values.slice(0, 8).map((value) => JSON.stringify(value));
  return `${shown.join(", ")}${values.length > 8 ? ", …" : ""}`;
}

/** For a comparison of two values of different types. */
export function valueMend(
  a: Expr,
  left: PossibleValues,
  b: Expr,
  right: PossibleValues,
  shown: ShowExpression,
): string {
  for (const [constant, of, value] of [
    [b, left, a],
    [a, right, b],
  ] as const) {
    if (constant.kind !== "literal") continue;
    const written = converted(constant, of);
    if (written !== undefined) return `did you mean ${written}?`;
    if (of.kinds.has("list")) return `did you mean ${shown(constant)} in ${shown(value)}?`;
  }
  if (left.kinds.has("list") !== right.kinds.has("list")) {
    const [item, list] = left.kinds.has("list") ? [b, a] : [a, b];
    return `did you mean ${shown(item)} in ${shown(list)}?`;
  }
  return "compare values of the same type";
}

/** Converts a constant to the type of the other operand. */
function converted({ value }: Extract<Expr, { kind: "literal" }>, { kinds }: PossibleValues): string | undefined {
  if (typeof value === "string") {
    if (kinds.has("bool") && /^(true|false)$/i.test(value.trim())) return value.trim().toLowerCase();
    const isNumber = value.trim() !== "" && Number.isFinite(Number(value));
    return (kinds.has("double") || kinds.has("int")) && isNumber ? value.trim() : undefined;
  }
  if (!kinds.has("string"))
    return kinds.has("bool") && (value === 1n || value === 0n) ? String(value === 1n) : undefined;
  return typeof value === "boolean" || typeof value === "bigint" || typeof value === "number"
    ? JSON.stringify(String(value))
    : undefined;
}

export function notBooleanMend({ kinds, values }: PossibleValues, text: string): string {
  const [value] = values ?? [];
  if (values?.length === 1 && /^(true|false)$/i.test(String(value)))
    return `did you mean ${String(value).toLowerCase()}?`;
  if (kinds.has("string")) return `write a comparison: ${text} == "…"`;
  if (kinds.has("list")) return `test the list, for example size(${text}) > 0`;
  if (kinds.has("double") || kinds.has("int")) return `write a comparison: ${text} > 0`;
  return "write a comparison";
}

/** For operands or arguments of the wrong types. */
export function operandsMend(
  fn: string,
  args: readonly Expr[],
  values: readonly PossibleValues[],
  shown: ShowExpression,
): string {
  const [first, second] = args;
  if (fn === "contains" && first !== undefined && second !== undefined && values[0]?.kinds.has("list")) {
    return `did you mean ${shown(second)} in ${shown(first)}?`;
  }
  const operator = OPERATORS.get(fn);
  const symbol = operator?.kind === "arithmetic" ? operator.symbol : undefined;
  const text = args.find((_, i) => values[i]?.kinds.has("string"));
  if (text !== undefined && values.some(({ kinds }) => kinds.size === 1 && kinds.has("timestamp"))) {
    return `times in requests are texts: write timestamp(${shown(text)})`;
  }
  const hasDouble = values.some(({ kinds }) => kinds.has("double"));
  const constant = args.find((arg) => arg.kind === "literal" && typeof arg.value === "bigint");
  if (symbol !== undefined && symbol !== "%" && hasDouble && constant !== undefined) {
    return `numbers in requests have decimals (type double): write ${shown(constant)}.0`;
  }
  const [texts, others] = [
    values.filter(({ kinds }) => kinds.has("string")),
    values.filter(({ kinds }) => !kinds.has("string")),
  ];
  if (symbol === "+" && texts.length > 0 && others.length > 0) return "convert the other value to a text: string(…)";
  if (symbol === "%" && hasDouble) return "numbers in requests have decimals (type double): write int(…) % n";
  if (operator?.kind === "ordering") return "compare values of the same type: numbers with numbers, texts with texts";
  return "use values of the types that it accepts";
}
