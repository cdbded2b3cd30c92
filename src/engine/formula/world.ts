/**
 * The unknown parts of a request, and the knowledge about them.
 *
 * A **fact** holds of every request. It excludes only requests that do not happen, and leaving one out makes nothing
 * provable that is false. A **preference** does not hold of every request. It leads the solver to requests that are
 * likely to behave as the formulas say, and no proof may rest on it.
 */

import { Dependencies } from "./dependencies.js";
import { type Formula, Formulas } from "./formula.js";
import { RawValue } from "./raw-value.js";
import {
  type FormulaTerm,
  FormulaTerms,
  keyOf,
  type MembershipTest,
  type TermType,
  type TruthFormulas,
} from "./terms.js";
import { UntranslatedParts } from "./untranslated.js";

/** A text that is parsed as an instant or a duration. */
export interface TimeText {
  readonly isOne: Formula;
  readonly nanos: Formula;
}

/** The path of the key's roles, a list of texts. */
const ROLES = "key.roles";

/** The subjects of requests, as `decide` takes them. */
export type RequestSubject = "key" | "account" | "resource";

/** 0001-01-01T00:00:00Z and the last nanosecond of 9999, in nanoseconds since 1970. */
const FIRST_MOMENT = -62_135_596_800n * 1_000_000_000n;
const LAST_MOMENT = 253_402_300_800n * 1_000_000_000n - 1n;

/** Limit on instances of quantified expressions for known elements. Beyond it, facts are left out. */
const MAX_INSTANCES = 2_000;

/** Types of elements that are compared as wholes. Data has no instants or durations. */
const WHOLE_TYPES = ["list", "map", "other"] as const;
const WHOLE_TYPES_OF_EXPRESSIONS = [...WHOLE_TYPES, "time", "duration"] as const;

/** A property of an element of a list. */
interface QuantifiedProperty {
  readonly list: RawValue;
  readonly body: (element: FormulaTerm) => TruthFormulas;
  /** Whether the property holds of some element, and whether it errs on one. */
  readonly some: Formula;
  readonly errs: Formula;
}

export class FormulaWorld {
  readonly formulas = new Formulas();
  readonly terms = new FormulaTerms(this.formulas);
  readonly facts = new Set<Formula>();
  readonly preferences = new Set<Formula>();
  readonly untranslated = new UntranslatedParts();
  readonly dependencies = new Dependencies();
  /** Whether requests give the time, and the time in nanoseconds since 1970. */
  readonly hasNow = this.formulas.unknown("bool", "now is given");
  readonly now = this.formulas.unknown("real", "now");
  /** The raw values made so far, by their keys. */
  readonly raws = new Map<string, RawValue>();
  /** Texts that are parsed as instants or durations: whether they are valid, and their values. */
  readonly times = new Map<Formula, TimeText>();
  readonly durations = new Map<Formula, TimeText>();
  /** Lists and maps that are read as a whole: whether their contents are as declared. */
  readonly wholes: { readonly raw: RawValue; readonly fit: Formula }[] = [];
  /** Attributes that are read: when each is as declared. A read without a declaration adds `yes`. */
  readonly declared = new Map<RawValue, Set<Formula>>();
  /** Attributes that are read with all their members, and may be maps by their declared type. */
  readonly wholeMaps = new Set<RawValue>();
  /** Members of maps that are searched for by a key that the policies write: the search reads whether they are present. */
  readonly searchedMembers = new Set<RawValue>();
  /** The comparisons of two lists or maps of the request: whether the two are equal. */
  readonly compared: { readonly same: Formula; readonly of: readonly RawValue[] }[] = [];
  /** The comparisons of a list of the request with a list that an expression writes: whether the two are equal. */
  readonly spelled: { readonly same: Formula; readonly raw: RawValue; readonly items: readonly FormulaTerm[] }[] = [];
  /** Unknowns of searches that depend on more than their arguments, with the terms that they depend on. */
  readonly searches = new Map<Formula, readonly FormulaTerm[]>();
  private readonly asked = new Map<RawValue, Map<string, MembershipTest>>();
  private readonly constants = new Set<string>();
  private readonly quantified = new Map<string, QuantifiedProperty>();
  private readonly sized = new Set<RawValue>();
  private readonly held = new Set<string>();
  private depth = 0;

  constructor() {
    this.fact(this.isMoment(this.now));
    this.fact(this.roles.is("list"));
    this.prefer(this.hasNow);
    this.prefer(this.inSeconds(this.now));
  }

  fact(fact: Formula): void {
    if (fact !== this.formulas.yes) this.facts.add(fact);
  }

  prefer(wish: Formula): void {
    if (wish !== this.formulas.yes) this.preferences.add(wish);
  }

  /** The attributes of a subject, always a map. */
  attributes(subject: RequestSubject): RawValue {
    const raw = this.raw(`${subject}.attr`);
    this.fact(raw.is("map"));
    return raw;
  }

  /** The globals, where no configuration gives them. Always a map. */
  get globals(): RawValue {
    const raw = this.raw("globals");
    this.fact(raw.is("map"));
    return raw;
  }

  /** A text field of a subject: its id, kind or scope. */
  field(subject: RequestSubject, name: "id" | "kind" | "scope"): Formula {
    const text = this.formulas.unknown("text", `${subject}.${name}`);
    // A request with an empty id or kind is malformed.
    if (name !== "scope") this.fact(this.formulas.not(this.formulas.same(text, this.formulas.text(""))));
    return text;
  }

  raw(key: string, isData = true): RawValue {
    const known = this.raws.get(key);
    if (known !== undefined) return known;
    const made = new RawValue(key, isData, this.formulas, (fact) => this.fact(fact));
    this.raws.set(key, made);
    return made;
  }

  /** A value that another one holds: an element, or a key. It is data if the other one is. */
  within({ isData }: RawValue, key: string): RawValue {
    return this.raw(key, isData);
  }

  /** A value as expressions see it. */
  value(raw: RawValue): FormulaTerm {
    return raw.isData ? this.terms.raw(raw) : this.open(raw);
  }

  /** A value of any type, also one that JSON does not have. */
  private open(raw: RawValue): FormulaTerm {
    const { formulas, terms } = this;
    // Types beyond those of data: other numbers, instants, durations, and values without a type here.
    const sub = (type: string) => formulas.unknown("bool", `${raw.key}: is ${type}`);
    const others: { [type in TermType]?: Formula } = {};
    let free = formulas.yes;
    for (const type of ["int", "uint", "time", "duration", "other"] as const) {
      others[type] = formulas.and(free, sub(type));
      free = formulas.and(free, formulas.not(sub(type)));
    }
    const data = terms.where(free, terms.raw(raw));
    const nanos = formulas.unknown("real", `${raw.key}: nanos`);
    return { ...data, is: { ...data.is, ...others }, nan: sub("nan"), nanos, origin: raw.key };
  }

  /** The roles of the key. */
  get roles(): RawValue {
    return this.raw(ROLES);
  }

  /** Whether the key has a role. */
  role(name: string): Formula {
    return this.isIn(this.terms.of("text", { text: this.text(name) }), this.roles);
  }

  /** A text of the policies. It is recorded, so that facts can state the values of functions for it. */
  text(value: string): Formula {
    this.constants.add(value);
    return this.formulas.text(value);
  }

  get texts(): ReadonlySet<string> {
    return this.constants;
  }

  isMoment(nanos: Formula): Formula {
    const { formulas } = this;
    return formulas.and(
      formulas.atMost(formulas.number(FIRST_MOMENT), nanos),
      formulas.atMost(nanos, formulas.number(LAST_MOMENT)),
      formulas.whole(nanos),
    );
  }

  inSeconds(nanos: Formula): Formula {
    const { formulas } = this;
    return formulas.whole(formulas.product(nanos, formulas.real({ num: 1n, den: 1_000_000_000n })));
  }

  /** Whether `body` holds of some element of a list, and whether it errs on one. */
  some(
    list: RawValue,
    body: (element: FormulaTerm) => TruthFormulas,
  ): { readonly some: Formula; readonly errs: Formula } {
    const { formulas } = this;
    // Two bodies that say the same about an arbitrary element are the same property.
    this.depth++;
    const sample = body(this.value(this.within(list, `any element ${this.depth} of ${list.key}`)));
    this.depth--;
    const key = `${list.key} has ${sample.holds.id} ${sample.fails.id}`;
    const known = this.quantified.get(key);
    if (known !== undefined) return known;
    const quantified = {
      list,
      body,
      some: formulas.unknown("bool", `${key}: one that holds`),
      errs: formulas.unknown("bool", `${key}: one that errs`),
    };
    for (const unknown of [quantified.some, quantified.errs]) {
      this.dependencies.add(unknown, [sample.holds, sample.fails]);
    }
    // A sample element stands for any element, so no facts follow from it.
    if (this.depth > 0) return quantified;
    this.quantified.set(key, quantified);
    const holding = this.element(list, `${key}: the one that holds`);
    const erring = this.element(list, `${key}: the one that errs`);
    const onHolding = body(this.value(holding.raw));
    const onErring = body(this.value(erring.raw));
    this.fact(formulas.implies(quantified.some, formulas.and(holding.isIn, onHolding.holds)));
    this.fact(formulas.implies(quantified.errs, formulas.and(erring.isIn, this.erringIn(onErring))));
    return quantified;
  }

  private erringIn({ holds, fails }: TruthFormulas): Formula {
    return this.formulas.not(this.formulas.or(holds, fails));
  }

  private element(list: RawValue, key: string): { readonly raw: RawValue; readonly isIn: Formula } {
    const raw = this.within(list, key);
    return { raw, isIn: this.isIn(this.value(raw), list, raw) };
  }

  /** Records an unknown of {@link searches}. */
  search(unknown: Formula, terms: readonly FormulaTerm[]): void {
    this.searches.set(unknown, terms);
    this.dependencies.addTerms(unknown, terms);
  }

  /** Does an expression look in a list for a text, or for an element with a property? */
  isSearched(list: RawValue): boolean {
    const isText = ({ element, raw }: MembershipTest) => raw === undefined && element.text !== undefined;
    return (
      [...this.askedIn(list).values()].some(isText) || [...this.quantified.values()].some((one) => one.list === list)
    );
  }

  /** The unknowns that say whether a property holds of some element of a list, or errs on one. */
  get properties(): readonly Formula[] {
    return [...this.quantified.values()].flatMap(({ some, errs }) => [some, errs]);
  }

  /** The membership tests that were translated for a list. */
  askedIn(list: RawValue): Map<string, MembershipTest> {
    const known = this.asked.get(list) ?? new Map<string, MembershipTest>();
    this.asked.set(list, known);
    return known;
  }

  /** Whether a list has an element. `raw`: the raw value of an element that was made for this list. */
  isIn(element: FormulaTerm, list: RawValue, raw?: RawValue): Formula {
    const { formulas, terms } = this;
    const key = keyOf(element);
    const known = this.askedIn(list).get(key);
    if (known !== undefined) return known.isIn;
    // The only uninterpreted functions that depend on more than their arguments: they depend on the list as well.
    const has = (what: string, args: readonly Formula[]) => formulas.unknown("bool", `${list.key} has ${what}`, args);
    const number = formulas.or(...(["double", "int", "uint"] as const).map((type) => terms.is(element, type)));
    const nan = element.nan ?? formulas.no;
    const wholes = list.isData ? WHOLE_TYPES : WHOLE_TYPES_OF_EXPRESSIONS;
    const whole = formulas.or(...wholes.map((type) => terms.is(element, type)));
    const hasWhole = () => {
      const unknown = has(`whole ${key}`, []);
      this.search(unknown, [element]);
      return unknown;
    };
    const isIn = formulas.or(
      formulas.and(terms.is(element, "null"), has("null", [])),
      element.bool ? formulas.and(terms.is(element, "bool"), has("truth", [element.bool])) : formulas.no,
      element.text ? formulas.and(terms.is(element, "text"), has("text", [element.text])) : formulas.no,
      element.number ? formulas.and(number, formulas.not(nan), has("number", [element.number])) : formulas.no,
      whole === formulas.no ? formulas.no : formulas.and(whole, hasWhole()),
    );
    if (this.depth === 0) this.askedIn(list).set(key, { element, isIn, raw });
    return isIn;
  }

  /** Does an expression read the number of elements of a list, or ask whether some or all have a property? */
  isCounted(list: RawValue): boolean {
    return this.sized.has(list) || this.isQuantified(list);
  }

  /** The number of elements of a list. */
  sizeOf(list: RawValue): Formula {
    const { formulas } = this;
    if (!this.sized.has(list)) {
      this.sized.add(list);
      this.fact(formulas.and(formulas.atMost(formulas.number(0), list.size), formulas.whole(list.size)));
      this.prefer(formulas.atMost(list.size, formulas.number(20)));
    }
    return list.size;
  }

  /** Adds facts about the elements of lists. Call it after the last translation. */
  close(same: (a: FormulaTerm, b: FormulaTerm) => Formula): void {
    const { formulas } = this;
    this.addSpares();
    let left = MAX_INSTANCES;
    for (let size = -1; size !== this.held.size; ) {
      size = this.held.size;
      for (const [key, { list, body, some, errs }] of [...this.quantified]) {
        for (const [name, { element, isIn }] of [...this.askedIn(list)]) {
          const pair = `${key} ${name}`;
          if (this.held.has(pair) || left-- <= 0) continue;
          this.held.add(pair);
          const truth = body(element);
          this.fact(formulas.implies(formulas.and(isIn, truth.holds), some));
          this.fact(formulas.implies(formulas.and(isIn, this.erringIn(truth)), errs));
        }
      }
    }
    for (const { element, isIn } of this.askedIn(this.roles).values()) {
      this.fact(formulas.implies(isIn, this.terms.is(element, "text")));
    }
    for (const list of this.sized) this.fact(this.sizeFact(list, same));
  }

  /** A list is at least as long as the number of different values in it. */
  private sizeFact(list: RawValue, same: (a: FormulaTerm, b: FormulaTerm) => Formula): Formula {
    const { formulas } = this;
    const tests = [...this.askedIn(list).values()];
    // Constants cost nothing: they are compared with each other at once.
    const uncounted = tests.filter(({ element }) => element.text?.op !== "constant").slice(MAX_COUNTED);
    const asked = tests.filter((test) => !uncounted.includes(test));
    const one = formulas.number(1);
    const none = formulas.number(0);
    const counted = asked.map(({ element, isIn }, i) => {
      const isNew = asked
        .slice(0, i)
        .map((other) => formulas.not(formulas.and(other.isIn, same(other.element, element))));
      return formulas.choose(formulas.and(isIn, ...isNew), one, none);
    });
    const distinct = counted.reduce((sum, part) => formulas.sum(sum, part), none);
    if (this.isQuantified(list)) this.prefer(formulas.same(distinct, list.size));
    return formulas.atMost(distinct, list.size);
  }

  private isQuantified(list: RawValue): boolean {
    return [...this.quantified.values()].some((one) => one.list === list);
  }

  /** Adds elements, so that a list can reach its size where a property holds of all its elements. */
  private addSpares(): void {
    for (const list of this.sized) {
      if (!this.isQuantified(list)) continue;
      for (let n = 1; n <= SPARES; n++) this.element(list, `spare element ${n} of ${list.key}`);
    }
  }
}

const SPARES = 3;

/** At most this many elements of a list, beside constants, are counted: each is compared with all before it. */
const MAX_COUNTED = 12;
