/** Translates reads of a request to formulas: the attributes, and whether each is as schemas declare it. */

import { KIND, type TypeDeclaration } from "../../cel/type-declaration.js";
import { serializeParts } from "../../cel/type-declaration-data.js";
import type { JsonMap } from "../../cel/values.js";
import type { DeclaredAttributeTypes } from "../plan/subjects.js";
import type { Formula, JsonKind } from "./formula.js";
import type { RawValue } from "./raw-value.js";
import { ERRING, type FormulaTerm } from "./terms.js";
import type { FormulaWorld, RequestSubject } from "./world.js";

/** The context in which the expressions of a layer are evaluated. */
export interface FormulaReading {
  /** The subject that expressions read as `P`. */
  readonly principal: RequestSubject;
  readonly types: DeclaredAttributeTypes;
  /** A key made of the texts of the schemas: equal keys mean equal schemas. */
  readonly schemas: string;
  /** Undefined: they are unknown. */
  readonly globals: JsonMap | undefined;
  /** A key for the list of active derived roles: equal keys mean equal lists. Undefined: the list is empty. */
  active(): string | undefined;
  /** Equal keys: expressions read the same values. */
  readonly key: string;
}

/** Bits of declared types, with the matching types of formulas. `integer` is a whole number. */
const BITS: readonly (readonly [bit: number, kind: JsonKind])[] = [
  [KIND.null, "null"],
  [KIND.boolean, "bool"],
  [KIND.string, "text"],
  [KIND.array, "list"],
  [KIND.object, "map"],
];

/** Attributes or a value below them, with the declaration in the schemas. */
export interface AttributePlace {
  readonly raw: RawValue;
  readonly declared: TypeDeclaration | undefined;
  /** Whether the value and every value on the path to it are as declared, regardless of their contents. */
  readonly fits: Formula;
  /** A key made of the texts of the schemas. */
  readonly schemas: string;
}

export class AttributeFormulas {
  private readonly world: FormulaWorld;
  private readonly told = new Set<string>();
  private readonly written = new Map<TypeDeclaration, string | undefined>();
  private readonly numbers = new Map<string, number>();

  constructor(world: FormulaWorld) {
    this.world = world;
  }

  attributes({ types, schemas }: FormulaReading, subject: RequestSubject): AttributePlace {
    const declared = subject === "resource" ? types.resource : types.principal;
    const raw = this.world.attributes(subject);
    // Nothing to check: attributes are a map in every request.
    return { raw, declared, fits: this.world.formulas.yes, schemas };
  }

  below({ raw, declared, fits, schemas }: AttributePlace, name: string): AttributePlace {
    const { formulas } = this.world;
    const inner = declared?.member(name);
    const member = raw.member(name);
    const isRight = inner === undefined ? formulas.yes : this.fits(member, inner);
    this.world.prefer(formulas.implies(member.isThere(), isRight));
    this.world.declared.set(member, (this.world.declared.get(member) ?? new Set()).add(isRight));
    return { raw: member, declared: inner, fits: formulas.and(fits, isRight), schemas };
  }

  /** A value that is only a container here: its contents are not checked. */
  container({ raw, fits }: AttributePlace): FormulaTerm {
    return this.world.terms.where(fits, this.world.terms.raw(raw));
  }

  /** A value that is read as a whole: it and its contents must be as declared. */
  whole(place: AttributePlace): FormulaTerm {
    const { raw, declared } = place;
    const term = this.container(place);
    if (declared === undefined || (declared.kinds & KIND.object) !== 0) this.world.wholeMaps.add(raw);
    if (declared === undefined || !declared.hasParts) return term;
    return this.world.terms.where(this.partsFit(raw, declared, place.schemas), term);
  }

  /** Whether a value is as declared, regardless of its contents. */
  private fits(raw: RawValue, { kinds, scalars, listed }: TypeDeclaration): Formula {
    const { formulas } = this.world;
    const ofKinds = BITS.filter(([bit]) => (kinds & bit) !== 0).map(([, kind]) => raw.is(kind));
    const number =
      (kinds & KIND.number) !== 0
        ? formulas.yes
        : (kinds & KIND.integer) !== 0
          ? formulas.whole(raw.number)
          : formulas.no;
    const ofType = formulas.or(...ofKinds, formulas.and(raw.is("number"), number));
    if (scalars === undefined) return ofType;
    const values = [...scalars].map((value): Formula => {
      if (value === null) return raw.is("null");
      if (typeof value === "string")
        return formulas.and(raw.is("text"), formulas.same(raw.text, this.world.text(value)));
      if (typeof value === "boolean")
        return formulas.and(raw.is("bool"), formulas.same(raw.bool, formulas.bool(value)));
      return formulas.and(raw.is("number"), formulas.same(raw.number, formulas.number(value)));
    });
    if (listed.length > 0) {
      const texts = listed.map((value) => JSON.stringify(value)).sort();
      const isListed = formulas.unknown("bool", `${raw.key}: is one of ${texts.join()}`);
      values.push(formulas.and(formulas.or(raw.is("list"), raw.is("map")), isListed));
    }
    return formulas.and(ofType, formulas.or(...values));
  }

  /**
   * Whether the contents of a value are as declared. Equal declarations share one unknown. True for a value without
   * parts.
   */
  private partsFit(raw: RawValue, declared: TypeDeclaration, schemas: string): Formula {
    const { formulas } = this.world;
    const fit = formulas.unknown("bool", `${raw.key}: parts as declared by ${this.numberOf(declared, schemas)}`);
    const result = formulas.or(fit, formulas.not(formulas.or(raw.is("list"), raw.is("map"))));
    this.world.prefer(result);
    if (!this.told.has(fit.id.toString())) {
      this.told.add(fit.id.toString());
      this.parts.push({ raw, declared, fit });
      this.world.wholes.push({ raw, fit });
    }
    return result;
  }

  /** Equal numbers mean equal declarations of parts. A recursive declaration is equal only within the same schemas. */
  private numberOf(declared: TypeDeclaration, schemas: string): number {
    if (!this.written.has(declared)) this.written.set(declared, serializeParts(declared));
    const words = this.written.get(declared) ?? schemas;
    const number = this.numbers.get(words) ?? this.numbers.size;
    this.numbers.set(words, number);
    return number;
  }

  private readonly parts: { readonly raw: RawValue; readonly declared: TypeDeclaration; readonly fit: Formula }[] = [];

  /** Adds facts about the parts of values that were translated. Call it after the last translation. */
  close(): void {
    const { formulas } = this.world;
    for (const { raw, declared, fit } of this.parts) {
      const { items } = declared;
      if (items !== undefined) {
        for (const { element, isIn, raw: known } of [...this.world.askedIn(raw).values()]) {
          const right = known === undefined ? this.termFits(element, items) : this.fits(known, items);
          this.world.fact(formulas.implies(formulas.and(fit, raw.is("list"), isIn), right));
        }
      }
      for (const [name, member] of raw.members) {
        const inner = declared.member(name);
        if (inner === undefined) continue;
        this.world.fact(formulas.implies(formulas.and(fit, raw.is("map"), member.isThere()), this.fits(member, inner)));
      }
    }
  }

  /** Whether the declared type of elements allows a list to contain this value. Only the type is checked. */
  private termFits(term: FormulaTerm, { kinds }: TypeDeclaration): Formula {
    const { formulas, terms } = this.world;
    const allowed: Formula[] = [terms.is(term, "other"), terms.is(term, "time"), terms.is(term, "duration")];
    if ((kinds & KIND.null) !== 0) allowed.push(terms.is(term, "null"));
    if ((kinds & KIND.boolean) !== 0) allowed.push(terms.is(term, "bool"));
    if ((kinds & KIND.string) !== 0) allowed.push(terms.is(term, "text"));
    if ((kinds & (KIND.integer | KIND.number)) !== 0) {
      allowed.push(terms.is(term, "double"), terms.is(term, "int"), terms.is(term, "uint"));
    }
    if ((kinds & KIND.array) !== 0) allowed.push(terms.is(term, "list"));
    if ((kinds & KIND.object) !== 0) allowed.push(terms.is(term, "map"));
    return formulas.or(...allowed);
  }
}

/** `has(operand.field)`. It errs on a list. */
export function hasFieldTerm(world: FormulaWorld, operand: FormulaTerm, field: string): FormulaTerm {
  const { formulas, terms } = world;
  const inMap = operand.map === undefined ? formulas.no : memberPresence(world, operand.map, field);
  const isMap = terms.is(operand, "map");
  const isOther = terms.is(operand, "other");
  const opaque = formulas.unknown("bool", `has ${operand.origin}.${JSON.stringify(field)}`);
  const opaqueErrs = formulas.unknown("bool", `has errs ${operand.origin}.${JSON.stringify(field)}`);
  const holds = formulas.or(formulas.and(isMap, inMap), formulas.and(isOther, opaque));
  const isFine = formulas.and(
    terms.exists(operand),
    formulas.not(terms.is(operand, "list")),
    formulas.not(formulas.and(isOther, opaqueErrs)),
  );
  return terms.bool(holds, isFine);
}

function memberPresence(world: FormulaWorld, map: NonNullable<FormulaTerm["map"]>, field: string): Formula {
  switch (map.kind) {
    case "raw":
      return map.raw.member(field).isThere();
    case "members":
      return map.members.has(field) ? world.formulas.yes : world.formulas.no;
    case "choice":
      return world.formulas.choose(map.test, memberPresence(world, map.a, field), memberPresence(world, map.b, field));
  }
}

/** `operand.field`. */
export function selectField(world: FormulaWorld, operand: FormulaTerm, field: string): FormulaTerm {
  const { formulas, terms } = world;
  const inMap =
    operand.map === undefined ? ERRING : terms.where(terms.is(operand, "map"), memberOf(world, operand.map, field));
  if (terms.is(operand, "other") === formulas.no) return inMap;
  return terms.choose(
    terms.is(operand, "other"),
    unknownTerm(world, `${operand.origin}.${JSON.stringify(field)}`),
    inMap,
  );
}

function memberOf(world: FormulaWorld, map: NonNullable<FormulaTerm["map"]>, field: string): FormulaTerm {
  switch (map.kind) {
    case "raw":
      return world.value(map.raw.member(field));
    case "members":
      return map.members.get(field) ?? ERRING;
    case "choice":
      return world.terms.choose(map.test, memberOf(world, map.a, field), memberOf(world, map.b, field));
  }
}

/** A value of any type, or an error: only its origin is known. Equal keys give equal values. */
export function unknownTerm(world: FormulaWorld, key: string): FormulaTerm {
  const origin = `value ${key}`;
  world.untranslated.addName(origin);
  return world.value(world.raw(origin, false));
}
