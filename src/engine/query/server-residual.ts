/**
 * The residual of an expression as the server leaves it, where the principal and some attributes of the resource are
 * known (docs/cerbos-semantics.md §2.14).
 *
 * `../residual/reducer.ts` leaves an expression with the same meaning. The server leaves the parts that cel-go has not
 * evaluated. An expression that errs stays as it is beside an unknown one. Branches of an unknown condition, and keys
 * below an unknown value, are not examined. Query plans show all of this, so it is done here in the same way.
 */

import { type Bind, type Call, children, type Expr, type Ident, type Macro, testedBy } from "../../cel/ast.js";
import { type CompileEnv, compile } from "../../cel/compile.js";
import { ERRED } from "../../cel/evaluation.js";
import { chainOf, requestValueAt, requestValueOf } from "../../cel/expression-usage.js";
import { cerbosListFunctions } from "../../cel/functions/cerbos-lists.js";
import { OPERATORS } from "../../cel/operators.js";
import type { CelValue } from "../../cel/values.js";
import type { Definitions } from "../../policy/model.js";
import type { KnownRequest } from "../residual/known-request.js";
import { mapParts } from "../residual/map-parts.js";
import { ALTERNATIVES } from "../residual/reducer.js";
import { constantOf, FALSE, hasFreeLocals, literal, UNKNOWN } from "../residual/residual-expression.js";
import { isFoldedBody } from "./constant-folding.js";
import { bindPass, type MacroPass, NO_LOCALS, passesOver, replaceNames, type ServerLocals } from "./macro-passes.js";
import { asOptional, hasOptional, isLeft, isNone, OPTIONAL, withKnownElements } from "./optionals.js";
import { expandAsServer } from "./server-expansion.js";
import { ACTIVE_ROLES, ROW_ATTRIBUTES, RUNTIME, ServerNames } from "./server-names.js";
import { isEmpty, isTruth, leftValue, pruneAsServer, type ServerPart, valued, withParts } from "./server-part.js";

/** Their second argument is evaluated even if the first one errs. */
const LIST_FUNCTIONS: ReadonlySet<string> = new Set(cerbosListFunctions.map(({ name }) => name));

function isListFunction(expr: Expr): boolean {
  return (expr.kind === "call" || expr.kind === "member") && LIST_FUNCTIONS.has(expr.fn);
}

export class ServerResiduals {
  /** The reason why the server would not answer, or the expression that takes more than the step budget. */
  fault: string | undefined = undefined;
  private readonly known: KnownRequest;
  private readonly definitions: Definitions;
  private readonly env: CompileEnv;
  /** The known part of `runtime.effectiveDerivedRoles`. */
  private readonly activeRoles: () => Expr;
  private readonly names: ServerNames;
  /**
   * The expression being evaluated was made for this question. Only the code of policies' own expressions is cached.
   */
  private isMade = false;

  constructor(known: KnownRequest, definitions: Definitions, activeRoles: () => Expr) {
    this.known = known;
    this.definitions = definitions;
    this.activeRoles = activeRoles;
    this.env = known.code.env(definitions);
    this.names = new ServerNames(known);
  }

  /** The residual of a condition's expression, with variables inlined. Undefined: it errs for every resource. */
  of(expr: Expr): Expr | undefined {
    const { state, left } = this.part(expr, NO_LOCALS);
    if (state === "error") return undefined;
    if (state === "value") return typeof constantOf(left) === "boolean" ? left : FALSE;
    if (hasOptional(left)) return OPTIONAL;
    return this.made(() => {
      const bodied = this.withBodies(left);
      const written = expandAsServer(bodied, (body, locals) => this.element(body, locals));
      if (written === undefined) return bodied;
      // A key below an unknown value stays a name, here the name of an element that no longer exists.
      if (hasFreeLocals(written)) return this.failed("an element of a list that is known is a key of what is not");
      return this.element(written, NO_LOCALS);
    });
  }

  /** The residual of a macro's body for a known element. */
  private element(body: Expr, locals: ServerLocals): Expr {
    const { state, left } = this.part(body, locals);
    return state === "error" ? this.failed("an element of a list that is known errs") : left;
  }

  private made<T>(evaluate: () => T): T {
    const before = this.isMade;
    this.isMade = true;
    const found = evaluate();
    this.isMade = before;
    return found;
  }

  private failed(fault: string): Expr {
    this.fault ??= fault;
    return FALSE;
  }

  private part(expr: Expr, locals: ServerLocals): ServerPart {
    if (expr.kind === "literal") return valued(expr.value, expr);
    if (expr.kind === "ident") return this.name(expr, locals);
    const given = this.names.given(expr);
    if (given !== undefined) return this.made(() => this.part(given, locals));
    if (this.names.isSettled(expr)) {
      const value = this.valueOf(expr);
      const isNamed = value !== undefined && this.names.isTokens(expr) && !isEmpty(value);
      if (value !== undefined && isNamed) return valued(value, expr);
      if (value !== undefined && isLeft(value)) return valued(value, literal(value, expr.at));
    }
    switch (expr.kind) {
      case "select":
        return this.chain(expr) ?? this.strict(expr, [this.part(expr.operand, locals)]);
      case "call":
        return this.chain(expr) ?? this.call(expr, locals);
      case "macro":
        return this.macro(expr, locals);
      case "bind":
        return this.bound(expr, locals);
      default:
        return this.strict(expr, this.parts(expr, locals));
    }
  }

  /** The parts of an expression, evaluated in order. Most kinds of expressions stop at the first part that errs. */
  private parts(expr: Expr, locals: ServerLocals): readonly ServerPart[] {
    const fn = expr.kind === "call" || expr.kind === "member" ? expr.fn : "";
    let isDone = false;
    return children(expr).map((child) => {
      const own = child.kind === "optional" ? child.value : child;
      if (isDone) return valued(null, this.unread(own));
      const made = this.part(own, locals);
      const part = child.kind === "optional" ? asOptional(made) : made;
      isDone = ALTERNATIVES.has(fn) ? !isNone(part) : part.state === "error" && !isListFunction(expr);
      return part;
    });
  }

  private valueOf(expr: Expr): CelValue | undefined {
    const code = this.isMade ? compile(expr, this.env) : this.known.code.of(expr, this.definitions);
    const found = this.known.evaluate(code);
    if (found === UNKNOWN) this.failed("finding out what is known takes too long");
    return constantOf(found);
  }

  private name(expr: Ident, locals: ServerLocals): ServerPart {
    const value = expr.of === "local" ? locals.get(expr.name) : undefined;
    // The server has no value for these roots here. It only has values for fields of them, looked up in one step.
    const isNowhere = expr.of === "variable" || (expr.of === "request" && expr.name === RUNTIME);
    if (value === ERRED || isNowhere) return { state: "error", left: expr };
    return value === undefined ? { state: "unknown", left: expr } : valued(value, literal(value, expr.at));
  }

  /** A chain of names from a root, if it is looked up in one step; otherwise undefined. */
  private chain(expr: Expr): ServerPart | undefined {
    const chain = chainOf(expr);
    // A global that exists was found before. If a field of it does not exist, the value of the global stays.
    if (chain?.of === "global" && chain.fields.length === 1) return { state: "error", left: expr };
    const { root, path = [] } = requestValueAt(chain) ?? {};
    if (root === undefined) return undefined;
    if (root.path === ACTIVE_ROLES && path.length === 0) {
      return this.made(() => this.part(this.activeRoles(), NO_LOCALS));
    }
    if (root.path === ROW_ATTRIBUTES && this.known.knows(path[0])) return { state: "error", left: expr };
    return this.names.isOfRow(root.path) ? { state: "unknown", left: expr } : undefined;
  }

  /**
   * A node that has a value if all of its parts have. An error takes precedence over an unknown part, except in functions
   * of two lists, where the first one that has no value decides.
   */
  private strict(expr: Expr, parts: readonly ServerPart[]): ServerPart {
    const left = withKnownElements(
      withParts(
        expr,
        parts.map((part) => part.left),
      ),
    );
    const open = parts.flatMap(({ state }) => (state === "value" ? [] : [state]));
    const [first] = open;
    if (first === undefined) return this.folded(expr, parts, left);
    return { state: !isListFunction(expr) && open.includes("error") ? "error" : first, left };
  }

  private folded(expr: Expr, parts: readonly ServerPart[], left: Expr): ServerPart {
    const values = parts.map((part) => literal(part.state === "value" ? part.value : null));
    const found = this.known.evaluate(compile(withParts(expr, values), this.env));
    if (found === UNKNOWN) this.failed("finding out what is known takes too long");
    const value = constantOf(found);
    if (value === undefined) return { state: "error", left };
    return valued(value, isLeft(value) ? literal(value, expr.at) : left);
  }

  private call(expr: Call, locals: ServerLocals): ServerPart {
    const operator = OPERATORS.get(expr.fn);
    const [first, second, third] = expr.args;
    if (first === undefined) return this.strict(expr, []);
    if (operator?.kind === "junction" && second !== undefined) {
      return this.junction(expr, operator.decisive, this.part(first, locals), () => this.part(second, locals));
    }
    if (operator?.kind === "conditional" && second !== undefined && third !== undefined) {
      return this.conditional(expr, [first, second, third], locals);
    }
    if (operator?.kind === "index" && second !== undefined) return this.index(expr, first, second, locals);
    const made = this.strict(expr, this.parts(expr, locals));
    return made.state === "value" ? made : { state: made.state, left: pruneAsServer(made.left) };
  }

  private junction(expr: Call, decisive: boolean, a: ServerPart, second: () => ServerPart): ServerPart {
    if (isTruth(a, decisive)) return valued(decisive, literal(decisive));
    const b = second();
    if (isTruth(b, decisive)) return valued(decisive, literal(decisive));
    if (isTruth(a, !decisive) && isTruth(b, !decisive)) return valued(!decisive, literal(!decisive));
    const isUnknown = a.state === "unknown" || b.state === "unknown";
    const [x, y] = [leftValue(a), leftValue(b)];
    const left =
      x === decisive || y === decisive
        ? literal(decisive)
        : x !== undefined
          ? b.left
          : y !== undefined
            ? a.left
            : { ...expr, args: [a.left, b.left] };
    return { state: isUnknown ? "unknown" : "error", left };
  }

  private conditional(expr: Call, [test, yes, no]: readonly [Expr, Expr, Expr], locals: ServerLocals): ServerPart {
    const found = this.part(test, locals);
    if (isTruth(found, true)) return this.part(yes, locals);
    if (isTruth(found, false)) return this.part(no, locals);
    const [a, b] = [this.unread(yes), this.unread(no)];
    const value = leftValue(found);
    const left = value === undefined ? { ...expr, args: [found.left, a, b] } : value === true ? a : b;
    return { state: found.state === "unknown" ? "unknown" : "error", left };
  }

  private index(expr: Call, operand: Expr, key: Expr, locals: ServerLocals): ServerPart {
    const within = this.part(operand, locals);
    const leftWith = (left: Expr): Expr => ({ ...expr, args: [within.left, left] });
    if (within.state !== "value") return { state: within.state, left: leftWith(this.unread(key)) };
    const at = this.part(key, locals);
    if (at.state !== "value") return { state: at.state, left: leftWith(at.left) };
    return this.folded(expr, [within, at], leftWith(this.unread(key)));
  }

  /** An expression that the server does not evaluate: names stay names. */
  private unread(expr: Expr): Expr {
    const read = requestValueOf(expr.kind === "has" ? testedBy(expr) : expr);
    if (read?.root.path === ACTIVE_ROLES) return this.activeRoles();
    return mapParts(expr, (part) => this.unread(part));
  }

  private bound(expr: Bind, locals: ServerLocals): ServerPart {
    const init = this.part(expr.init, locals);
    // An error counts only where the variable is read.
    const value = init.state === "value" ? init.value : init.state === "error" ? ERRED : undefined;
    const body = this.part(expr.body, new Map(locals).set(expr.name, value));
    return body.state === "value" ? body : { state: body.state, left: expr };
  }

  private macro(expr: Macro, locals: ServerLocals): ServerPart {
    const range = this.part(expr.range, locals);
    const bodies = {
      ...(expr.filter === undefined ? {} : { filter: this.unread(expr.filter) }),
      ...(expr.transform === undefined ? {} : { transform: this.unread(expr.transform) }),
    };
    const left: Expr = { ...expr, ...bodies, range: range.left };
    if (range.state !== "value") return { state: range.state, left };
    const passes = passesOver(range.value);
    if (passes === undefined) return { state: "error", left };
    if (!this.known.spendOnPasses(passes.length, 4)) {
      this.failed("finding out what is known takes too long");
      return { state: "error", left };
    }
    const [body] = expr.filter === undefined ? [expr.transform] : [expr.filter];
    const found = body === undefined ? [] : passes.map((pass) => this.part(body, bindPass(expr, pass, locals)));
    const decisive = expr.macro === "exists" ? true : expr.macro === "all" ? false : undefined;
    if (decisive !== undefined) {
      if (found.some((part) => isTruth(part, decisive))) return valued(decisive, literal(decisive));
      if (found.every((part) => isTruth(part, !decisive))) return valued(!decisive, literal(!decisive));
      return { state: found.some(({ state }) => state === "unknown") ? "unknown" : "error", left };
    }
    return this.collected(expr, range, passes, found, left, locals);
  }

  /** The macros that compute a result for every element. */
  private collected(
    expr: Macro,
    range: ServerPart,
    passes: readonly MacroPass[],
    found: readonly ServerPart[],
    left: Expr,
    locals: ServerLocals,
  ): ServerPart {
    const open = found.filter((part) => part.state !== "value");
    // A filter that is unknown or errs hides earlier results.
    const last = expr.filter === undefined ? (open.find(({ state }) => state === "error") ?? open[0]) : open.at(-1);
    if (last !== undefined) return { state: last.state, left };
    if (expr.filter !== undefined && expr.transform !== undefined) {
      const { transform } = expr;
      const kept = passes.filter((_, i) => isTruth(found[i], true));
      const made = kept.map((pass) => this.part(transform, bindPass(expr, pass, locals)));
      if (made.some(({ state }) => state === "error")) return { state: "error", left };
      if (made.some(({ state }) => state === "unknown")) return { state: "unknown", left };
    }
    // Nothing in it is unknown any more. After the names bound around it are replaced, it can be evaluated as it
    // stands.
    return this.folded({ ...expr, ...this.closedOver(expr, locals) }, [range], left);
  }

  private closedOver({ filter, transform, v1, v2 = v1 }: Macro, locals: ServerLocals): Partial<Macro> {
    const closed = (body: Expr) => {
      return this.names.withGiven(replaceNames(body, (name) => this.name(name, locals).left, [v1, v2]));
    };
    return { filter: filter && closed(filter), transform: transform && closed(transform) };
  }

  /** The residuals of macro bodies. Each body is evaluated by itself if its variables are not known. */
  private withBodies(expr: Expr): Expr {
    if (expr.kind !== "macro") return mapParts(expr, (part) => this.withBodies(part));
    const range = this.withBodies(expr.range);
    const reduced = (body: Expr): Expr => {
      if (isFoldedBody(body)) return this.failed("the body of a macro is a constant");
      const { state, left } = this.part(body, NO_LOCALS);
      if (state === "error") return this.failed("the body of a macro errs, whatever its variable is");
      return this.withBodies(left);
    };
    if (expr.filter !== undefined) return { ...expr, range, filter: reduced(expr.filter) };
    const isKeyed = expr.macro === "transformMap";
    return { ...expr, range, transform: expr.transform && (isKeyed ? expr.transform : reduced(expr.transform)) };
  }
}
