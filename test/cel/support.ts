/** Expressions through the whole pipeline: parsed, checked, compiled and run. */

import type { Expr } from "../../src/cel/ast.js";
import { checkExpression, type DefinitionNames } from "../../src/cel/check.js";
import { type Code, compile, Slots } from "../../src/cel/compile.js";
import { isEntries } from "../../src/cel/equality.js";
import { Evaluation, type EvaluationResult } from "../../src/cel/evaluation.js";
import { FUNCTIONS } from "../../src/cel/functions/registry.js";
import type { CerbosLevel } from "../../src/cel/levels.js";
import { MessageValue } from "../../src/cel/message-value.js";
import { parseExpression } from "../../src/cel/parse.js";
import { ATTRIBUTES, ROOT } from "../../src/cel/roots.js";
import { formatDuration, formatTimestamp, parseTimestamp } from "../../src/cel/time.js";
import {
  type CelValue,
  Duration,
  isList,
  isMap,
  type JsonMap,
  Opaque,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
} from "../../src/cel/values.js";

/** Replaces values without a JSON form, for which the server reports an error. */
export const INCONVERTIBLE = "(no JSON form)";

/** A value in the form of a server output; {@link INCONVERTIBLE} replaces the whole if any part has no JSON form. */
export function toJson(value: CelValue): unknown {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return value + 0;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (value instanceof Uint) return toJson(value.value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof MessageValue) return toJson(value.shown);
  if (value instanceof OptionalValue) return value.value === undefined ? INCONVERTIBLE : toJson(value.value);
  if (value instanceof TypeValue || value instanceof Opaque) return INCONVERTIBLE;
  if (isList(value)) {
    const items = value.map(toJson);
    return items.includes(INCONVERTIBLE) ? INCONVERTIBLE : items;
  }
  if (!isMap(value)) return INCONVERTIBLE;
  const entries = isEntries(value) ? [...value] : Object.entries(value);
  if (entries.some(([key]) => typeof key !== "string")) return INCONVERTIBLE;
  return Object.fromEntries(entries.map(([key, item]) => [key, toJson(item)]));
}

const NOTHING: JsonMap = {};

/** The evaluation of a request in which the resource has these attributes. */
export function evaluationOf(attr: JsonMap): Evaluation {
  const ev = new Evaluation();
  for (const index of Object.values(ROOT)) ev.roots[index] = "";
  ev.roots[ROOT.principalId] = "p";
  ev.roots[ROOT.principalRoles] = ["r"];
  ev.roots[ROOT.effectiveDerivedRoles] = [];
  ev.roots[ROOT.resourceKind] = "e0";
  ev.roots[ROOT.resourceId] = "x0";
  for (const index of Object.values(ATTRIBUTES)) ev.attributes[index] = NOTHING;
  ev.attributes[ATTRIBUTES.resource] = attr;
  ev.now = parseTimestamp("2026-06-01T12:00:00Z");
  return ev;
}

const NO_NAMES: DefinitionNames = { variables: new Set(), constants: new Set() };

export function compiled(expr: Expr): Code {
  return compile(expr, { functions: FUNCTIONS, variables: new Map(), constants: new Map(), slots: new Slots() });
}

/** The checked tree of a valid expression. Without `names`, every name it reads is defined. */
export function checkedTree(source: string, names: DefinitionNames | undefined): Expr {
  const parsed = parseExpression(source);
  if (!parsed.ok) throw new Error(`${source}: ${parsed.message}`);
  const checked = checkExpression(parsed.syntax, names, "0.58");
  if (!checked.ok) throw new Error(`${source}: ${checked.issues[0]?.message}`);
  return checked.expr;
}

/** The code of an expression of a level, or the reason for its refusal. */
export function load(
  source: string,
  level: CerbosLevel = "0.58",
): Code | { readonly refused: string; readonly at: number } {
  const parsed = parseExpression(source);
  if (!parsed.ok) return { refused: parsed.message, at: parsed.at };
  const checked = checkExpression(parsed.syntax, NO_NAMES, level);
  if (checked.ok) return compiled(checked.expr);
  const [issue] = checked.issues;
  return { refused: issue?.message ?? "", at: issue?.at ?? 0 };
}

/** The value of an expression, `undefined` for an error, or the reason for its refusal. */
export function answer(source: string, attr: JsonMap): EvaluationResult | { readonly refused: string } {
  const code = load(source);
  return typeof code === "function" ? code(evaluationOf(attr)) : code;
}
