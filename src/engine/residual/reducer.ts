/**
 * Partial evaluation of expressions. The principal, the action and some attributes of the resource are known. The other
 * attributes of the resource are not, and its id may not be.
 *
 * Known parts are evaluated by the code that decisions run, so they have the same values and errors. The residual has
 * the same meaning as the expression for every resource with the known attributes: the same value, or an error. The
 * residual of an expression that exceeds the step budget is `UNKNOWN`.
 */

import {
  boundBy,
  type Call,
  children,
  type Expr,
  everyChild,
  type Has,
  iterationCost,
  type Macro,
  type MemberCall,
  testedBy,
} from "../../cel/ast.js";
import type { CompileEnv } from "../../cel/compile.js";
import { keysOf, lookup } from "../../cel/equality.js";
import { hasBooleanForm, type NameReference, referenceOf, requestValueOf } from "../../cel/expression-usage.js";
import { OPERATORS } from "../../cel/operators.js";
import { isMap } from "../../cel/values.js";
import type { Definitions } from "../../policy/model.js";
import type { LayerQuestions } from "./question-log.js";
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
} from "./residual-expression.js";

/** Expressions that replace the names bound by macros and `cel.bind`. */
type LocalExpressions = ReadonlyMap<string, Expr>;

const NO_LOCALS: LocalExpressions = new Map();

/** Reduces the expressions of one policy, or of one set of derived roles. */
export class Reducer {
  private readonly questions: LayerQuestions;
  private readonly definitions: Definitions;
  private readonly env: CompileEnv;
  /** The residual of `runtime.effectiveDerivedRoles`. */
  private readonly activeRoles: () => Expr;
  private readonly sizes = new Sizes();
  private readonly variables = new Map<string, Expr>();
  private readonly closed = new Map<string, boolean>();

  constructor(questions: LayerQuestions, definitions: Definitions, activeRoles: () => Expr) {
    this.questions = questions;
    this.definitions = definitions;
    this.activeRoles = activeRoles;
    this.env = questions.known.code.env(definitions);
  }

  /** The residual of a whole expression. */
  reduce(expr: Expr): Expr {
    if (expr.doom !== undefined) return ERROR;
    const made = this.left(expr, NO_LOCALS);
    return this.questions.known.isExhausted ? UNKNOWN : made;
  }

  private left(expr: Expr, locals: LocalExpressions): Expr {
    if (this.questions.known.isExhausted) return UNKNOWN;
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
          return { ...expr, init, body: this.left(expr.body, without(locals, boundBy(expr))) };
        }
        return this.left(expr.body, new Map(locals).set(expr.name, init));
      }
      case "call":
        return this.call(expr, locals);
      case "member":
        // The alternative to an optional is evaluated only if the optional has no value.
        if (ALTERNATIVES.has(expr.fn)) return this.alternative(expr, locals);
        return this.strict(this.rebuilt(expr, locals));
      default:
        return this.strict(this.rebuilt(expr, locals));
    }
  }

  private evaluated(expr: Expr): Expr {
    const { questions, definitions } = this;
    return questions.evaluate(expr, questions.known.code.of(expr, definitions));
  }

  private alternative(expr: MemberCall, locals: LocalExpressions): Expr {
    const made = this.rebuilt(expr, locals);
    const parts = children(made);
    return parts[0] === ERROR ? ERROR : this.folded(made, parts);
  }

  /** A name or a request value that is not known. */
  private read(reference: NameReference, expr: Expr, locals: LocalExpressions): Expr {
    if (reference.of === "local") return locals.get(reference.name) ?? expr;
    if (reference.of === "variable") return this.variable(reference.name);
    if (reference.of !== "request" || reference.root.kind !== "leaf") return UNKNOWN;
    const { root } = reference;
    if (root.path === ROW_ATTRIBUTES || root.path === ROW_ID) return expr;
    // The active roles are not known, because a derived role reads the row. They are a list of texts, which has no
    // fields.
    return this.activeRoles();
  }

  private variable(name: string): Expr {
    const known = this.variables.get(name);
    if (known !== undefined) return known;
    const variable = this.definitions.variables.get(name);
    const made = variable === undefined ? UNKNOWN : this.sizes.bounded(this.reduce(variable.expr));
    this.variables.set(name, made);
    return made;
  }

  /** The node with the residuals of its parts. */
  private rebuilt(expr: Expr, locals: LocalExpressions): Expr {
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

  private entry(expr: Expr, locals: LocalExpressions): Expr {
    return expr.kind === "optional" ? { ...expr, value: this.left(expr.value, locals) } : this.left(expr, locals);
  }

  /**
   * The operand of a selection. A variable that is an attribute was read as a whole, so the contents of the attribute
   * had to be as declared. A selection from the attribute itself would not check them.
   */
  private operand(expr: Expr, locals: LocalExpressions): Expr {
    const made = this.left(expr, locals);
    return made === expr ? made : this.asWhole(made);
  }

  /**
   * Wraps an attribute if its contents have a declaration, so that a selection from it is not a path from the resource.
   */
  private asWhole(made: Expr): Expr {
    const { root, path } = requestValueOf(made) ?? {};
    if (root?.path !== ROW_ATTRIBUTES || path === undefined || !this.questions.known.hasParts(path)) return made;
    return { kind: "call", fn: "dyn", at: made.at, overload: undefined, args: [made] };
  }

  /** An expression that errs if one of its parts errs. If all parts are known, it is folded to a value. */
  private strict(expr: Expr): Expr {
    const parts = children(expr).map((part) => (part.kind === "optional" ? part.value : part));
    if (parts.includes(ERROR)) return ERROR;
    return this.folded(expr, parts);
  }

  private folded(expr: Expr, parts: readonly Expr[]): Expr {
    return parts.every(isKnown) ? this.questions.fold(expr, parts, this.env) : expr;
  }

  private presence(expr: Has, locals: LocalExpressions): Expr {
    const reference = referenceOf(testedBy(expr));
    if (reference?.of === "variable") return this.isDefined(this.variable(reference.name));
    if (reference?.of !== "request") return this.strict(this.rebuilt(expr, locals));
    const { root } = reference;
    if (root.kind === "message") return UNKNOWN;
    if (root.path === ROW_ATTRIBUTES || root.path === ROW_ID) return expr;
    // The list in `runtime` is present even if it is empty.
    return TRUE;
  }

  /**
   * `has()` of a variable: whether the variable does not err. No expression states this for a variable that may err.
   */
  private isDefined(expr: Expr): Expr {
    if (expr === ERROR) return FALSE;
    return isKnown(expr) ? TRUE : UNKNOWN;
  }

  private call(expr: Call, locals: LocalExpressions): Expr {
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
        // A key that was not a literal until now: its container was read as a whole.
        const args = [
          key.kind === "literal" ? within : this.asWhole(within),
          isKnown(within) ? made : this.questions.key(made),
        ];
        return this.strict({ ...expr, args });
      }
      default:
        return this.strict(this.rebuilt(expr, locals));
    }
  }

  private junction(expr: Call, decisive: boolean, locals: LocalExpressions): Expr {
    const parts: Expr[] = [];
    for (const arg of expr.args) {
      const part = this.left(arg, locals);
      if (constantOf(part) === decisive) return literal(decisive);
      parts.push(part);
    }
    return residualJunction(parts, decisive);
  }

  private conditional(expr: Call, locals: LocalExpressions): Expr {
    const [test, yes, no] = expr.args;
    if (test === undefined || yes === undefined || no === undefined) return UNKNOWN;
    return residualConditional(
      this.left(test, locals),
      () => this.left(yes, locals),
      () => this.left(no, locals),
    );
  }

  private macro(expr: Macro, locals: LocalExpressions): Expr {
    const isQuantifier = expr.macro === "all" || expr.macro === "exists";
    const made = this.left(expr.range, locals);
    if (made === ERROR) return ERROR;
    const range = isQuantifier ? this.questions.range(made) : made;
    const passes = passesOver(range);
    if (passes !== undefined && isQuantifier && expr.filter !== undefined) {
      return this.quantified(expr, expr.filter, passes, locals);
    }
    const isNone = range instanceof KnownValue ? !this.questions.isRange(range) : range.kind === "literal";
    if (isNone && passes === undefined) return ERROR;
    const inner = without(locals, boundBy(expr));
    const body = (one: Expr | undefined) => (one === undefined ? undefined : this.left(one, inner));
    return { ...expr, range, filter: body(expr.filter), transform: body(expr.transform) };
  }

  /** `all` or `exists` over known elements: the body is written out for each element, and the results are joined. */
  private quantified(expr: Macro, body: Expr, passes: readonly ResidualPass[], locals: LocalExpressions): Expr {
    const decisive = expr.macro === "exists";
    if (!this.questions.spendOnPasses(passes.length, iterationCost(body))) return UNKNOWN;
    const parts: Expr[] = [];
    for (const { first, index, second } of passes) {
      const inner = new Map(locals);
      inner.set(expr.v1, expr.v2 === undefined ? first : index);
      if (expr.v2 !== undefined) inner.set(expr.v2, second);
      const part = this.left(body, inner);
      if (constantOf(part) === decisive) return literal(decisive);
      parts.push(part);
    }
    return residualJunction(parts, decisive);
  }

  /** Whether an expression reads only known values. `bound`: names bound by macros inside it. */
  private isClosed(expr: Expr, bound: readonly string[]): boolean {
    const reference = referenceOf(expr.kind === "has" ? testedBy(expr) : expr);
    if (reference !== undefined) return this.isClosedReference(reference, bound);
    return everyChild(expr, bound, (part, names) => this.isClosed(part, names));
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
        if (root.path === ROW_ATTRIBUTES) return this.questions.knows(path[0]);
        return root.path === ROW_ID ? this.questions.knowsId : root.path !== ACTIVE_ROLES;
      }
    }
  }

  private isClosedVariable(name: string): boolean {
    const known = this.closed.get(name);
    if (known !== undefined) return known;
    const variable = this.definitions.variables.get(name);
    const made = variable !== undefined && this.isClosed(variable.expr, []);
    this.closed.set(name, made);
    return made;
  }
}

/** They evaluate their argument only if the optional has no value. */
export const ALTERNATIVES: ReadonlySet<string> = new Set(["or", "orValue"]);

const ROW_ATTRIBUTES = "R.attr";
const ROW_ID = "R.id";
const ACTIVE_ROLES = "runtime.effectiveDerivedRoles";

/** `test ? yes : no`. Only branches that may be needed are made. */
export function residualConditional(test: Expr, yes: () => Expr, no: () => Expr): Expr {
  const value = constantOf(test);
  if (value === true) return yes();
  if (value === false) return no();
  if (isKnown(test) || test === ERROR) return ERROR;
  return { kind: "call", fn: "_?_:_", at: test.at, overload: undefined, args: [test, yes(), no()] };
}

/** `&&` or `||` of the residuals of its operands. None of them is known to decide. */
function residualJunction(parts: readonly Expr[], decisive: boolean): Expr {
  const left = parts.filter((part) => constantOf(part) !== !decisive);
  const [only] = left;
  if (only === undefined) return literal(!decisive);
  if (left.every((part) => part === ERROR || isKnown(part))) return ERROR;
  // A single operand that is not a boolean would not err by itself.
  if (left.length === 1)
    return hasBooleanForm(only) || only === UNKNOWN ? only : pair(only, literal(!decisive), decisive);
  return balanced(left, decisive);
}

/** A balanced tree: its depth is logarithmic in the number of operands. */
function balanced(parts: readonly Expr[], decisive: boolean): Expr {
  const [first = UNKNOWN, second] = parts;
  if (second === undefined) return first;
  const half = parts.length >> 1;
  return pair(balanced(parts.slice(0, half), decisive), balanced(parts.slice(half), decisive), decisive);
}

function pair(a: Expr, b: Expr, decisive: boolean): Expr {
  return { kind: "call", fn: decisive ? "_||_" : "_&&_", at: a.at, overload: undefined, args: [a, b] };
}

function without(locals: LocalExpressions, names: readonly string[]): LocalExpressions {
  const left = new Map(locals);
  for (const name of names) left.delete(name);
  return left;
}

/** The values of a macro's variables in one pass. With two variables, the first is an index or a key. */
interface ResidualPass {
  readonly first: Expr;
  readonly index: Expr;
  readonly second: Expr;
}

/** The passes of a macro over a list or a map with known elements; undefined for any other range. */
function passesOver(range: Expr): readonly ResidualPass[] | undefined {
  if (range.kind === "list") {
    // An element that errs makes the list err, regardless of the passes.
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
