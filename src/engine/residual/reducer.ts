/**
 * Partial evaluation of expressions: the principal, the action and some attributes of the resource are known, its other
 * attributes are not, and its id may not be.
 *
 * What is known is evaluated by the code that decisions run, so that it has the same value, or errs likewise. What is
 * left means the same as the expression for every resource that has what is known: the same value, or an error. Of an
 * expression that takes more than the step budget nothing is left but `UNKNOWN`.
 */

import { type Call, children, type Expr, type Has, iterationCost, type Macro, type MemberCall } from "../../cel/ast.js";
import type { CompileEnv } from "../../cel/compile.js";
import { keysOf, lookup } from "../../cel/equality.js";
import { hasBooleanForm, type NameReference, referenceOf, requestValueOf } from "../../cel/expression-usage.js";
import { OPERATORS } from "../../cel/operators.js";
import { isMap } from "../../cel/values.js";
import type { Definitions } from "../../policy/model.js";
import type { LayerInquiry } from "./inquiry.js";
import {
  constantOf,
  ERROR,
  FALSE,
  hasFreeLocals,
  isKnown,
  KnownValue,
  literal,
  Sizes,
  TRUE,
  UNKNOWN,
} from "./residue.js";

/** Names that macros and `cel.bind` bind, where what they stand for is written in their place. */
type Locals = ReadonlyMap<string, Expr>;

const NO_LOCALS: Locals = new Map();

/** The expressions of one policy, or of one set of derived roles. */
export class Reducer {
  private readonly inquiry: LayerInquiry;
  private readonly definitions: Definitions;
  private readonly env: CompileEnv;
  /** What is left of `runtime.effectiveDerivedRoles`. */
  private readonly activeRoles: () => Expr;
  private readonly sizes = new Sizes();
  private readonly variables = new Map<string, Expr>();
  private readonly closed = new Map<string, boolean>();

  constructor(inquiry: LayerInquiry, definitions: Definitions, activeRoles: () => Expr) {
    this.inquiry = inquiry;
    this.definitions = definitions;
    this.activeRoles = activeRoles;
    this.env = inquiry.known.code.env(definitions);
  }

  /** What is left of a whole expression. */
  reduce(expr: Expr): Expr {
    if (expr.doom !== undefined) return ERROR;
    const made = this.left(expr, NO_LOCALS);
    return this.inquiry.known.isExhausted ? UNKNOWN : made;
  }

  private left(expr: Expr, locals: Locals): Expr {
    if (this.inquiry.known.isExhausted) return UNKNOWN;
    if (expr.kind === "literal") return expr;
    if (this.isClosed(expr, [])) return this.evaluated(expr);
    const reference = referenceOf(expr);
    if (reference !== undefined) return this.read(reference, expr, locals);
    switch (expr.kind) {
      case "has":
        return this.presence(expr, locals);
      case "macro":
        return this.macro(expr, locals);
      case "bind": {
        const init = this.left(expr.init, locals);
        if (hasFreeLocals(init) && init !== UNKNOWN) {
          return { ...expr, init, body: this.left(expr.body, without(locals, [expr.name])) };
        }
        return this.left(expr.body, new Map(locals).set(expr.name, init));
      }
      case "call":
        return this.call(expr, locals);
      case "member":
        // What stands for an optional that has no value is not evaluated where it has one.
        if (ALTERNATIVES.has(expr.fn)) return this.alternative(expr, locals);
        return this.strict(this.rebuilt(expr, locals));
      default:
        return this.strict(this.rebuilt(expr, locals));
    }
  }

  private evaluated(expr: Expr): Expr {
    const { inquiry, definitions } = this;
    return inquiry.evaluate(expr, inquiry.known.code.of(expr, definitions));
  }

  private alternative(expr: MemberCall, locals: Locals): Expr {
    const made = this.rebuilt(expr, locals);
    const parts = children(made);
    return parts[0] === ERROR ? ERROR : this.folded(made, parts);
  }

  /** A name, or a value of the request, that is not known. */
  private read(reference: NameReference, expr: Expr, locals: Locals): Expr {
    if (reference.of === "local") return locals.get(reference.name) ?? expr;
    if (reference.of === "variable") return this.variable(reference.name);
    if (reference.of !== "request" || reference.root.kind !== "leaf") return UNKNOWN;
    const { root } = reference;
    if (root.path === ROW_ATTRIBUTES || root.path === ROW_ID) return expr;
    // What is active is not known, since a derived role reads the row. It is a list of texts, which has no fields.
    return this.activeRoles();
  }

  private variable(name: string): Expr {
    const known = this.variables.get(name);
    if (known !== undefined) return known;
    const variable = this.definitions.variables.find((one) => one.name === name);
    const made = variable === undefined ? UNKNOWN : this.sizes.bounded(this.reduce(variable.expr.expr));
    this.variables.set(name, made);
    return made;
  }

  /** The same node with what is left of its parts. */
  private rebuilt(expr: Expr, locals: Locals): Expr {
    const part = (one: Expr) => this.left(one, locals);
    switch (expr.kind) {
      case "select":
        return { ...expr, operand: this.operand(expr.operand, locals) };
      case "has":
        return { ...expr, operand: this.operand(expr.operand, locals) };
      case "call":
        return { ...expr, args: expr.args.map(part) };
      case "member":
        return { ...expr, target: part(expr.target), args: expr.args.map(part) };
      case "list":
        return { ...expr, elements: expr.elements.map((element) => this.entry(element, locals)) };
      case "map":
        return {
          ...expr,
          entries: expr.entries.map(({ key, value }) => ({ key: part(key), value: this.entry(value, locals) })),
        };
      default:
        return expr;
    }
  }

  private entry(expr: Expr, locals: Locals): Expr {
    return expr.kind === "optional" ? { ...expr, value: this.left(expr.value, locals) } : this.left(expr, locals);
  }

  /**
   * What something is selected from. A variable that is an attribute was read whole, and so as declared with all that is
   * in it, which a selection from the attribute would not look at.
   */
  private operand(expr: Expr, locals: Locals): Expr {
    const made = this.left(expr, locals);
    return made === expr ? made : this.asWhole(made);
  }

  /** An expression, such that what is selected from it is no longer a path from the resource, if that matters. */
  private asWhole(made: Expr): Expr {
    const { root, path } = requestValueOf(made) ?? {};
    if (root?.path !== ROW_ATTRIBUTES || path === undefined || !this.inquiry.known.hasParts(path)) return made;
    return { kind: "call", fn: "dyn", at: made.at, overload: undefined, args: [made] };
  }

  /** An expression that errs where one of its parts does; a value, if all of them are. */
  private strict(expr: Expr): Expr {
    const parts = children(expr).map((part) => (part.kind === "optional" ? part.value : part));
    if (parts.includes(ERROR)) return ERROR;
    return this.folded(expr, parts);
  }

  private folded(expr: Expr, parts: readonly Expr[]): Expr {
    return parts.every(isKnown) ? this.inquiry.fold(expr, parts, this.env) : expr;
  }

  private presence(expr: Has, locals: Locals): Expr {
    const reference = referenceOf({ ...expr, kind: "select" });
    if (reference?.of === "variable") return this.isDefined(this.variable(reference.name));
    if (reference?.of !== "request") return this.strict(this.rebuilt(expr, locals));
    const { root } = reference;
    if (root.kind === "message") return UNKNOWN;
    if (root.path === ROW_ATTRIBUTES || root.path === ROW_ID) return expr;
    // Of `runtime`, whose list is there though it is empty.
    return TRUE;
  }

  /** `has()` of a variable: whether it does not err. There is no expression for that where it may err. */
  private isDefined(expr: Expr): Expr {
    if (expr === ERROR) return FALSE;
    return isKnown(expr) ? TRUE : UNKNOWN;
  }

  private call(expr: Call, locals: Locals): Expr {
    const operator = OPERATORS.get(expr.fn);
    switch (operator?.kind) {
      case "junction":
        return this.junction(expr, operator.decisive, locals);
      case "conditional":
        return this.conditional(expr, locals);
      case "optionalField":
      case "optionalIndex":
      case "index": {
        const [operand, key] = expr.args;
        if (operand === undefined || key === undefined) return UNKNOWN;
        const within = this.operand(operand, locals);
        const made = this.left(key, locals);
        // A key that was a name until now: what it is the key of was read whole.
        const args = [
          key.kind === "literal" ? within : this.asWhole(within),
          isKnown(within) ? made : this.inquiry.key(made),
        ];
        return this.strict({ ...expr, args });
      }
      default:
        return this.strict(this.rebuilt(expr, locals));
    }
  }

  private junction(expr: Call, decisive: boolean, locals: Locals): Expr {
    const parts: Expr[] = [];
    for (const arg of expr.args) {
      const part = this.left(arg, locals);
      if (constantOf(part) === decisive) return literal(decisive);
      parts.push(part);
    }
    return joined(parts, decisive);
  }

  private conditional(expr: Call, locals: Locals): Expr {
    const [test, yes, no] = expr.args;
    if (test === undefined || yes === undefined || no === undefined) return UNKNOWN;
    return chosen(
      this.left(test, locals),
      () => this.left(yes, locals),
      () => this.left(no, locals),
    );
  }

  private macro(expr: Macro, locals: Locals): Expr {
    const isQuantifier = expr.macro === "all" || expr.macro === "exists";
    const made = this.left(expr.range, locals);
    if (made === ERROR) return ERROR;
    const range = isQuantifier ? this.inquiry.range(made) : made;
    const passes = passesOver(range);
    if (passes !== undefined && isQuantifier && expr.filter !== undefined) {
      return this.quantified(expr, expr.filter, passes, locals);
    }
    const isNone = range instanceof KnownValue ? !this.inquiry.isRange(range) : range.kind === "literal";
    if (isNone && passes === undefined) return ERROR;
    const inner = without(locals, expr.v2 === undefined ? [expr.v1] : [expr.v1, expr.v2]);
    const body = (one: Expr | undefined) => (one === undefined ? undefined : this.left(one, inner));
    return { ...expr, range, filter: body(expr.filter), transform: body(expr.transform) };
  }

  /** `all` or `exists` over what is known: the body for each element, joined. */
  private quantified(expr: Macro, body: Expr, passes: readonly Pass[], locals: Locals): Expr {
    const decisive = expr.macro === "exists";
    if (!this.inquiry.spendOnPasses(passes.length, iterationCost(body))) return UNKNOWN;
    const parts: Expr[] = [];
    for (const { first, index, second } of passes) {
      const inner = new Map(locals);
      inner.set(expr.v1, expr.v2 === undefined ? first : index);
      if (expr.v2 !== undefined) inner.set(expr.v2, second);
      const part = this.left(body, inner);
      if (constantOf(part) === decisive) return literal(decisive);
      parts.push(part);
    }
    return joined(parts, decisive);
  }

  /** Whether nothing that an expression reads can be unknown. `bound`: names that macros within it bind. */
  private isClosed(expr: Expr, bound: readonly string[]): boolean {
    const reference = referenceOf(expr.kind === "has" ? { ...expr, kind: "select" } : expr);
    if (reference !== undefined) return this.isClosedReference(reference, bound);
    if (expr.kind === "macro") {
      const within = [...bound, expr.v1, ...(expr.v2 === undefined ? [] : [expr.v2])];
      const bodies = [expr.filter, expr.transform].filter((body) => body !== undefined);
      return this.isClosed(expr.range, bound) && bodies.every((body) => this.isClosed(body, within));
    }
    if (expr.kind === "bind") {
      return this.isClosed(expr.init, bound) && this.isClosed(expr.body, [...bound, expr.name]);
    }
    return this.areClosed(expr, bound);
  }

  private areClosed(expr: Expr, bound: readonly string[]): boolean {
    return children(expr).every((part) => this.isClosed(part, bound));
  }

  private isClosedReference(reference: NameReference, bound: readonly string[]): boolean {
    switch (reference.of) {
      case "local":
        return bound.includes(reference.name);
      case "variable":
        return this.isClosedVariable(reference.name);
      case "constant":
      case "global":
        return true;
      case "request": {
        const { root, path } = reference;
        if (root.kind === "message") return root.path === "P";
        if (root.path === ROW_ATTRIBUTES) return this.inquiry.knows(path[0]);
        return root.path === ROW_ID ? this.inquiry.knowsId : root.path !== ACTIVE_ROLES;
      }
    }
  }

  private isClosedVariable(name: string): boolean {
    const known = this.closed.get(name);
    if (known !== undefined) return known;
    const variable = this.definitions.variables.find((one) => one.name === name);
    const made = variable !== undefined && this.isClosed(variable.expr.expr, []);
    this.closed.set(name, made);
    return made;
  }
}

/** Their argument is evaluated only where the optional has no value. */
export const ALTERNATIVES: ReadonlySet<string> = new Set(["or", "orValue"]);

const ROW_ATTRIBUTES = "R.attr";
const ROW_ID = "R.id";
const ACTIVE_ROLES = "runtime.effectiveDerivedRoles";

/** `test ? yes : no`, of which only what may be needed is made. */
export function chosen(test: Expr, yes: () => Expr, no: () => Expr): Expr {
  const value = constantOf(test);
  if (value === true) return yes();
  if (value === false) return no();
  if (isKnown(test) || test === ERROR) return ERROR;
  return { kind: "call", fn: "_?_:_", at: test.at, overload: undefined, args: [test, yes(), no()] };
}

/** `&&` or `||` of what is left of its operands, none of which is known to decide. */
function joined(parts: readonly Expr[], decisive: boolean): Expr {
  const left = parts.filter((part) => constantOf(part) !== !decisive);
  const [only] = left;
  if (only === undefined) return literal(!decisive);
  if (left.every((part) => part === ERROR || isKnown(part))) return ERROR;
  // By itself an operand that is no truth would not err.
  if (left.length === 1)
    return hasBooleanForm(only) || only === UNKNOWN ? only : pair(only, literal(!decisive), decisive);
  return balanced(left, decisive);
}

/** A tree that is as deep as the logarithm of how many operands there are. */
function balanced(parts: readonly Expr[], decisive: boolean): Expr {
  const [first = UNKNOWN, second] = parts;
  if (second === undefined) return first;
  const half = parts.length >> 1;
  return pair(balanced(parts.slice(0, half), decisive), balanced(parts.slice(half), decisive), decisive);
}

function pair(a: Expr, b: Expr, decisive: boolean): Expr {
  return { kind: "call", fn: decisive ? "_||_" : "_&&_", at: a.at, overload: undefined, args: [a, b] };
}

function without(locals: Locals, names: readonly string[]): Locals {
  const left = new Map(locals);
  for (const name of names) left.delete(name);
  return left;
}

/** What the variables of a macro stand for in one pass. With two, the first is an index or a key. */
interface Pass {
  readonly first: Expr;
  readonly index: Expr;
  readonly second: Expr;
}

/** The passes of a macro over a list or a map whose elements are known, each by itself; undefined for any other. */
function passesOver(range: Expr): readonly Pass[] | undefined {
  if (range.kind === "list") {
    // An element that errs makes the list err, whatever the passes come to.
    if (!range.elements.every(isKnown)) return undefined;
    return range.elements.map((element, i) => ({ first: element, index: literal(BigInt(i)), second: element }));
  }
  const value = constantOf(range);
  if (Array.isArray(value)) {
    return value.map((element, i) => ({
      first: literal(element),
      index: literal(BigInt(i)),
      second: literal(element),
    }));
  }
  if (value === undefined || !isMap(value)) return undefined;
  return keysOf(value).map((key) => {
    const name = literal(key);
    return { first: name, index: name, second: literal(lookup(value, key) ?? null) };
  });
}
