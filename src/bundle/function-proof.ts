/**
 * Proves that a generated function finds the conditions that hold: translation validation.
 *
 * The function runs with each operand of its conditions replaced by a given outcome: true, false or an error. For each
 * combination of the outcomes of a condition's operands, its bit must be what the closures say of the condition. The
 * function may decline only where an operand errs. An operand that errs sets the function's flag and still has a value,
 * so each combination runs with both values. The other conditions of the function run beside it, once with all of their
 * operands false and once with all of them true.
 *
 * A condition with more than {@link MAX_OPERANDS} operands has too many combinations. Its code is compared with the
 * condition node by node (`condition-structure.ts`), and runs with the outcomes that differ from all false, or all true,
 * in one operand.
 *
 * The code of a single operand (`R.attr.state == "draft"`) is not the subject of this proof: a solver proves it, where
 * there is one (`proof/operands/operand-proof.ts`). Nor is the code that reads attributes: tests compare it with
 * closures, form by form.
 */

import { children, type Expr } from "../cel/ast.js";
import { type Code, type CompileEnv, compile, Slots } from "../cel/compile.js";
import { failAt } from "../cel/evaluation.js";
import { referenceOf } from "../cel/expression-usage.js";
import { FUNCTIONS } from "../cel/functions/registry.js";
import { Activation } from "../engine/evaluate/activation.js";
import { isIn } from "../engine/evaluate/bit-sets.js";
import { type ConditionCode, compileCondition } from "../engine/evaluate/condition.js";
import type { FunctionRequest } from "../engine/evaluate/equipment.js";
import { principalFrame, resourceFrame } from "../engine/frame/frame.js";
import { js } from "../engine/frame/js.js";
import type { MarkedOperands } from "../engine/generate/draft.js";
import { isConnective } from "../engine/generate/expressions.js";
import { compileText, type GeneratedLayer } from "../engine/generate/generate.js";
import { functionOf, NO_SET } from "../engine/generate/written.js";
import type { Conditional } from "../engine/plan/plan.js";
import { addTo } from "../policy/groups.js";
import { positionText } from "../policy/issue.js";
import type { Definitions, Expression } from "../policy/model.js";
import { expressionsOfCondition } from "../policy/policy-expressions.js";
import type { UnprovedCondition } from "./bundle.js";
import { isSameTree, statementsOf } from "./condition-structure.js";

/** A condition with more operands than this is not enumerated. There are 3 to the power of them combinations. */
export const MAX_OPERANDS = 9;

/** What was proved of one function. */
export interface FunctionProof {
  /** How many combinations of outcomes the function and the closures agree on. */
  readonly combinations: number;
  /** How many of its conditions were compared with their code node by node. */
  readonly compared: number;
  /** Those of its conditions that are not proved. */
  readonly unproved: readonly UnprovedCondition[];
}

/** Thrown where a generated function and the closures disagree: a defect of this library, never of a policy. */
export class RefutedFunction extends Error {}

/** Outcomes of operands, as numbers in the code of a function. */
const FALSE = 0;
const TRUE = 1;
/** An error beside the value false, or true. */
const ERROR = 2;

/**
 * Proves the judge of a layer, which was generated with `operands` marked. Throws {@link RefutedFunction}.
 */
export function proveJudge(
  { conditions }: FunctionRequest,
  { text, left }: GeneratedLayer,
  operands: MarkedOperands,
): FunctionProof {
  const factory = compileText(
    text.unmarked((i) => js`(d[${i}] >= ${ERROR} ? (z = 1, d[${i}] > ${ERROR}) : d[${i}] === ${TRUE})`),
  );
  const judged = conditions.flatMap(({ what }, index) => (left.includes(index) ? [] : [{ what, index }]));
  if (factory === undefined) {
    return { ...NOTHING, unproved: judged.map(({ what }) => unproved(what, "code may not be made from strings here")) };
  }
  const outcomes: number[] = operands.map(() => FALSE);
  const judge = functionOf(() => factory(outcomes));
  const statements = statementsOf(text);
  const proofs = judged.map(({ what, index }) => {
    const marks = marksOf(operands, what.definitions);
    return new ConditionProof(what, index, marks, outcomes, judge).prove(
      () => statements !== undefined && isSameTree(what, index, statements, marks),
    );
  });
  return {
    combinations: proofs.reduce((sum, { combinations }) => sum + combinations, 0),
    compared: proofs.reduce((sum, { compared }) => sum + compared, 0),
    unproved: proofs.flatMap((one) => one.unproved),
  };
}

/**
 * The numbers of the marks of each operand under some definitions. An exported variable is one expression for all that
 * import it, and its constants can have another value for each of them.
 */
export function marksOf(operands: MarkedOperands, definitions: Definitions): ReadonlyMap<Expr, readonly number[]> {
  const marks = new Map<Expr, number[]>();
  for (const [i, operand] of operands.entries()) {
    if (operand.definitions === definitions) addTo(marks, operand.expr, i);
  }
  return marks;
}

const NOTHING: FunctionProof = { combinations: 0, compared: 0, unproved: [] };

function unproved({ at }: Conditional, why: string): UnprovedCondition {
  return { at: positionText(at), why };
}

/** Frames without attributes: operands, which alone read them, are replaced. */
const PRINCIPAL = { ...principalFrame("key", "", [], {}, ""), values: { k: 0 } };
const RESOURCE = resourceFrame("", "", {}, "");
const SLOTS = { k: 0 };

class ConditionProof {
  private readonly what: Conditional;
  private readonly index: number;
  private readonly outcomes: number[];
  private readonly judge: ReturnType<typeof functionOf>;
  private readonly check: ConditionCode;
  /** For each operand of the condition, the numbers of its marks. */
  private readonly operands: readonly (readonly number[])[];

  constructor(
    what: Conditional,
    index: number,
    marks: ReadonlyMap<Expr, readonly number[]>,
    outcomes: number[],
    judge: ReturnType<typeof functionOf>,
  ) {
    this.what = what;
    this.index = index;
    this.outcomes = outcomes;
    this.judge = judge;
    this.check = closureOf(what, (part) => {
      const [mark] = marks.get(part) ?? [];
      return mark === undefined ? undefined : (ev) => outcomeOf(outcomes[mark], ev);
    });
    this.operands = operandsOf(what, marks).map((one) => one.marks);
  }

  /** `isSameTree`: whether the code is the condition's own tree. */
  prove(isSameTree: () => boolean): FunctionProof {
    const { length } = this.operands;
    if (length > MAX_OPERANDS) {
      this.vary();
      if (isSameTree()) return { ...NOTHING, compared: 1 };
      return { ...NOTHING, unproved: [unproved(this.what, `it has ${length} operands, and code of another form`)] };
    }
    const combinations = 3 ** length;
    for (const others of [FALSE, TRUE]) {
      this.outcomes.fill(others);
      for (let number = 0; number < combinations; number++) this.compare(number);
    }
    this.outcomes.fill(FALSE);
    return { ...NOTHING, combinations };
  }

  /** Compares where one operand has another outcome than all others. */
  private vary(): void {
    for (const others of [FALSE, TRUE]) {
      this.outcomes.fill(others);
      for (const marks of this.operands) {
        for (const outcome of [FALSE, TRUE, ERROR, ERROR + 1]) {
          for (const mark of marks) this.outcomes[mark] = outcome;
          this.expect(this.check(ACTIVATION), outcome >= ERROR);
        }
        for (const mark of marks) this.outcomes[mark] = others;
      }
    }
    this.outcomes.fill(FALSE);
  }

  /** `number`: the combination, with a digit to the base of three for each operand. */
  private compare(number: number): void {
    const isErring = this.set(number, ERROR);
    const expected = this.check(ACTIVATION);
    this.expect(expected, isErring);
    if (!isErring) return;
    this.set(number, ERROR + 1);
    this.expect(expected, true);
  }

  private set(number: number, error: number): boolean {
    let rest = number;
    let isErring = false;
    for (const marks of this.operands) {
      const digit = rest % 3;
      rest = (rest - digit) / 3;
      for (const mark of marks) this.outcomes[mark] = digit === ERROR ? error : digit;
      isErring ||= digit === ERROR;
    }
    return isErring;
  }

  private expect(expected: boolean | undefined, mayDecline: boolean): void {
    const found = this.found();
    if (found === undefined ? mayDecline : isIn(found, this.index) === expected) return;
    throw new RefutedFunction(`a generated function judges its condition ${this.index} otherwise than the closures`);
  }

  /** The words of the set that the judge finds. */
  private found(): readonly number[] | undefined {
    const found = this.judge(PRINCIPAL, RESOURCE, SLOTS, undefined);
    if (typeof found === "number") return found === NO_SET ? undefined : [found];
    return Array.isArray(found) ? found.map(Number) : undefined;
  }
}

const ACTIVATION = new Activation();

function outcomeOf(outcome: number | undefined, ev: Parameters<Code>[0]): boolean | undefined {
  return outcome === undefined || outcome >= ERROR ? failAt(ev, "an operand errs", 0) : outcome === TRUE;
}

/** The closure of a condition, with other code for its operands. */
function closureOf(
  { condition, definitions }: Conditional,
  replace: NonNullable<CompileEnv["replace"]>,
): ConditionCode {
  return condition === undefined
    ? () => true
    : compileCondition(condition, closureEnv(definitions, replace), "strict", undefined);
}

/** The environment in which closures are compiled, with other code for some expressions. */
export function closureEnv(
  { constants, variables: all }: Definitions,
  replace: NonNullable<CompileEnv["replace"]> = () => undefined,
): CompileEnv {
  const variables = new Map<string, Code>();
  const env: CompileEnv = { functions: FUNCTIONS, variables, constants, slots: new Slots(), replace };
  for (const [name, { expr }] of all) variables.set(name, compile(expr, env));
  return env;
}

/** An operand of a condition: the expression of a policy that it stands in, and the numbers of its marks. */
export interface ConditionOperand {
  readonly expr: Expr;
  readonly of: Expression;
  readonly marks: readonly number[];
}

/** The operands of a condition, each once. */
export function operandsOf(
  { condition, definitions }: Conditional,
  marks: ReadonlyMap<Expr, readonly number[]>,
): readonly ConditionOperand[] {
  const pending = expressionsOfCondition(condition).map((of) => ({ expr: of.expr, of }));
  const seen = new Set<Expr>();
  const found: ConditionOperand[] = [];
  for (let one = pending.pop(); one !== undefined; one = pending.pop()) {
    const { expr, of } = one;
    if (seen.has(expr)) continue;
    seen.add(expr);
    const own = marks.get(expr);
    if (own !== undefined) found.push({ expr, of, marks: own });
    else if (isConnective(expr)) pending.push(...partsOf(expr, of, definitions));
  }
  return found;
}

function partsOf(
  expr: Expr,
  of: Expression,
  { variables }: Conditional["definitions"],
): readonly Pick<ConditionOperand, "expr" | "of">[] {
  const reference = referenceOf(expr);
  if (reference?.of !== "variable") return children(expr).map((part) => ({ expr: part, of }));
  const definition = variables.get(reference.name);
  return definition === undefined ? [] : [{ expr: definition.expr, of: definition }];
}
