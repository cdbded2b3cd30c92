/**
 * Checks of a request with unknown attributes: its record may lack some.
 *
 * A check asks `choose` about each unknown that decides: was this attribute there? Does this expression hold, which reads
 * the value of one? Does it err? `allAnswers` of `completions.ts` tries all combinations of answers. Every complete request
 * gives one of them, and some combinations may have no request. So an effect of all combinations is the effect of the
 * complete request.
 *
 * Equal questions have one answer, also for two policy sets: an expression of both sets holds in both or in neither.
 */

import { children, type Expr } from "../../cel/ast.js";
import { usageOf } from "../../cel/expression-usage.js";
import { isOptionalAccess } from "../../cel/operators.js";
import { ATTRIBUTES } from "../../cel/roots.js";
import type { JsonMap } from "../../cel/values.js";
import type { Condition, Definitions, Expression } from "../../policy/model.js";
import { reachable } from "../../policy/policy-expressions.js";
import { UNREADABLE } from "../frame/copies.js";
import type { Conditional, Plan, PlanRow, PlanStep } from "../plan/plan.js";
import type { AttributeOwner } from "../plan/subjects.js";
import { type Examiner, walk } from "../plan/walk.js";
import type { Activation } from "./activation.js";
import { Closures } from "./closures.js";
import { type AttributeName, attributesReadBy, type NamesRead, OWNERS } from "./names-read.js";

/** Answers a question about a gap of the record. */
export type Choose = (question: string) => boolean;

/** The gaps of a record, and its other evidence. */
export interface RecordGaps {
  /** True if the record lacks an attribute. A name of undefined stands for all attributes of the owner. */
  lacks(owner: AttributeOwner, name: string | undefined): boolean;
  /** True if the request had an attribute that the record lacks: its value alone is unknown. Default: never. */
  isThere?(owner: AttributeOwner, name: string): boolean;
  /** The sources of expressions that are recorded to have erred. */
  readonly erred: ReadonlySet<string>;
}

/** True if a record lacks an attribute that is read. */
export function lacksReads(reads: NamesRead, { lacks }: Pick<RecordGaps, "lacks">): boolean {
  return OWNERS.some((owner) => reads[owner]?.some((name) => lacks(owner, name)) ?? lacks(owner, undefined));
}

interface UnknownRead extends AttributeName {
  /** False: it is read by `has()` alone. */
  readonly isValueRead: boolean;
}

/** The reads of an expression and its variables. */
interface ExpressionReads {
  readonly attributes: readonly UnknownRead[];
  /** True if an error in a part may leave a value: it reads a variable by `has()`, or anything optionally. */
  readonly mayHideErrors: boolean;
  /** The expression with its variables and constants, as a text. Undefined: it depends on more than these. */
  readonly text: string | undefined;
  /** True if it reads no variable, no constant, no global and no active derived role. */
  readonly isAlone: boolean;
}

/** The number of the set that was made last: questions about one set alone name it. */
let last = 0;

export interface OpenCheckOptions {
  /** True if attributes that the schemas refuse are denied. */
  readonly isEnforcing: boolean;
  /** True if each row is examined, as in decisions. False: as far as the server does. */
  readonly isWhole: boolean;
  /** Expressions with equal texts have equal values only in sets with the same typing. */
  readonly typing: string;
}

/** Checks requests with unknown attributes against one policy set: as the server does, or as a layer of `decide`. */
export class OpenChecks {
  readonly closures: Closures;
  /** True if evaluations are strict: a condition that errs then denies. Otherwise it does not hold. */
  readonly isStrict: boolean;
  readonly options: OpenCheckOptions;
  /** Tells this set from others. */
  readonly number = ++last;
  private readonly reads = new Map<Definitions, Map<Expression, ExpressionReads>>();
  private readonly leaves = new Map<Definitions, Map<Expression, Conditional>>();

  constructor({ functions, mode }: Closures, options: OpenCheckOptions) {
    this.options = options;
    this.isStrict = mode !== "lenient";
    // Only a strict evaluation tells an expression that errs from one that is false.
    this.closures = new Closures(functions, this.isStrict ? mode : "strict");
  }

  /** The effect of one plan, for one combination of answers. `begin`: begins an evaluation of the record. */
  effect(plan: Plan, begin: () => Activation, gaps: RecordGaps, choose: Choose): "allow" | "deny" {
    // The schemas are for attributes of all names, so the record does not tell whether they accept the request.
    const { isEnforcing, isWhole } = this.options;
    if (isEnforcing && !choose(JSON.stringify(["schemas accept", this.number]))) return "deny";
    return walk(plan, new OpenExaminer(this, begin, gaps, choose), isWhole).effect;
  }

  /** The expression as a condition of its own. */
  leafOf(expression: Expression, { definitions, at }: Conditional): Conditional {
    const known = this.leaves.get(definitions) ?? new Map<Expression, Conditional>();
    this.leaves.set(definitions, known);
    const made = known.get(expression) ?? { condition: { kind: "expr", expr: expression }, definitions, at };
    known.set(expression, made);
    return made;
  }

  readsOf(expression: Expression, definitions: Definitions): ExpressionReads {
    const known = this.reads.get(definitions) ?? new Map<Expression, ExpressionReads>();
    this.reads.set(definitions, known);
    const made = known.get(expression) ?? readsIn(expression, definitions);
    known.set(expression, made);
    return made;
  }
}

function readsIn(expression: Expression, definitions: Definitions): ExpressionReads {
  const attributes = new Map<string, UnknownRead>();
  let [mayHideErrors, isWholeText] = [false, true];
  const texts: unknown[] = [];
  const all = reachable({ expressions: [expression], definitions });
  for (const one of all) {
    const { reads, constants } = usageOf(one.expr);
    texts.push(
      one.source,
      [...constants].map((name) => [name, definitions.constants.get(name) ?? null]),
    );
    if (hidesErrors(one.expr)) mayHideErrors = true;
    for (const { root, path, has } of reads) {
      const isOfRoles = root.startsWith("runtime");
      if (root === "G" || isOfRoles) isWholeText = false;
      // The conditions of derived roles may read any attribute.
      if (isOfRoles) attributes.set(root, { owner: "resource", name: undefined, isValueRead: true });
      for (const { owner, name } of attributesReadBy(root, path[0])) {
        const key = JSON.stringify([owner, name]);
        const isPresenceRead = has && path.length === 1;
        const isValueRead = !isPresenceRead || attributes.get(key)?.isValueRead === true;
        attributes.set(key, { owner, name, isValueRead });
      }
    }
  }
  return {
    attributes: [...attributes.values()],
    mayHideErrors,
    text: isWholeText ? JSON.stringify(texts) : undefined,
    isAlone: isWholeText && all.length === 1 && usageOf(expression.expr).constants.size === 0,
  };
}

/** True if an expression reads a variable by `has()`, or anything optionally. */
function hidesErrors(expr: Expr): boolean {
  if (expr.kind === "has" && expr.operand.kind === "ident" && expr.operand.of === "variable") return true;
  if (expr.kind === "call" && isOptionalAccess(expr.fn)) return true;
  return children(expr).some(hidesErrors);
}

class OpenExaminer implements Examiner {
  private readonly checks: OpenChecks;
  private readonly begin: () => Activation;
  private readonly gaps: RecordGaps;
  private readonly choose: Choose;
  private readonly found = new Map<Conditional, boolean | undefined>();
  private readonly activations = new Map<string, Activation>();
  private names = 0;

  constructor(checks: OpenChecks, begin: () => Activation, gaps: RecordGaps, choose: Choose) {
    this.checks = checks;
    this.begin = begin;
    this.gaps = gaps;
    this.choose = choose;
  }

  examine({ rule, guard }: PlanRow, step: PlanStep): boolean | undefined {
    const isActive = guard === undefined || this.holds(guard, step);
    return isActive === true ? this.holds(rule, step) : isActive;
  }

  private holds(what: Conditional, step: PlanStep): boolean | undefined {
    if (this.found.has(what)) return this.found.get(what);
    const value = what.condition === undefined || this.value(what.condition, what, step);
    const made = this.checks.isStrict ? value : (value ?? false);
    this.found.set(what, made);
    return made;
  }

  /** Undefined: the condition errs. Without strict evaluation, only an expression that always errs has this effect. */
  private value(condition: Condition, what: Conditional, step: PlanStep): boolean | undefined {
    if (condition.kind === "expr") return this.leaf(condition.expr, what, step);
    for (const member of condition.of) {
      const value = this.value(member, what, step);
      if (value === undefined) return undefined;
      if (value === (condition.kind !== "all")) return condition.kind === "any";
    }
    return condition.kind !== "any";
  }

  private leaf(expression: Expression, what: Conditional, step: PlanStep): boolean | undefined {
    const { attributes, mayHideErrors, text, isAlone } = this.checks.readsOf(expression, what.definitions);
    if (isAlone && this.gaps.erred.has(expression.source)) return this.erring(expression);
    const missing = attributes.filter(({ owner, name }) => this.gaps.lacks(owner, name));
    const whole = missing.find(({ name }) => name === undefined);
    if (whole !== undefined || (missing.length > 0 && mayHideErrors)) return this.ask(text, expression, []);
    const present = missing.filter((read) => this.isPresent(read));
    const found = this.evaluated(expression, what, step, present);
    if (found !== undefined) return found;
    if (present.some(({ isValueRead }) => isValueRead)) return this.ask(text, expression, present);
    return this.erring(expression);
  }

  private isPresent({ owner, name = "" }: UnknownRead): boolean {
    return this.gaps.isThere?.(owner, name) === true || this.choose(JSON.stringify([owner, name]));
  }

  private evaluated(
    expression: Expression,
    what: Conditional,
    step: PlanStep,
    present: readonly UnknownRead[],
  ): boolean | undefined {
    const key = JSON.stringify(present);
    const known = this.activations.get(key);
    const activation = known ?? this.begin();
    if (known === undefined) {
      for (const { owner, name } of present) mark(activation, owner, name ?? "");
      this.activations.set(key, activation);
    }
    activation.replenish();
    return this.checks.closures.checkAt(this.checks.leafOf(expression, what), step)(activation);
  }

  /** The value of an expression that errs. The server passes over a rule with a condition that always errs. */
  private erring({ expr }: Expression): false | undefined {
    return this.checks.isStrict || expr.doom !== undefined ? undefined : false;
  }

  /** The value of an expression that the record does not tell. */
  private ask(text: string | undefined, expression: Expression, present: readonly unknown[]): boolean | undefined {
    // An expression that depends on more than its text is asked about for this set and this check alone.
    const { number, options } = this.checks;
    const about = text === undefined ? `${number} ${this.names++} ${expression.source}` : `${options.typing}${text}`;
    if (this.checks.isStrict && this.choose(JSON.stringify(["errs", about, present]))) return undefined;
    return this.choose(JSON.stringify(["holds", about, present]));
  }
}

/** Gives an attribute a value that no expression can read. */
function mark({ attributes }: Activation, owner: AttributeOwner, name: string): void {
  const index = ATTRIBUTES[owner];
  const map: object = Object.assign(Object.create(null), attributes[index], { [name]: UNREADABLE });
  if (isMap(map)) attributes[index] = map;
}

/** A map of attributes may hold unreadable values: reading one is an error. */
function isMap(value: object): value is JsonMap {
  return !Array.isArray(value);
}
