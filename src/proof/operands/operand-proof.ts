/**
 * Proves the code of single operands: translation validation with a solver.
 *
 * An operand (`R.attr.state == "draft"`) is a piece of the code of a judge. It is executed symbolically
 * (`symbolic-code.ts`), and the solver looks for a request for which the flag stays unset, and the value of the code
 * is not the value of the expression (`engine/formula/`), or the expression errs. Without such a request, the code is
 * proved for all requests. With the proof of the combinations of operands (`bundle/function-proof.ts`) this is a proof of the
 * condition.
 *
 * A request is any JSON, and an attribute may also be absent, or be a value that is not JSON (NaN, a `Date`, a
 * function). Three things are taken for granted, and tested:
 * - the readers: a slot has the value at its path, and a frame with values of other types than declared is declined;
 * - the helpers: each has the specification in `helper-formulas.ts`; an index is that of its list;
 * - the formulas: closures evaluate an expression to the value that `engine/formula/` says.
 *
 * A request that the solver finds refutes the code only if it is replayed: if the code and the closures, both run on
 * it, differ.
 */

import type { UnprovedCondition } from "../../bundle/bundle.js";
import { type ConditionOperand, marksOf, operandsOf, RefutedFunction } from "../../bundle/function-proof.js";
import type { WrittenJudge } from "../../bundle/written-functions.js";
import { children, type Expr } from "../../cel/ast.js";
import { nameOf, requestValueOf } from "../../cel/expression-usage.js";
import { isStringList, KIND, type TypeDeclaration } from "../../cel/type-declaration.js";
import type { AttributePlace, FormulaReading } from "../../engine/formula/attribute-formulas.js";
import type { Formula } from "../../engine/formula/formula.js";
import type { RoleClass } from "../../engine/formula/plan-formulas.js";
import type { RawValue } from "../../engine/formula/raw-value.js";
import type { FormulaWorld } from "../../engine/formula/world.js";
import type { MarkedPiece } from "../../engine/frame/js.js";
import type { LayoutSlot } from "../../engine/frame/layout.js";
import type { Conditional } from "../../engine/plan/plan.js";
import type { AttributeOwner } from "../../engine/plan/subjects.js";
import { positionText } from "../../policy/issue.js";
import type { Definitions } from "../../policy/model.js";
import type { Solver } from "../../solver/solver.js";
import { QuestionProver } from "../question-prover.js";
import { type FrameRead, type JudgeSyntax, judgeSyntax } from "./judge-syntax.js";
import { replayOf } from "./operand-replay.js";
import { type CodeNames, SymbolicCode } from "./symbolic-code.js";
import { type PlainValue, textValue } from "./symbolic-values.js";
import { ValueFormulas } from "./value-formulas.js";

/** The operands of all judges of a bundle, each once. */
export interface OperandProofs {
  /** The version of the package `z3-solver`. */
  readonly solver: string;
  /** How many operands are proved, in each function that has them. */
  readonly proved: number;
  readonly unproved: readonly UnprovedCondition[];
}

/** Throws {@link RefutedFunction} where a request shows that the code of an operand decides otherwise than closures. */
export async function proveOperands(judges: readonly WrittenJudge[], solver: Solver): Promise<OperandProofs> {
  // By place: an operand of an export stands in the policies that import it.
  const found = new Map<string, UnprovedCondition | undefined>();
  const parsed = judges.map((judge) => ({ judge, syntax: judgeSyntax(judge.made.text.unmarked().text) }));
  const ambiguous = ambiguousPlaces(parsed);
  for (const { judge, syntax } of parsed) {
    for (const principal of judge.principals) {
      const operands = new JudgeOperands(judge, principal, syntax && withoutIndexes(syntax, ambiguous));
      for (const { operand, why } of await operands.prove(solver)) {
        const at = positionText(operand.of.position(operand.expr.at));
        const known = found.get(at);
        found.set(at, why === undefined ? known : (known ?? { at, why }));
      }
    }
  }
  const unproved = [...found.values()]
    .filter((one) => one !== undefined)
    .sort((a, b) => BY_NUMBERS.compare(a.at, b.at));
  return { solver: solver.version, proved: found.size - unproved.length, unproved };
}

const BY_NUMBERS = new Intl.Collator("en", { numeric: true });

interface ParsedJudge {
  readonly judge: WrittenJudge;
  readonly syntax: JudgeSyntax | undefined;
}

/** The places in which a kept frame would have two indexes: of two lists, or for other texts. */
function ambiguousPlaces(parsed: readonly ParsedJudge[]): ReadonlySet<number> {
  const known = new Map<number, string>();
  const ambiguous = new Set<number>();
  for (const { judge, syntax } of parsed) {
    for (const { place, list, known: texts, built } of syntax?.indexes.values() ?? []) {
      const read = syntax?.reads.get(list);
      const path = read !== undefined && "slot" in read ? judge.made[read.owner][read.slot]?.path : undefined;
      const index = JSON.stringify([path, texts, built]);
      if (path === undefined || (known.get(place) ?? index) !== index) ambiguous.add(place);
      known.set(place, index);
    }
  }
  return ambiguous;
}

function withoutIndexes(syntax: JudgeSyntax, places: ReadonlySet<number>): JudgeSyntax {
  return { ...syntax, indexes: new Map([...syntax.indexes].filter(([, { place }]) => !places.has(place))) };
}

/** An operand of a judge. `why` it is not proved; undefined: it is. */
interface ProvedOperand {
  readonly operand: ConditionOperand;
  readonly why: string | undefined;
}

class JudgeOperands {
  private readonly judge: WrittenJudge;
  private readonly principal: "key" | "account";
  private readonly syntax: JudgeSyntax | undefined;
  private readonly pieces: ReadonlyMap<number, MarkedPiece>;

  constructor(judge: WrittenJudge, principal: "key" | "account", syntax: JudgeSyntax | undefined) {
    this.judge = judge;
    this.principal = principal;
    this.syntax = syntax;
    this.pieces = new Map(judge.made.text.pieces.map((piece) => [piece.number, piece]));
  }

  async prove(solver: Solver): Promise<readonly ProvedOperand[]> {
    const { wanted, made, operands } = this.judge;
    const proved: ProvedOperand[] = [];
    for (const [index, { what }] of wanted.conditions.entries()) {
      if (made.left.includes(index)) continue;
      for (const operand of operandsOf(what, marksOf(operands, what.definitions))) {
        for (const mark of operand.marks)
          proved.push({ operand, why: await this.whyUnproved(operand, mark, what, solver) });
      }
    }
    return proved;
  }

  private async whyUnproved(
    { expr, of, marks }: ConditionOperand,
    mark: number,
    { definitions }: Conditional,
    solver: Solver,
  ): Promise<string | undefined> {
    const { syntax, judge, principal } = this;
    const piece = this.pieces.get(mark);
    const code = piece && syntax?.expressionAt(piece.at, piece.at + piece.code.text.length);
    if (piece === undefined || syntax === undefined || code === undefined) return "its code is no expression";
    const prover = new QuestionProver(QUESTION, ROLES, true);
    const { world, plans } = prover;
    const { formulas, terms } = world;
    const values = new FrameValues(judge, principal, syntax, prover);
    const run = new SymbolicCode(world, values);
    const isTrue = run.run(code, piece.at);
    if (run.unknown !== undefined) return run.unknown;
    const expected = plans.expressions.value(expr, definitions, values.reading, { of });
    const { holds, fails } = terms.truth(expected);
    const agrees = formulas.or(formulas.and(isTrue, holds), formulas.and(formulas.not(isTrue), fails));
    const isErring = values.areForeign(testedByHas(expr, definitions));
    const differs = formulas.or(formulas.not(agrees), isErring);
    const goal = formulas.or(run.stuck, formulas.and(formulas.not(run.isFlagged), differs));
    const found = await prover.find(goal, solver, replayOf(judge, principal, piece, syntax, expr, definitions));
    if (found.kind === "none") {
      // Facts that contradict each other would prove anything.
      const { kind } = await prover.ask(formulas.not(run.isFlagged), solver, { texts: "symbols" });
      return kind === "unsatisfiable" ? "its code leaves every request to the interpreter" : undefined;
    }
    if (found.kind === "unproven") return found.why;
    const at = positionText(of.position(expr.at));
    throw new RefutedFunction(
      `generated code decides the operand at ${at} (mark ${marks.join()}) otherwise than the closures: ${JSON.stringify(found.request)}`,
    );
  }
}

/** Of the roles of a key it is only known that there is one. */
const ROLES: readonly RoleClass[] = [{ name: "role", isOpen: true, matchedBy: [], unmatchedBy: [], has: () => true }];

/** Stands for any question: operands do not depend on it. */
const QUESTION = { kind: "kind", operation: "operation" };

/** The values that a judge reads from its frames, as formulas. */
class FrameValues implements CodeNames {
  readonly reading: FormulaReading;
  readonly aheads: JudgeSyntax["aheads"];
  readonly hasFlag = true;
  readonly searches: JudgeSyntax["searches"];
  readonly indexes: JudgeSyntax["indexes"];
  private readonly judge: WrittenJudge;
  private readonly reads: JudgeSyntax["reads"];
  private readonly prover: QuestionProver;
  private readonly known = new Map<string, PlainValue | undefined>();
  /** When each list that is declared as a list of texts is one. */
  private readonly texts = new Map<RawValue, Formula>();
  /** When each slot has a value that is not JSON, by owner and path. */
  private readonly foreign = new Map<string, Formula>();

  constructor(
    judge: WrittenJudge,
    principal: "key" | "account",
    { reads, aheads, searches, indexes }: JudgeSyntax,
    prover: QuestionProver,
  ) {
    const { types, schemas } = judge.wanted;
    this.reading = {
      principal,
      types,
      schemas: JSON.stringify([schemas.principal, schemas.resource]),
      globals: undefined,
      active: () => undefined,
      key: principal,
    };
    this.judge = judge;
    this.reads = reads;
    this.aheads = aheads;
    this.searches = searches;
    this.indexes = indexes;
    this.prover = prover;
  }

  valueOf(name: string): PlainValue | undefined {
    if (!this.known.has(name)) {
      const read = this.reads.get(name);
      this.known.set(name, read && this.read(read));
    }
    return this.known.get(name);
  }

  /** When an attribute that the code reads has a value that is not JSON. `keys`: of some attributes. Undefined: of any. */
  areForeign(keys: ReadonlySet<string> | undefined): Formula {
    const some = [...this.foreign].filter(([key]) => keys === undefined || keys.has(key));
    return this.world.formulas.or(...some.map(([, is]) => is));
  }

  areTexts(list: RawValue): Formula | undefined {
    return this.texts.get(list);
  }

  private get world(): FormulaWorld {
    return this.prover.world;
  }

  private read(read: FrameRead): PlainValue | undefined {
    const { world } = this;
    const { formulas } = world;
    const subject = read.owner === "resource" ? "resource" : this.reading.principal;
    if ("slot" in read) {
      const layout = this.judge.made[read.owner];
      const slot = layout[read.slot];
      return slot && this.slot(read.owner, slot);
    }
    if (read.field !== "roles") return textValue(world.field(subject, read.field), formulas);
    return subject === "key" ? { kind: "plain", is: { list: formulas.yes }, list: world.roles } : undefined;
  }

  /** A slot: JSON, absent, or a value that is not JSON. Expressions read the latter as they read an absent one. */
  private slot(owner: AttributeOwner, { path, types }: LayoutSlot): PlainValue {
    const { reads } = this.prover.plans.expressions;
    const { formulas } = this.world;
    const subject = owner === "resource" ? "resource" : this.reading.principal;
    let place = reads.attributes(this.reading, subject);
    for (const [i, name] of path.entries()) {
      place = reads.below(place, name);
      this.tellOf(owner, place, path.slice(0, i + 1));
    }
    const { raw } = place;
    const [type] = types;
    const read = type?.isWhole === true ? reads.whole(place) : reads.container(place);
    // The reader declines a frame with a value of another type than declared.
    this.world.fact(formulas.implies(raw.isThere(), this.world.terms.exists(read)));
    if (type !== undefined && isStringList(type.declared)) {
      this.texts.set(raw, this.world.terms.exists(reads.whole(place)));
    }
    return this.valueIn(raw, this.foreignOf(owner, path, raw, type?.declared));
  }

  /** The reader reads members of maps alone: it declines a frame with a list or another object in their place. */
  private tellOf(owner: AttributeOwner, { raw }: AttributePlace, path: readonly string[]): void {
    const { formulas } = this.world;
    this.world.fact(formulas.implies(raw.is("number"), new ValueFormulas(this.world).isFinite({ number: raw.number })));
    if (this.hasMembers(owner, path)) this.world.fact(formulas.not(raw.is("list")));
  }

  private hasMembers(owner: AttributeOwner, path: readonly string[]): boolean {
    return this.judge.made[owner].some(
      (other) => other.path.length > path.length && path.every((name, i) => other.path[i] === name),
    );
  }

  private foreignOf(
    owner: AttributeOwner,
    path: readonly string[],
    raw: RawValue,
    declared: TypeDeclaration | undefined,
  ): ForeignTypes {
    const { formulas } = this.world;
    const isAny = declared === undefined || (declared.kinds & (KIND.number | KIND.object)) !== 0;
    const is = isAny ? formulas.and(raw.is("absent"), formulas.unknown("bool", `${raw.key}: not JSON`)) : formulas.no;
    this.foreign.set(keyOfPath(owner, path), is);
    const types: Formula[] = [];
    let rest = is;
    for (const type of ["NaN", "infinite", "negatively infinite", "an object"]) {
      const own = formulas.unknown("bool", `${raw.key}: ${type}`);
      types.push(formulas.and(rest, own));
      rest = formulas.and(rest, formulas.not(own));
    }
    const [nan = formulas.no, high = formulas.no, low = formulas.no, object = formulas.no] = types;
    return { is, nan, high, low, object: this.hasMembers(owner, path) ? formulas.no : object, other: rest };
  }

  private valueIn(raw: RawValue, { is, nan, high, low, object, other }: ForeignTypes): PlainValue {
    const { formulas } = this.world;
    const infinity = (sign: number) => formulas.number(sign * Number.POSITIVE_INFINITY);
    return {
      kind: "plain",
      is: {
        undefined: formulas.and(raw.is("absent"), formulas.not(is)),
        null: raw.is("null"),
        bool: raw.is("bool"),
        number: formulas.or(raw.is("number"), nan, high, low),
        text: raw.is("text"),
        list: raw.is("list"),
        map: raw.is("map"),
        object,
        other,
      },
      bool: raw.bool,
      number: formulas.choose(high, infinity(1), formulas.choose(low, infinity(-1), raw.number)),
      nan,
      text: raw.text,
      list: raw,
    };
  }
}

/** When a slot has a value that is not JSON: at all, and of each type. */
interface ForeignTypes {
  readonly is: Formula;
  readonly nan: Formula;
  readonly high: Formula;
  readonly low: Formula;
  readonly object: Formula;
  readonly other: Formula;
}

function keyOfPath(owner: AttributeOwner, path: readonly string[]): string {
  return JSON.stringify([owner, ...path]);
}

/**
 * The attributes that an expression tests with `has`: it errs for one that is not JSON, and is false for an absent one.
 * Undefined: they are not known.
 */
function testedByHas(expr: Expr, { variables }: Definitions): ReadonlySet<string> | undefined {
  const found = new Set<string>();
  const rest = [expr];
  const seen = new Set<Expr>();
  for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
    if (seen.has(one)) continue;
    seen.add(one);
    const variable = nameOf(one, "variable");
    const definition = variable === undefined ? undefined : variables.get(variable);
    if (definition !== undefined) rest.push(definition.expr);
    if (one.kind === "has") {
      const of = requestValueOf(one.operand);
      if (of === undefined || (of.root.path !== "P.attr" && of.root.path !== "R.attr")) return undefined;
      found.add(keyOfPath(of.root.path === "P.attr" ? "principal" : "resource", [...of.path, one.field]));
    }
    rest.push(...children(one));
  }
  return found;
}
