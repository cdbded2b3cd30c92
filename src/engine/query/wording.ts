/** Converts expressions to the words of query plans (docs/cerbos-semantics.md §2.14). */

import type { Expr, Macro } from "../../cel/ast.js";
import { keysOf, lookup } from "../../cel/equality.js";
import type { JsonValue } from "../../cel/json.js";
import { compareStrings } from "../../cel/text.js";
import { formatDuration, formatTimestamp } from "../../cel/time.js";
import { type CelMap, type CelValue, Duration, isList, isMap, Timestamp, TypeValue, Uint } from "../../cel/values.js";
import { UNKNOWN } from "../residual/residual-expression.js";
import { HAS, operandText, operation, type QueryOperand } from "./operand.js";

/** The words for operators. Functions keep their names. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ["_&&_", "and"],
  ["_||_", "or"],
  ["!_", "not"],
  ["_==_", "eq"],
  ["_!=_", "ne"],
  ["_<_", "lt"],
  ["_<=_", "le"],
  ["_>_", "gt"],
  ["_>=_", "ge"],
  ["_+_", "add"],
  ["_-_", "sub"],
  ["_*_", "mult"],
  ["_/_", "div"],
  ["_%_", "mod"],
  ["_[_]", "index"],
  ["_?_:_", "if"],
]);

const ROOTS: ReadonlyMap<string, string> = new Map([
  ["P", "request.principal"],
  ["R", "request.resource"],
  ["C", "constants"],
  ["G", "globals"],
]);

/** Whether a plan can state a constant: it is not a type, and not a value of Cerbos's own types. */
export function hasWords(value: CelValue): boolean {
  if (value === null || typeof value !== "object") return true;
  if (value instanceof Uint || value instanceof Uint8Array) return true;
  if (value instanceof Timestamp || value instanceof Duration) return true;
  if (isList(value)) return value.every(hasWords);
  return isMap(value) && keysOf(value).every((key) => hasWords(key) && hasWords(lookup(value, key) ?? null));
}

/**
 * The words for `has()`. `assumed`: a plan is for resources that have the tested field, as those of Cerbos up to 0.56.
 * `kept`: an operator, as in those of later versions.
 */
export type PresenceWording = "assumed" | "kept";

/** Converts expressions to plan words. If an expression has none, it is recorded as a fault, and there is no plan. */
export class QueryWording {
  /** The reason why an expression cannot be stated. */
  fault: string | undefined = undefined;
  private readonly presence: PresenceWording;
  private readonly known = new Map<Expr, QueryOperand>();

  constructor(presence: PresenceWording) {
    this.presence = presence;
  }

  operand(expr: Expr): QueryOperand {
    const known = this.known.get(expr);
    if (known !== undefined) return known;
    const made = this.worded(expr);
    this.known.set(expr, made);
    return made;
  }

  private worded(expr: Expr): QueryOperand {
    switch (expr.kind) {
      case "literal":
        return constant(expr.value);
      case "ident":
        if (expr === UNKNOWN) return this.unsaid("an expression that is so large");
        return { variable: expr.of === "local" ? expr.name : (ROOTS.get(expr.name) ?? expr.name) };
      case "has":
        return this.presence === "assumed"
          ? { value: true }
          : operation(HAS, [this.operand({ ...expr, kind: "select" })]);
      case "select":
        return this.selection(expr);
      case "call":
        return expr.fn === "@in" ? this.membership(expr.args) : this.applied(expr.fn, expr.args);
      case "member":
        return this.applied(expr.fn, [expr.target, ...expr.args]);
      case "list": {
        const operands = expr.elements.map((element) => this.operand(element));
        const scalars = expr.elements.map(scalarOf);
        return scalars.every((value) => value !== undefined)
          ? { value: scalars.filter((value) => value !== undefined) }
          : operation("list", operands);
      }
      case "map":
        return operation(
          "struct",
          expr.entries.map(({ key, value }) => operation("set-field", [this.operand(key), this.operand(value)])),
        );
      case "macro":
        return this.macro(expr);
      case "bind":
        return this.unsaid("cel.bind");
      case "optional":
        return this.unsaid("optional values");
    }
  }

  private unsaid(what: string): QueryOperand {
    this.fault ??= `${what} cannot be part of a query plan`;
    return { value: false };
  }

  private applied(fn: string, args: readonly Expr[]): QueryOperand {
    return operation(
      OPERATORS.get(fn) ?? fn,
      args.map((arg) => this.operand(arg)),
    );
  }

  private selection(expr: Extract<Expr, { kind: "select" }>): QueryOperand {
    const fields: string[] = [];
    let node: Expr = expr;
    while (node.kind === "select") {
      fields.unshift(node.field);
      node = node.operand;
    }
    if (node.kind !== "ident") return operation("get-field", [this.operand(expr.operand), { variable: expr.field }]);
    const root = this.operand(node);
    return { variable: ["variable" in root ? root.variable : "", ...fields].join(".") };
  }

  /** The operand of `in` is the list of keys if the container is a map. */
  private membership(args: readonly Expr[]): QueryOperand {
    const operands = args.map((arg, i) => (i === 0 ? undefined : this.keys(arg)) ?? this.operand(arg));
    return operation("in", operands);
  }

  /** The keys of a map that is written out, sorted by their texts; undefined for any other expression. */
  private keys(expr: Expr): QueryOperand | undefined {
    const isWritten = expr.kind === "map" || (expr.kind === "literal" && isMap(expr.value));
    if (!isWritten) return undefined;
    const keys =
      expr.kind === "map"
        ? expr.entries.map(({ key }) => key)
        : keysOf(mapOf(expr.value)).map((key): Expr => ({ kind: "literal", at: 0, value: key }));
    const sorted = [...keys].sort((a, b) => compareStrings(operandText(this.operand(a)), operandText(this.operand(b))));
    return this.operand({ kind: "list", at: 0, elements: sorted });
  }

  private macro(macro: Macro): QueryOperand {
    const { range, v1, v2, filter, transform } = macro;
    const isSecondSaid = transform !== undefined && isCall(transform);
    const isMapping = macro.macro === "transformMap" || macro.macro === "transformMapEntry";
    const says =
      filter === undefined || transform === undefined
        ? [filter ?? transform]
        : isMapping || isSecondSaid
          ? [filter, transform]
          : [filter];
    const operator =
      filter === undefined || transform === undefined || isMapping
        ? macro.macro
        : isSecondSaid
          ? "transformList"
          : "filter";
    const overKeys = isMapping || operator === "transformList" ? undefined : this.keys(range);
    const bodies = says.filter((body) => body !== undefined).map((body) => this.operand(body));
    const names = [v1, ...(v2 === undefined ? [] : [v2])].map((variable): QueryOperand => ({ variable }));
    return operation(operator, [overKeys ?? this.operand(range), operation("lambda", [...bodies, ...names])]);
  }
}

/** The server treats a time as a call. */
function isCall(expr: Expr): boolean {
  if (expr.kind === "literal") return expr.value instanceof Timestamp || expr.value instanceof Duration;
  return expr.kind === "call" || expr.kind === "member";
}

function mapOf(value: CelValue): CelMap {
  return isMap(value) ? value : {};
}

/** The value of a constant that is a single value for the server. */
export function scalarOf(expr: Expr): JsonValue | undefined {
  return expr.kind === "literal" ? jsonOf(expr.value) : undefined;
}

/** A constant that is a single value for the server: not a list, a map or a time. */
function jsonOf(value: CelValue): JsonValue | undefined {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Uint) return Number(value.value);
  return value instanceof Uint8Array ? base64(value) : undefined;
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function constant(value: CelValue): QueryOperand {
  const json = jsonOf(value);
  if (json !== undefined) return { value: json };
  if (value instanceof Timestamp) return operation("timestamp", [{ value: formatTimestamp(value) }]);
  if (value instanceof Duration) return operation("duration", [{ value: formatDuration(value) }]);
  if (value instanceof TypeValue) return { variable: value.name };
  if (isList(value)) {
    const scalars = value.map(jsonOf);
    const all = scalars.filter((one) => one !== undefined);
    return all.length === scalars.length ? { value: all } : operation("list", value.map(constant));
  }
  const map = mapOf(value);
  return operation(
    "struct",
    keysOf(map).map((key) => operation("set-field", [constant(key), constant(lookup(map, key) ?? null)])),
  );
}
