/**
 * Infers the possible values of each part of an expression, and finds faults that no request avoids: comparisons that
 * never hold, operations that always fail, conditions that are not boolean.
 * The analysis is sound for attributes that satisfy their schemas, in strict and lenient evaluation. A finding that
 * needs a schema names it: where schemas are not enforced, an invalid value could make such a comparison hold.
 * A faulty part is reported once, and counts as any value further up.
 */

import type { Expr } from "../../cel/ast.js";
import { type Chain, chainOf, optionalChainOf, requestValueAt, requestValueOf } from "../../cel/expression-usage.js";
import { overloadsOf } from "../../cel/functions/registry.js";
import { LIST_RELATIONS } from "../../cel/list-functions.js";
import { OPERATORS } from "../../cel/operators.js";
import { Spans } from "../../cel/spans.js";
import { Uint } from "../../cel/values.js";
import type { Definitions, Expression } from "../../policy/model.js";
import { inMend, notBooleanMend, operandsMend, valueMend } from "./fixes.js";
import {
  ANYTHING,
  apart,
  kindsText,
  listOf,
  mayBe,
  ofDeclared,
  ofJson,
  ofKind,
  ofLiteral,
  ofType,
  type PossibleValues,
  TRUTH,
  unionOfValues,
} from "./possible.js";

/** A fault in a part of an expression. */
export interface TypeFault {
  readonly code: "always_errs" | "impossible_comparison" | "impossible_value" | "lossy_integer" | "not_boolean";
  readonly expression: Expression;
  /** The offset in the source of the expression. */
  readonly at: number;
  readonly message: string;
  readonly hint: string;
}

/** The context of an expression: everything known about the values that it reads. */
export interface TypingContext {
  readonly definitions: Definitions;
  /** By canonical name: `P.attr`, `P.roles`. A root that is missing here has its static type. */
  readonly roots: ReadonlyMap<string, PossibleValues>;
  /** True for the resource kinds that are possible; undefined: any kind. */
  readonly isKind: ((kind: string) => boolean) | undefined;
}

type LocalValues = ReadonlyMap<string, PossibleValues>;

const NO_LOCALS: LocalValues = new Map();

export class Typing {
  readonly faults: TypeFault[] = [];
  private readonly known: TypingContext;
  private readonly variables = new Map<string, PossibleValues>();

  constructor(known: TypingContext) {
    this.known = known;
  }

  /** Checks an expression that must be boolean. */
  condition(expression: Expression): void {
    const { doom } = expression.expr;
    if (doom !== undefined) {
      const hint = "rewrite this part: its types are valid, but it cannot be evaluated";
      this.faults.push({
        code: "always_errs",
        expression,
        at: doom.at,
        message: `always fails: ${doom.message}`,
        hint,
      });
      return;
    }
    new TypeInference(expression, this.known, this).truth(expression.expr, NO_LOCALS);
  }

  /** Infers the values of an expression that may have any type. */
  value(expression: Expression): PossibleValues {
    return expression.expr.doom === undefined
      ? new TypeInference(expression, this.known, this).read(expression.expr, NO_LOCALS)
      : ANYTHING;
  }

  /** Infers the values of a variable, once. */
  variable(name: string): PossibleValues {
    const known = this.variables.get(name);
    if (known !== undefined) return known;
    this.variables.set(name, ANYTHING);
    const definition = this.known.definitions.variables.get(name);
    const value = definition === undefined ? ANYTHING : this.value(definition);
    this.variables.set(name, value);
    return value;
  }
}

class TypeInference {
  private readonly expression: Expression;
  private readonly known: TypingContext;
  private readonly typing: Typing;
  private readonly spans: Spans;

  constructor(expression: Expression, known: TypingContext, typing: Typing) {
    this.expression = expression;
    this.known = known;
    this.typing = typing;
    this.spans = new Spans(expression.source);
  }

  /** Checks a part that must be boolean. */
  truth(expr: Expr, locals: LocalValues): PossibleValues {
    const value = this.read(expr, locals);
    if (value.kinds.has("bool")) return TRUTH;
    const message = `${this.text(expr)} is ${described(value)}, which is never true or false. This is an error, so the rule denies (a lenient server takes the condition for false)`;
    return this.report("not_boolean", expr, message, notBooleanMend(value, this.text(expr)));
  }

  read(expr: Expr, locals: LocalValues): PossibleValues {
    const chain = chainOf(expr);
    if (chain !== undefined) return this.chain(chain, expr, locals);
    if (optionalChainOf(expr) !== undefined) return ANYTHING;
    switch (expr.kind) {
      case "literal":
        return ofLiteral(expr.value);
      case "ident":
        return locals.get(expr.name) ?? ANYTHING;
      case "select":
        return this.fieldOf(this.read(expr.operand, locals), expr.field, expr, this.text(expr.operand));
      case "has":
        if (chainOf(expr.operand) === undefined) this.read(expr.operand, locals);
        return TRUTH;
      case "list":
        return listOf(unionOfValues(expr.elements.map((each) => this.read(each, locals))));
      case "map":
        for (const { key, value } of expr.entries) for (const part of [key, value]) this.read(part, locals);
        return ofKind("map");
      case "optional":
        this.read(expr.value, locals);
        return ANYTHING;
      case "bind":
        return this.read(expr.body, new Map(locals).set(expr.name, this.read(expr.init, locals)));
      case "macro":
        return this.macro(expr, locals);
      case "member":
        return this.called(expr, "member", [expr.target, ...expr.args], locals);
      case "call":
        return this.call(expr, locals);
    }
  }

  private chain(chain: Chain, expr: Expr, locals: LocalValues): PossibleValues {
    const { of, root, fields } = chain;
    const [first, ...below] = fields;
    if (of === "local") return this.below(locals.get(root) ?? ANYTHING, fields, expr, root);
    if (first === undefined || of === "global") return ANYTHING;
    if (of === "variable") return this.below(this.typing.variable(first), below, expr, `V.${first}`);
    if (of === "constant") {
      const value = this.known.definitions.constants.get(first);
      return below.length > 0 || value === undefined ? ANYTHING : ofJson(value);
    }
    const found = requestValueAt(chain);
    if (found === undefined) return ANYTHING;
    const known = this.known.roots.get(found.root.path);
    if (known === undefined) return found.path.length === 0 ? ofType(found.root.type) : ANYTHING;
    return this.below(known, found.path, expr, found.root.path);
  }

  private below(value: PossibleValues, path: readonly string[], expr: Expr, name: string): PossibleValues {
    let last = value;
    let shown = name;
    for (const field of path) {
      last = this.fieldOf(last, field, expr, shown);
      shown += `.${field}`;
    }
    return last;
  }

  private fieldOf(value: PossibleValues, field: string, expr: Expr, shown: string): PossibleValues {
    if (!value.kinds.has("map") && !value.kinds.has("other")) {
      const message = `${shown} is ${described(value)}, so it has no field ${field}, and reading the field always fails`;
      return this.report("always_errs", expr, message, `read ${shown} without the field, or change its schema`);
    }
    const { declared, by } = value;
    return declared === undefined ? ANYTHING : ofDeclared(declared.field(field), by);
  }

  private macro(expr: Extract<Expr, { kind: "macro" }>, locals: LocalValues): PossibleValues {
    const range = this.read(expr.range, locals);
    if (!isWalkable(range)) {
      const message = `${this.text(expr.range)} is ${described(range)}: ${expr.macro}() needs a list or a mapping, so it always fails`;
      this.report("always_errs", expr.range, message, "use a list");
    }
    const isList = range.kinds.size === 1 && range.kinds.has("list");
    const items = isList ? (range.items ?? ANYTHING) : ANYTHING;
    const inner = new Map(locals).set(expr.v1, expr.v2 === undefined ? items : ANYTHING);
    if (expr.v2 !== undefined) inner.set(expr.v2, items);
    if (expr.filter !== undefined) this.truth(expr.filter, inner);
    const made = expr.transform === undefined ? undefined : this.read(expr.transform, inner);
    switch (expr.macro) {
      case "all":
      case "exists":
      case "exists_one":
        return TRUTH;
      case "filter":
        return listOf(items);
      case "map":
      case "transformList":
        return listOf(made ?? ANYTHING);
      default:
        return ofKind("map");
    }
  }

  private call(expr: Extract<Expr, { kind: "call" }>, locals: LocalValues): PossibleValues {
    const [a, b, c] = expr.args;
    const operator = OPERATORS.get(expr.fn);
    switch (operator?.kind) {
      case "junction":
        for (const arg of expr.args) this.truth(arg, locals);
        return TRUTH;
      case "not":
        if (a !== undefined) this.truth(a, locals);
        return TRUTH;
      case "conditional":
        if (a === undefined || b === undefined || c === undefined) return ANYTHING;
        this.truth(a, locals);
        return unionOfValues([this.read(b, locals), this.read(c, locals)]);
      case "equality":
        if (a !== undefined && b !== undefined) this.equality(expr, a, b, operator.equal, locals);
        return TRUTH;
      case "membership":
        return a === undefined || b === undefined ? TRUTH : this.membership(expr, a, b, locals);
      case "index":
      case "optionalIndex":
      case "optionalField": {
        const [of] = expr.args.map((arg) => this.read(arg, locals));
        return operator.kind === "index" && of?.kinds.size === 1 && of.kinds.has("list")
          ? (of.items ?? ANYTHING)
          : ANYTHING;
      }
      default:
        if (operator?.kind === "ordering" && a !== undefined && b !== undefined) {
          this.exactness(a, this.read(a, locals), b, this.read(b, locals));
        }
        return this.called(expr, "global", expr.args, locals);
    }
  }

  /** Checks a call of a function or operator that fails unless its arguments have the right types. */
  private called(
    expr: Extract<Expr, { kind: "call" | "member" }>,
    style: "global" | "member",
    args: readonly Expr[],
    locals: LocalValues,
  ): PossibleValues {
    if (LIST_RELATIONS.get(expr.fn) === "intersects") this.intersection(args, locals);
    const values = args.map((arg) => this.read(arg, locals));
    const overloads = overloadsOf(expr.fn, style).filter(({ params }) => params.length === args.length);
    if (overloads.length === 0 || overloads.some(({ isMisdeclared }) => isMisdeclared)) return ANYTHING;
    const fitting = overloads.filter(({ params }) =>
      params.every((type, i) => values[i] === undefined || mayBe(values[i], type)),
    );
    if (fitting.length > 0) return unionOfValues(fitting.map(({ result }) => ofType(result)));
    const operator = OPERATORS.get(expr.fn);
    const name =
      operator !== undefined && "symbol" in operator
        ? operator.symbol
        : operator?.kind === "negative"
          ? "-"
          : `${expr.fn}()`;
    const said = args.map((arg, i) => `${this.text(arg)} is ${described(values[i] ?? ANYTHING)}`).join(", ");
    const message = `${name} does not accept these values and always fails: ${said}`;
    return this.report(
      "always_errs",
      expr,
      message,
      operandsMend(expr.fn, args, values, (arg) => this.text(arg)),
    );
  }

  private equality(expr: Expr, a: Expr, b: Expr, equal: boolean, locals: LocalValues): void {
    const [left, right] = [this.read(a, locals), this.read(b, locals)];
    if (isOnlyNull(left) || isOnlyNull(right)) return;
    this.exactness(a, left, b, right);
    const effect = equal ? "this comparison is never true" : "this comparison is always true";
    for (const [name, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const kind = this.isResourceKind(name) ? this.textLiteral(other) : undefined;
      if (kind === undefined || this.known.isKind?.(kind) !== false) continue;
      const message = `${this.text(name)} is never ${JSON.stringify(kind)} in a policy for another kind: ${effect}`;
      this.report("impossible_value", other, message, "write the policy's own kind, or remove the comparison");
      return;
    }
    const why = apart(left, right);
    if (why === "values") this.impossibleValue(a, left, b, right, effect);
    if (why !== "types") return;
    const message = `${this.text(a)} is ${described(left)}, ${this.text(b)} is ${described(right)}: ${effect}`;
    this.report(
      "impossible_comparison",
      expr,
      message,
      valueMend(a, left, b, right, (part) => this.text(part)),
    );
  }

  /** Compares two parts with known values. If they share no value, the fault is reported at the constant. */
  private impossibleValue(a: Expr, left: PossibleValues, b: Expr, right: PossibleValues, effect: string): void {
    const [constant, value, other, wanted] =
      b.kind === "literal" || a.kind !== "literal" ? [b, right, a, left] : [a, left, b, right];
    // A comparison of two constants is reported for the condition as a whole.
    if (wanted.by === undefined && other.kind === "literal") return;
    const source = wanted.by === undefined ? "" : `, by ${wanted.by}`;
    const message = `${this.text(other)} is never ${this.text(constant)}${source}: ${effect}`;
    this.report("impossible_value", constant, message, inMend(value, wanted));
  }

  private membership(expr: Expr, a: Expr, b: Expr, locals: LocalValues): PossibleValues {
    const [left, right] = [this.read(a, locals), this.read(b, locals)];
    if (!isWalkable(right)) {
      const message = `${this.text(b)} is ${described(right)}: \`in\` needs a list or a mapping, so it always fails`;
      const equal = `${this.text(a)} == ${this.text(b)}`;
      const hint = right.kinds.has("string") ? `${equal}, or ${this.text(b)}.contains(${this.text(a)})` : equal;
      return this.report("always_errs", expr, message, `did you mean ${hint}?`);
    }
    this.among(a, left, b, right, locals);
    return TRUTH;
  }

  /** Can a value be an element of a list? */
  private among(a: Expr, left: PossibleValues, b: Expr, right: PossibleValues, locals: LocalValues): void {
    if (b.kind === "list") {
      for (const element of b.elements) {
        const value = this.read(element, locals);
        const kind = this.isResourceKind(a) ? this.textLiteral(element) : undefined;
        if (kind !== undefined && this.known.isKind?.(kind) === false && b.elements.length === 1) {
          const message = `${this.text(a)} is never ${JSON.stringify(kind)} in a policy for another kind`;
          this.report("impossible_value", element, message, "write the policy's own kind, or remove the comparison");
        }
        this.element(element, value, a, left);
      }
      return;
    }
    if (right.kinds.size !== 1 || !right.kinds.has("list") || right.items === undefined) return;
    const why = apart(left, right.items);
    if (why === undefined) return;
    const source = right.by ?? right.items.by ?? left.by;
    const found = `${this.text(a)} is never in ${this.text(b)}${source === undefined ? "" : `, by ${source}`}`;
    const isOfSchema = left.by !== undefined && right.items.by === undefined;
    const mend = isOfSchema ? inMend(right.items, left) : inMend(left, right.items);
    if (why === "values") this.report("impossible_value", a, found, mend);
    else {
      const message = `${found}: it is ${described(left)}, but the elements are ${described(right.items)}`;
      this.report(
        "impossible_comparison",
        a,
        message,
        valueMend(a, left, b, right.items, (part) => this.text(part)),
      );
    }
  }

  /** Checks one constant in a list that a value is looked up in. */
  private element(element: Expr, value: PossibleValues, of: Expr, wanted: PossibleValues): void {
    if (isOnlyNull(value) || isOnlyNull(wanted)) return;
    this.exactness(element, value, of, wanted);
    const why = apart(wanted, value);
    if (why === undefined || (wanted.by === undefined && of.kind === "literal")) return;
    const source = wanted.by === undefined ? "" : `, by ${wanted.by}`;
    const message = `${this.text(of)} is never ${this.text(element)}${source}`;
    if (why === "values") this.report("impossible_value", element, message, inMend(value, wanted));
    else {
      const types = `${message}: it is ${described(wanted)}`;
      this.report(
        "impossible_comparison",
        element,
        types,
        valueMend(of, wanted, element, value, (part) => this.text(part)),
      );
    }
  }

  /** A test for common elements: reports constants in one list that the other list cannot contain. */
  private intersection(args: readonly Expr[], locals: LocalValues): void {
    const [a, b] = args;
    if (a === undefined || b === undefined) return;
    for (const [constants, other] of [
      [a, b],
      [b, a],
    ] as const) {
      if (constants.kind !== "list" || other.kind === "list") continue;
      const { items, kinds } = this.read(other, locals);
      if (items === undefined || kinds.size !== 1) continue;
      for (const element of constants.elements) {
        const value = this.read(element, locals);
        const why = apart(value, items);
        if (why === undefined) continue;
        const message = `${this.text(element)} is never in ${this.text(other)}${items.by === undefined ? "" : `, by ${items.by}`}`;
        const code = why === "values" ? "impossible_value" : "impossible_comparison";
        this.report(code, element, message, inMend(value, items));
      }
    }
  }

  /** Reports an integer that no double equals, beside a value that may be a double: it is compared as another number. */
  private exactness(a: Expr, left: PossibleValues, b: Expr, right: PossibleValues): void {
    for (const [constant, other] of [
      [a, right],
      [b, left],
    ] as const) {
      const taken = other.kinds.has("double") ? lossyInteger(constant) : undefined;
      if (taken === undefined) continue;
      const message = `${this.text(constant)} is compared as ${taken}: numbers of a request are doubles`;
      this.report("lossy_integer", constant, message, `write ${taken}, or compare texts`);
    }
  }

  private isResourceKind(expr: Expr): boolean {
    return requestValueOf(expr)?.root.path === "R.kind";
  }

  private textLiteral(expr: Expr): string | undefined {
    return expr.kind === "literal" && typeof expr.value === "string" ? expr.value : undefined;
  }

  private report(code: TypeFault["code"], expr: Expr, message: string, hint: string): PossibleValues {
    const at = this.spans.of(expr).start;
    this.typing.faults.push({ code, expression: this.expression, at, message, hint });
    return ANYTHING;
  }

  private text(expr: Expr): string {
    const text = this.spans.textOf(expr).replaceAll(/\s+/g, " ").trim();
    return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  }
}

/** The double that an integer literal becomes, if it is another number. */
function lossyInteger(expr: Expr): bigint | undefined {
  if (expr.kind !== "literal") return undefined;
  const value = expr.value instanceof Uint ? expr.value.value : expr.value;
  if (typeof value !== "bigint") return undefined;
  const taken = BigInt(Number(value));
  return taken === value ? undefined : taken;
}

/** Longer parts of an expression are cut in messages. */
const MAX_SHOWN = 60;

/** May the value be a list or a mapping, which macros and `in` traverse? */
function isWalkable({ kinds }: PossibleValues): boolean {
  return kinds.has("list") || kinds.has("map") || kinds.has("other");
}

function isOnlyNull({ kinds }: PossibleValues): boolean {
  return kinds.size === 1 && kinds.has("null");
}

/** The number of kinds of JSON values. */
const ANY_JSON = 6;

function described(value: PossibleValues): string {
  const isKnown = value.by !== undefined && value.kinds.size < ANY_JSON;
  return `${kindsText(value)}${isKnown ? ` by ${value.by}` : ""}`;
}
