/** Values of tests. A plan learns about them only by questions: the invariant "asked, not seen". */

import type { Expr } from "../../cel/ast.js";
import { isOfType } from "../../schema/values.js";
import type { JsonType, Scalar } from "./filter.js";
import type { Given } from "./given.js";
import { type Inquiry, MAX_ELEMENTS } from "./inquiry.js";
import { constantOf, KnownValue } from "./residue.js";
import { between, scalarOf, scalarsOf } from "./scalars.js";

type List = readonly Scalar[];

/** Computes a list from a list and others. */
type Make = (own: List, others: readonly List[]) => List;

/** The values of one inquiry, each made once. */
class Made {
  readonly constants = new Map<string, Values>();
  readonly derived = new Map<string, Values>();
  readonly answers = new Map<string, boolean>();
  /** Texts for tests of one form, by this form. See `nameFor`. */
  readonly tested = new Map<string, { readonly constants: Set<Values>; readonly others: Values[] }>();
}

const made = new WeakMap<Inquiry, Made>();

function madeIn(inquiry: Inquiry): Made {
  const known = made.get(inquiry) ?? new Made();
  made.set(inquiry, known);
  return known;
}

/** Facts about a list that need no question. */
interface Form {
  /** Whether it is one value. */
  readonly isOne: boolean;
  /** The sort of all its values. */
  readonly sort?: "string" | "number" | undefined;
  /** A list that contains all of these values. */
  readonly of?: Values | undefined;
  /** Values that this list does not contain. */
  readonly lacks?: Values | undefined;
}

/** A list of values, from a policy or from the known part of a request. */
export class Values {
  /** Whether it is one value. */
  readonly isOne: boolean;
  /** The list, if a policy states it. */
  readonly constant: List | undefined;
  readonly in: (given: Given) => List;
  /** Unique in the inquiry. */
  private readonly name: string;
  private readonly form: Form;
  private readonly inquiry: Inquiry;

  private constructor(inquiry: Inquiry, name: string, of: List | Values["in"], form: Form) {
    this.inquiry = inquiry;
    this.name = name;
    this.constant = typeof of === "function" ? undefined : of;
    this.in = typeof of === "function" ? of : () => of;
    this.isOne = form.isOne;
    this.form = form;
  }

  /** Values stated by a policy. */
  static of(inquiry: Inquiry, list: List): Values {
    const { constants } = madeIn(inquiry);
    const name = JSON.stringify(list);
    const known = constants.get(name) ?? new Values(inquiry, name, list, { isOne: list.length === 1 });
    constants.set(name, known);
    return known;
  }

  /** The value of an expression, if it is known and neither a list nor a map. */
  static single(inquiry: Inquiry, expr: Expr | undefined): Values | undefined {
    if (expr === undefined) return undefined;
    if (!(expr instanceof KnownValue)) {
      const scalar = scalarOf(constantOf(expr));
      return scalar === undefined ? undefined : Values.of(inquiry, [scalar]);
    }
    const { number, sort } = expr;
    if (sort !== "string" && sort !== "number") return undefined;
    return Values.new(inquiry, `value ${number}`, { isOne: true, sort }, (given) => {
      const scalar = scalarOf(given.value(number));
      return scalar === undefined ? [] : [scalar];
    });
  }

  /** The elements of a known list, if none is a list or a map. */
  static listed(inquiry: Inquiry, expr: Expr | undefined): Values | undefined {
    if (expr === undefined) return undefined;
    if (!(expr instanceof KnownValue)) {
      const scalars = scalarsOf(constantOf(expr));
      return scalars === undefined ? undefined : Values.of(inquiry, scalars);
    }
    const { number, sort } = expr;
    if (sort !== "texts" && sort !== "scalars") return undefined;
    const as = sort === "texts" ? TEXTS : MANY;
    return Values.new(inquiry, `list ${number}`, as, (given) => scalarsOf(given.value(number)) ?? NONE);
  }

  private static new(inquiry: Inquiry, name: string, as: Form, make: Values["in"]): Values {
    const { derived } = madeIn(inquiry);
    const known = derived.get(name) ?? new Values(inquiry, `#${derived.size}`, inquiry.list(make), as);
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
  includes(one: Values): boolean {
    if (this === one) return true;
    if (this.form.lacks === one) return false;
    return this.asks("includes", one, (own, [value]) => value !== undefined && own.includes(value));
  }

  /** The values that are also in `others`. */
  within(others: Values): Values {
    if (others === this) return this;
    if (this.isOne) return others.includes(this) ? this : this.none;
    if (others.isOne) return this.includes(others) ? others : this.none;
    const make: Make = (own, [some = NONE]) => own.filter((value) => some.includes(value));
    return this.derived("within", [others], make, { ...this.form, of: this, lacks: undefined });
  }

  /** The values that are not in `others`. */
  without(others: Values): Values {
    if (this.isOne) return others.includes(this) ? this.none : this;
    const make: Make = (own, [some = NONE]) => own.filter((value) => !some.includes(value));
    return this.derived("without", [others], make, { ...this.form, of: this, lacks: others });
  }

  /** The values of some types or, with `are: false`, all others. */
  ofTypes(types: readonly JsonType[], are: boolean): Values {
    const { sort } = this.form;
    if (sort === "string" || (sort === "number" && (types.includes("number") || !types.includes("integer")))) {
      return types.includes(sort) === are ? this : this.none;
    }
    return this.derived(`${are ? "" : "not "}${types.join()}`, [], (own) =>
      own.filter((value) => types.some((type) => isOfType(value, type)) === are),
    );
  }

  /** Given that this list is a subset of `others`, are they equal? */
  areAll(others: Values): boolean {
    if (this === others) return true;
    if (this.constant?.length === 0) return others.isEmpty;
    return this.isLeftOf(others) ?? this.asks("all", others, (own, all) => own.length === all.length);
  }

  /**
   * Whether `others` without one value is still all of `others`. Undefined if this list was not made by removing one
   * value.
   */
  private isLeftOf(others: Values): boolean | undefined {
    const { of: whole, lacks } = this.form;
    return whole === others && lacks?.isOne === true ? !others.includes(lacks) : undefined;
  }

  /** Whether this list is known to be a subset of `others`. */
  private isPartOf(others: Values): boolean {
    const { of: whole } = this.form;
    return whole !== undefined && (whole === others || whole.isPartOf(others));
  }

  /** The union of this list and others, without duplicates. */
  with(others: readonly Values[]): Values {
    const all = [...new Set([this, ...others])];
    const [first = this, ...more] = all.filter((one) => !all.some((other) => one.isPartOf(other)));
    return more.length === 0 ? first : first.derived("with", more, union);
  }

  /** The texts that give one of these values when put between `before` and `after`. */
  between(before: Values, after: Values): Values {
    const { sort } = this.form;
    if (sort === "string" && [before, after].every(({ constant }) => constant?.[0] === "")) return this;
    const make: Make = (own, [[head] = NONE, [tail] = NONE]) => between(own, String(head), String(tail));
    return this.derived("between", [before, after], make, TEXTS);
  }

  /** The concatenation of two texts. */
  joined(after: Values): Values {
    return this.derived("joined", [after], ([head], [[tail] = NONE]) => [`${head}${tail}`], TEXT);
  }

  /** Each value as a list of its own. */
  get each(): readonly Values[] {
    if (this.isOne) return [this];
    const { inquiry, constant } = this;
    const own = this.in;
    const count = constant?.length ?? inquiry.ask((given) => own(given).length);
    if (constant === undefined && count <= MAX_ELEMENTS) return this.elements(count);
    const list = constant ?? own(inquiry.look());
    return list.map((value) => Values.of(inquiry, [value]));
  }

  /** A name to use in keys: among the tests of one form, two names are equal if and only if the values are equal. */
  nameFor(form: string): string {
    const { tested } = madeIn(this.inquiry);
    const { constants, others } = tested.get(form) ?? { constants: new Set(), others: [] };
    tested.set(form, { constants, others });
    if (constants.has(this) || others.includes(this)) return this.name;
    const same = [...(this.constant === undefined ? constants : []), ...others].find((other) => this.isSame(other));
    if (same !== undefined) return same.name;
    if (this.constant === undefined) others.push(this);
    else constants.add(this);
    return this.name;
  }

  private isSame(other: Values): boolean {
    if (this.isOne && (other.constant?.length ?? 1) !== 1) return false;
    if (other.isOne && (this.constant?.length ?? 1) !== 1) return false;
    if ((other.isOne && this.form.lacks === other) || (this.isOne && other.form.lacks === this)) return false;
    const isAll = this.isLeftOf(other) ?? other.isLeftOf(this);
    if (isAll !== undefined) return isAll;
    return this.asks("same", other, (own, its) => own.length === its.length && own.every((one, i) => one === its[i]));
  }

  private get none(): Values {
    return Values.of(this.inquiry, NONE);
  }

  private elements(count: number): readonly Values[] {
    const list = this.in;
    const elements: Values[] = [];
    // A loop, because the kept functions must hold nothing of this request.
    for (let i = 0; i < count; i++) {
      const name = `${this.name}[${i}]`;
      elements.push(Values.new(this.inquiry, name, { isOne: true }, (given) => list(given).slice(i, i + 1)));
    }
    return elements;
  }

  private derived(what: string, others: readonly Values[], make: Make, as: Form = MANY): Values {
    const { inquiry, constant } = this;
    const constants = others.flatMap((other) => (other.constant === undefined ? [] : [other.constant]));
    const areFixed = constants.length === others.length;
    if (constant !== undefined && areFixed) return Values.of(inquiry, make(constant, constants));
    const own = this.in;
    const lists = others.map((other) => other.in);
    const name = [this, ...others].map((one) => one.name).join(` ${what} `);
    return Values.new(inquiry, `${what}: ${name}`, as, (given) =>
      make(own(given), areFixed ? constants : lists.map((list) => list(given))),
    );
  }

  private asks(what: string, other: Values, answer: (own: List, its: List) => boolean): boolean {
    const { inquiry, constant } = this;
    if (constant !== undefined && other.constant !== undefined) return answer(constant, other.constant);
    const [own, its] = [this.in, other.in];
    return remembered(inquiry, `${what}: ${this.name}, ${other.name}`, (given) => answer(own(given), its(given)));
  }
}

/** The union of lists, without duplicates. */
function union(first: List, others: readonly List[]): List {
  return [...new Set([first, ...others].flat())];
}

const NONE: List = [];
const MANY: Form = { isOne: false };
const TEXTS: Form = { isOne: false, sort: "string" };
const TEXT: Form = { isOne: true, sort: "string" };

/** The answer to a question, which is asked only once in an inquiry. */
function remembered(inquiry: Inquiry, name: string, question: (given: Given) => boolean): boolean {
  const { answers } = madeIn(inquiry);
  const known = answers.get(name) ?? inquiry.ask(question);
  answers.set(name, known);
  return known;
}
