/** Values of tests. A plan learns about them only by questions: the invariant "asked, not seen". */

import type { Expr } from "../../cel/ast.js";
import { isOfType } from "../../schema/values.js";
import type { FilterScalar, JsonType } from "./filter.js";
import type { KnownValues } from "./known-values.js";
import { MAX_ELEMENTS, type QuestionLog } from "./question-log.js";
import { constantOf, KnownValue } from "./residual-expression.js";
import { between, scalarOf, scalarsOf } from "./scalars.js";

type ScalarList = readonly FilterScalar[];

/** Computes a list from a list and others. */
type MakeScalars = (own: ScalarList, others: readonly ScalarList[]) => ScalarList;

/** The values of one log, each made once. */
class LoggedValues {
  readonly constants = new Map<string, TestValues>();
  readonly derived = new Map<string, TestValues>();
  readonly answers = new Map<string, boolean>();
  /** Texts for tests of one form, by this form. See `nameFor`. */
  readonly tested = new Map<string, { readonly constants: Set<TestValues>; readonly others: TestValues[] }>();
}

const made = new WeakMap<QuestionLog, LoggedValues>();

function madeIn(log: QuestionLog): LoggedValues {
  const known = made.get(log) ?? new LoggedValues();
  made.set(log, known);
  return known;
}

/** Facts about a list that need no question. */
interface TestValuesFacts {
  /** Whether it is one value. */
  readonly isOne: boolean;
  /** The sort of all its values. */
  readonly sort?: "string" | "number" | undefined;
  /** A list that contains all of these values. */
  readonly of?: TestValues | undefined;
  /** Values that this list does not contain. */
  readonly lacks?: TestValues | undefined;
}

/** A list of values, from a policy or from the known part of a request. */
export class TestValues {
  /** Whether it is one value. */
  readonly isOne: boolean;
  /** The list, if a policy states it. */
  readonly constant: ScalarList | undefined;
  readonly in: (given: KnownValues) => ScalarList;
  /** Unique in the log. */
  private readonly name: string;
  private readonly form: TestValuesFacts;
  private readonly log: QuestionLog;

  private constructor(log: QuestionLog, name: string, of: ScalarList | TestValues["in"], form: TestValuesFacts) {
    this.log = log;
    this.name = name;
    this.constant = typeof of === "function" ? undefined : of;
    this.in = typeof of === "function" ? of : () => of;
    this.isOne = form.isOne;
    this.form = form;
  }

  /** Values stated by a policy. */
  static of(log: QuestionLog, list: ScalarList): TestValues {
    const { constants } = madeIn(log);
    const name = JSON.stringify(list);
    const known = constants.get(name) ?? new TestValues(log, name, list, { isOne: list.length === 1 });
    constants.set(name, known);
    return known;
  }

  /** The value of an expression, if it is known and neither a list nor a map. */
  static single(log: QuestionLog, expr: Expr | undefined): TestValues | undefined {
    if (expr === undefined) return undefined;
    if (!(expr instanceof KnownValue)) {
      const scalar = scalarOf(constantOf(expr));
      return scalar === undefined ? undefined : TestValues.of(log, [scalar]);
    }
    const { number, sort } = expr;
    if (sort !== "string" && sort !== "number") return undefined;
    return TestValues.new(log, `value ${number}`, { isOne: true, sort }, (given) => {
      const scalar = scalarOf(given.value(number));
      return scalar === undefined ? [] : [scalar];
    });
  }

  /** The elements of a known list, if none is a list or a map. */
  static listed(log: QuestionLog, expr: Expr | undefined): TestValues | undefined {
    if (expr === undefined) return undefined;
    if (!(expr instanceof KnownValue)) {
      const scalars = scalarsOf(constantOf(expr));
      return scalars === undefined ? undefined : TestValues.of(log, scalars);
    }
    const { number, sort } = expr;
    if (sort !== "texts" && sort !== "scalars") return undefined;
    const as = sort === "texts" ? TEXTS : MANY;
    return TestValues.new(log, `list ${number}`, as, (given) => scalarsOf(given.value(number)) ?? NONE);
  }

  private static new(log: QuestionLog, name: string, as: TestValuesFacts, make: TestValues["in"]): TestValues {
    const { derived } = madeIn(log);
    const known = derived.get(name) ?? new TestValues(log, `#${derived.size}`, log.list(make), as);
    derived.set(name, known);
    return known;
  }

  get isEmpty(): boolean {
    const { of: whole, lacks } = this.form;
    if (this.isOne) return false;
    // Removing one value from two different ones leaves another.
    if (lacks?.isOne === true && new Set(whole?.constant).size > 1) return false;
    return this.asks("empty", this, (own) => own.length === 0);
  }

  /** For one value: whether it is a text. */
  get isText(): boolean {
    const { sort } = this.form;
    if (sort !== undefined) return sort === "string";
    return this.asks("text", this, ([own]) => typeof own === "string");
  }

  get isNumber(): boolean {
    const { sort } = this.form;
    if (sort !== undefined) return sort === "number";
    return this.asks("number", this, ([own]) => typeof own === "number");
  }

  /** Whether one value is among these. */
  includes(one: TestValues): boolean {
    if (this === one) return true;
    if (this.form.lacks === one) return false;
    return this.asks("includes", one, (own, [value]) => value !== undefined && own.includes(value));
  }

  /** The values that are also in `others`. */
  within(others: TestValues): TestValues {
    if (others === this) return this;
    if (this.isOne) return others.includes(this) ? this : this.none;
    if (others.isOne) return this.includes(others) ? others : this.none;
    const make: MakeScalars = (own, [some = NONE]) => own.filter((value) => some.includes(value));
    return this.derived("within", [others], make, { ...this.form, of: this, lacks: undefined });
  }

  /** The values that are not in `others`. */
  without(others: TestValues): TestValues {
    if (this.isOne) return others.includes(this) ? this.none : this;
    const make: MakeScalars = (own, [some = NONE]) => own.filter((value) => !some.includes(value));
    return this.derived("without", [others], make, { ...this.form, of: this, lacks: others });
  }

  /** The values of some types or, with `are: false`, all others. */
  ofTypes(types: readonly JsonType[], are: boolean): TestValues {
    const { sort } = this.form;
    if (sort === "string" || (sort === "number" && (types.includes("number") || !types.includes("integer")))) {
      return types.includes(sort) === are ? this : this.none;
    }
    return this.derived(`${are ? "" : "not "}${types.join()}`, [], (own) =>
      own.filter((value) => types.some((type) => isOfType(value, type)) === are),
    );
  }

  /** Given that this list is a subset of `others`, are they equal? */
  areAll(others: TestValues): boolean {
    if (this === others) return true;
    if (this.constant?.length === 0) return others.isEmpty;
    return this.isLeftOf(others) ?? this.asks("all", others, (own, all) => own.length === all.length);
  }

  /**
   * Whether `others` without one value is still all of `others`. Undefined if this list was not made by removing one
   * value.
   */
  private isLeftOf(others: TestValues): boolean | undefined {
    const { of: whole, lacks } = this.form;
    return whole === others && lacks?.isOne === true ? !others.includes(lacks) : undefined;
  }

  /** Whether this list is known to be a subset of `others`. */
  private isPartOf(others: TestValues): boolean {
    const { of: whole } = this.form;
    return whole !== undefined && (whole === others || whole.isPartOf(others));
  }

  /** The union of this list and others, without duplicates. */
  with(others: readonly TestValues[]): TestValues {
    const all = [...new Set([this, ...others])];
    const [first = this, ...more] = all.filter((one) => !all.some((other) => one.isPartOf(other)));
    return more.length === 0 ? first : first.derived("with", more, union);
  }

  /** The texts that give one of these values when put between `before` and `after`. */
  between(before: TestValues, after: TestValues): TestValues {
    const { sort } = this.form;
    if (sort === "string" && [before, after].every(({ constant }) => constant?.[0] === "")) return this;
    const make: MakeScalars = (own, [[head] = NONE, [tail] = NONE]) => between(own, String(head), String(tail));
    return this.derived("between", [before, after], make, TEXTS);
  }

  /** The concatenation of two texts. */
  joined(after: TestValues): TestValues {
    return this.derived("joined", [after], ([head], [[tail] = NONE]) => [`${head}${tail}`], TEXT);
  }

  /** Each value as a list of its own. */
  get each(): readonly TestValues[] {
    if (this.isOne) return [this];
    const { log, constant } = this;
    const own = this.in;
    const count = constant?.length ?? log.ask((given) => own(given).length);
    if (constant === undefined && count <= MAX_ELEMENTS) return this.elements(count);
    const list = constant ?? own(log.look());
    return list.map((value) => TestValues.of(log, [value]));
  }

  /** A name to use in keys: among the tests of one form, two names are equal if and only if the values are equal. */
  nameFor(form: string): string {
    const { tested } = madeIn(this.log);
    const { constants, others } = tested.get(form) ?? { constants: new Set(), others: [] };
    tested.set(form, { constants, others });
    if (constants.has(this) || others.includes(this)) return this.name;
    const same = [...(this.constant === undefined ? constants : []), ...others].find((other) => this.isSame(other));
    if (same !== undefined) return same.name;
    if (this.constant === undefined) others.push(this);
    else constants.add(this);
    return this.name;
  }

  private isSame(other: TestValues): boolean {
    if (this.isOne && (other.constant?.length ?? 1) !== 1) return false;
    if (other.isOne && (this.constant?.length ?? 1) !== 1) return false;
    if ((other.isOne && this.form.lacks === other) || (this.isOne && other.form.lacks === this)) return false;
    const isAll = this.isLeftOf(other) ?? other.isLeftOf(this);
    if (isAll !== undefined) return isAll;
    return this.asks("same", other, (own, its) => own.length === its.length && own.every((one, i) => one === its[i]));
  }

  private get none(): TestValues {
    return TestValues.of(this.log, NONE);
  }

  private elements(count: number): readonly TestValues[] {
    const list = this.in;
    const elements: TestValues[] = [];
    // A loop, because the kept functions must hold nothing of this request.
    for (let i = 0; i < count; i++) {
      const name = `${this.name}[${i}]`;
      elements.push(TestValues.new(this.log, name, { isOne: true }, (given) => list(given).slice(i, i + 1)));
    }
    return elements;
  }

  private derived(
    what: string,
    others: readonly TestValues[],
    make: MakeScalars,
    as: TestValuesFacts = MANY,
  ): TestValues {
    const { log, constant } = this;
    const constants = others.flatMap((other) => (other.constant === undefined ? [] : [other.constant]));
    const areFixed = constants.length === others.length;
    if (constant !== undefined && areFixed) return TestValues.of(log, make(constant, constants));
    const own = this.in;
    const lists = others.map((other) => other.in);
    const name = [this, ...others].map((one) => one.name).join(` ${what} `);
    return TestValues.new(log, `${what}: ${name}`, as, (given) =>
      make(own(given), areFixed ? constants : lists.map((list) => list(given))),
    );
  }

  private asks(what: string, other: TestValues, answer: (own: ScalarList, its: ScalarList) => boolean): boolean {
    const { log, constant } = this;
    if (constant !== undefined && other.constant !== undefined) return answer(constant, other.constant);
    const [own, its] = [this.in, other.in];
    return remembered(log, `${what}: ${this.name}, ${other.name}`, (given) => answer(own(given), its(given)));
  }
}

/** The union of lists, without duplicates. */
function union(first: ScalarList, others: readonly ScalarList[]): ScalarList {
  return [...new Set([first, ...others].flat())];
}

const NONE: ScalarList = [];
const MANY: TestValuesFacts = { isOne: false };
const TEXTS: TestValuesFacts = { isOne: false, sort: "string" };
const TEXT: TestValuesFacts = { isOne: true, sort: "string" };

/** The answer to a question, which is asked only once in a log. */
function remembered(log: QuestionLog, name: string, question: (given: KnownValues) => boolean): boolean {
  const { answers } = madeIn(log);
  const known = answers.get(name) ?? log.ask(question);
  answers.set(name, known);
  return known;
}
