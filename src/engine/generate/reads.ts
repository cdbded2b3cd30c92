/**
 * The request's values that generated code reads: each once, at the start, into a local variable. A list is copied before
 * it is first looked into, or where the function gives up, so what was looked at is what counts. So it keeps the invariant
 * "read once" of `cel/copies.ts`.
 */

import { type Declared, isTexts, KIND, MISFIT } from "../../cel/declared.js";
import type { Subject } from "../plan/subjects.js";
import { NOT_TEXTS } from "./answers.js";
import {
  type Attribute,
  type Attributes,
  attributesIn,
  type DeclaredAttribute,
  groupsOf,
  hasDeepCheck,
  isCopiedLate,
  localsOf,
  neededFor,
  neededIn,
  pathsIn,
  type ReadPath,
  type Search,
} from "./attributes.js";
import { LONG_TEXT, MAX_COUNTED } from "./budget.js";
import { fitsTest } from "./declared.js";
import { type Js, joined, js, quoted } from "./js.js";
import { ifAsked, type NeedsOf } from "./selection.js";
import type { Part, TypeCheck } from "./written.js";

/** What a layer declares of the attributes of a part. */
export interface Declarer {
  readonly layer: number;
  readonly subject: Subject;
  readonly root: Declared;
}

/** A read attribute. */
export interface Place {
  /** Its local variable; `undefined` if it is absent. */
  readonly local: Js;
  /** What it was read from, which is a map if it is an object at all. */
  readonly within: Js;
  /** Whether it is there, of whatever value, if that is a map. */
  readonly isThere: Js;
}

const PROTOTYPE = Object.prototype;
/** The parameters of the generated function, in their order. */
const PARAMETERS = {
  principal: { id: js`pi`, roles: js`pr`, attr: js`pa` },
  account: { id: js`qi`, roles: js`qr`, attr: js`qa` },
  resource: { kind: js`rk`, id: js`ri`, attr: js`ra` },
} as const;
/** Types of values that are compared as they are. */
const SCALAR = KIND.string | KIND.boolean | KIND.null;
const ALL_PARTS = ["principal", "account", "resource"] as const satisfies readonly Part[];

export class Reads {
  private count = 0;
  private readonly parts = new Map<Part, Attributes>();
  private flags = 0;
  private readonly names = new Set<string>();
  private readonly uses = new Map<string, number>();
  /** Functions that copy maps, beside the generated one. */
  readonly outside: Js[] = [];
  private readonly indexed = new Map<string, ListIndex>();
  /** How the generated function looks at values by what is declared of them. */
  readonly checks: TypeCheck[] = [];

  /** `P.attr.a.b`. Undefined if a name in it is one that objects inherit. */
  attribute(part: Part, path: readonly string[], declarer: Declarer | undefined): Place | undefined {
    const inside: Attributes = this.parts.get(part) ?? new Map();
    this.parts.set(part, inside);
    return this.place(PARAMETERS[part].attr, inside, path, declarer);
  }

  /** What stands at `path` in the map `from`, whose attributes are in `inside`. Undefined likewise. */
  place(from: Js, inside: Attributes, path: readonly string[], declarer?: Declarer): Place | undefined {
    if (path.some((name) => name in PROTOTYPE)) return undefined;
    let within = from;
    let among = inside;
    let place: Place | undefined;
    let last: Attribute | undefined;
    let outer = declarer?.root;
    for (const [i, name] of path.entries()) {
      this.names.add(name);
      outer = outer?.member(name);
      const known = among.get(name);
      last = known ?? {
        local: this.local(),
        inside: new Map(),
        declared: new Map(),
        isWhole: false,
        searches: [],
        flag: undefined,
        isLookedIntoElsewhere: false,
        answers: [],
      };
      among.set(name, last);
      if (declarer !== undefined && outer !== undefined && !last.declared.has(declarer.root)) {
        const { layer, subject } = declarer;
        const check = { layer, subject, path: path.slice(0, i + 1) };
        last.declared.set(declarer.root, { declared: outer, check, wholes: 0 });
      }
      place = { local: last.local, within, isThere: js`${quoted(name)} in ${within}` };
      within = last.local;
      among = last.inside;
    }
    if (last !== undefined) last.isWhole = true;
    const declared = declarer && last?.declared.get(declarer.root);
    if (declared !== undefined) declared.wholes++;
    return place;
  }

  /** Something is read in the elements of the list in a local variable. */
  search(local: Js, search: Search): void {
    this.find(local)?.searches.push(search);
  }

  /** A local variable, or the variable of a macro, stands in an expression. */
  use(local: Js): void {
    this.uses.set(local.text, (this.uses.get(local.text) ?? 0) + 1);
  }

  /**
   * What is looked into as a list, in place of a local variable: if that is an attribute's, a copy which is made at the first
   * such place. `isHere`: in the function's own body, where the copy can be put in its place.
   */
  list(local: Js, isHere: boolean): Js {
    const attribute = this.find(local);
    if (attribute === undefined) return local;
    if (!isHere) attribute.isLookedIntoElsewhere = true;
    if (!isHere) return local;
    attribute.flag ??= js`c${this.flags++}`;
    const { flag } = attribute;
    return js`(${flag} === 0 ? (${flag} = 1, ${local} = V(${local})) : ${local})`;
  }

  /**
   * The attribute in a local variable is looked into by one search alone in each run, after which nothing sets the flag but the
   * search itself, whose answer says whether it has read anything: so it is not copied. Unless it is read elsewhere, too.
   */
  leaveInPlace(local: Js, answers: readonly Js[], parts: ReadonlySet<Part>): boolean {
    const attribute = this.attributesOf(parts).find((one) => one.local.text === local.text);
    if (attribute === undefined || attribute.inside.size > 0 || !isCopiedLate(attribute, false)) return false;
    if (this.uses.get(local.text) !== answers.length) return false;
    attribute.answers = answers;
    return true;
  }

  /**
   * Whether the attribute in a local variable, which was read for the caller just now, is declared to be a list of texts and
   * nothing else. If so, the caller sees to it that it is one.
   */
  leavesTexts(local: Js): boolean {
    const declared = [...(this.find(local)?.declared.values() ?? [])].find((one) => isTexts(one.declared));
    if (declared === undefined) return false;
    declared.wholes--;
    return true;
  }

  /** Whether what is in a local variable is declared to be a text, a boolean or null, so that it is that or absent. */
  isScalar(local: Js): boolean {
    return this.declaredOf(local).some(({ kinds }) => (kinds & ~SCALAR) === 0);
  }

  /** Whether it is declared to be one of some short texts, or no text. */
  isShort(local: Js): boolean {
    return this.declaredOf(local).some(
      ({ kinds, scalars }) =>
        (kinds & ~SCALAR) === 0 &&
        ((kinds & KIND.string) === 0 ||
          (scalars !== undefined && [...scalars].every((one) => typeof one !== "string" || one.length < LONG_TEXT))),
    );
  }

  private declaredOf(local: Js): readonly Declared[] {
    return [...(this.find(local)?.declared.values() ?? [])].map(({ declared }) => declared);
  }

  private find(local: Js): Attribute | undefined {
    return [...this.parts.values()].flatMap(attributesIn).find((one) => one.local.text === local.text);
  }

  /**
   * The index of a list of a part that is bound, which was read into a local variable, for the texts `sought`.
   * Undefined for any other value.
   */
  indexOf(local: Js, sought: Js, bound: ReadonlySet<Part>): ListIndex | undefined {
    const made = js`B(${local}, ${sought})`;
    const known = this.indexed.get(made.text);
    if (known !== undefined) return known;
    const all = [...bound].flatMap((part) => attributesIn(this.parts.get(part) ?? new Map()));
    if (!all.some((one) => one.local.text === local.text)) return undefined;
    const index = { name: js`b${this.indexed.size}`, made };
    this.indexed.set(made.text, index);
    return index;
  }

  indexes(): readonly ListIndex[] {
    return [...this.indexed.values()];
  }

  /** Every path that is read of some parts, with its local variable: each before those in it. */
  paths(parts: ReadonlySet<Part>): readonly ReadPath[] {
    return [...this.parts].flatMap(([part, all]) => (parts.has(part) ? pathsIn(part, [], all) : []));
  }

  /** For which conditions each of {@link paths} is read. */
  pathNeeds(parts: ReadonlySet<Part>, needs: NeedsOf): readonly number[] {
    return this.paths(parts).map(({ attribute }) => neededFor(attribute, needs));
  }

  /**
   * The statements that read some parts. They keep the invariant "own properties" of `cel/values.ts` without asking for
   * each: the prototype of every map must be the usual one or none, but for the attributes as a whole, which can have any
   * that has none of the names, and the usual one must have none of them. (These checks come right after the reads, with no
   * call between: then they cost next to nothing. Where it depends on the question what is read, they come before.) That
   * `in` is asked as well stops a proxy that makes up what it does not have. What is unusual sets the flag, and all else
   * is read nevertheless. `keepsAll`: what is read is not for generated code alone. `needs`: for
   * which conditions an attribute is read, if not for all.
   */
  statements(parts: ReadonlySet<Part>, keepsAll: boolean, needs?: NeedsOf): readonly Js[] {
    return ALL_PARTS.filter((part) => parts.has(part)).flatMap((part) => this.of(part, keepsAll, needs));
  }

  private of(part: Part, keepsAll: boolean, needs: NeedsOf | undefined): readonly Js[] {
    const all = this.parts.get(part);
    if (all === undefined) return [];
    return this.readAll(PARAMETERS[part].attr, all, { declined: FLAGGED, isOutermost: true, keepsAll, needs });
  }

  /** Sets the flag where a name that is read is inherited by all objects. */
  polluted(): readonly Js[] {
    const names = [...this.names].map((name) => js`${quoted(name)} in O`);
    return names.length === 0 ? [] : [js`if (${joined(names, " || ")}) z = 1;`];
  }

  /** The statements that read from the element of a list, in a function that returns `declined` for the unusual. */
  element(local: Js, inside: Attributes, declined: Js): readonly Js[] {
    if (inside.size === 0) return [];
    const locals = localsOf(inside);
    const how = { declined: js`return ${declined};`, isOutermost: false, keepsAll: undefined, needs: undefined };
    return [js`let ${joined(locals, ", ")};`, ...this.readInside(local, inside, how)];
  }

  private readAll(map: Js, all: Attributes, how: Reading): readonly Js[] {
    const { declined, isOutermost, keepsAll, needs, within } = how;
    const groups = groupsOf(all, needs).map(({ bits, some }) => {
      const those = some.map(([, one]) => one);
      // The elements of lists are of a list that was copied.
      const copies = keepsAll === undefined ? [] : those.flatMap((one) => this.copied(one, keepsAll));
      const typed = those.flatMap(({ local, declared }) =>
        [...declared.values()].flatMap((one) => this.checked(local, one, declined)),
      );
      const inner = those.flatMap(({ local, inside }) =>
        inside.size === 0 ? [] : this.readInside(local, inside, { ...how, isOutermost: false, within: bits }),
      );
      const reads = some.map(
        ([name, { local }]) => js`${local} = ${quoted(name)} in ${map} ? ${map}[${quoted(name)}] : undefined;`,
      );
      return { bits, reads, looks: [...copies, ...typed, ...inner] };
    });
    const prototype = this.local();
    const isForeign = js`${prototype} !== O && ${prototype} !== null`;
    // Attributes as a whole may be of a class. What is in them is no data then.
    const inherited = [...all.keys()].map((name) => js`${quoted(name)} in ${prototype}`);
    const isRefused = isOutermost ? js`${isForeign} && (${joined(inherited, " || ")})` : isForeign;
    const plain = js`const ${prototype} = G(${map});\nif (${isRefused}) ${declined}`;
    if (needs === undefined) return groups.flatMap(({ reads, looks }) => [...reads, plain, ...looks]);
    // V8 looks at the shape of the map here, whatever is read then, and not in each branch; and by it knows the prototype.
    const [name = ""] = all.keys();
    const shape = js`${quoted(name)} in ${map};`;
    return [shape, plain, ...groups.flatMap(({ bits, reads, looks }) => asked(bits, within, [...reads, ...looks]))];
  }

  /** Statements that copy the lists of some parts that were read and not copied, for whoever reads them next. */
  lateCopies(parts: ReadonlySet<Part>, keepsAll: boolean): readonly Js[] {
    return this.attributesOf(parts).flatMap((one) => {
      if (!one.isWhole || !isCopiedLate(one, keepsAll)) return [];
      const { local, flag, answers } = one;
      const copy = js`${local} = V(${local});`;
      const areOthers = answers.map((answer) => js`${answer} === ${NOT_TEXTS}`);
      if (answers.length > 0) return [js`${local} = ${joined(areOthers, " || ")} ? NT : V(${local});`];
      return [flag === undefined ? copy : js`if (${flag} === 0) ${copy}`];
    });
  }

  /**
   * What is read with all that is in it is copied, where it is not a text or a number. Where nothing is looked into, that is
   * a list with its elements as they are, which are compared with texts and numbers alone: it is made where it is needed.
   * Where nothing but predicates of macros looks into it, it is a list of maps that have what these read.
   */
  private copied(attribute: Attribute, keepsAll: boolean): readonly Js[] {
    const { local, isWhole, searches } = attribute;
    if (!isWhole || isCopiedLate(attribute, keepsAll)) return [];
    const isLookedInto = hasDeepCheck(attribute);
    if (searches.length === 0 && !isLookedInto) return [js`if (typeof ${local} === "object") ${local} = V(${local});`];
    const isSearchedAlone =
      this.uses.get(local.text) === searches.length && searches.every(({ element }) => !this.uses.has(element.text));
    if (isLookedInto || keepsAll || !isSearchedAlone) {
      return [js`if (typeof ${local} === "object") ${local} = W(${local});`];
    }
    const copy = js`g${this.outside.length}`;
    this.outside.push(js`function ${copy}(s) {\n${mapCopy(searches)}\n}`);
    return [js`if (typeof ${local} === "object") ${local} = WL(${local}, ${copy});`];
  }

  /** Declines what is not as declared. What is absent need not be. */
  private checked(local: Js, { declared, check, wholes }: DeclaredAttribute, declined: Js): readonly Js[] {
    const test = fitsTest(local, declared) ?? js`${this.given({ ...check, asks: "fits" })}(${local})`;
    const itself = js`if (!${test} && ${local} !== undefined) ${declined}`;
    if (wholes === 0 || !declared.hasParts) return [itself];
    if (isTexts(declared))
      return [
        js`if (${local} !== undefined && (!L(${local}) || (k += ${local}.length + 15 >> 4) > ${MAX_COUNTED} || !X(${local}))) ${declined}`,
      ];
    const cost = this.given({ ...check, asks: "cost" });
    const [found, object] = [this.local(), js`typeof ${local} === "object" && ${local} !== null`];
    return [
      itself,
      js`const ${found} = ${object} ? ${cost}(${local}) : 0;`,
      js`if (${found} === ${MISFIT} || (k += ${found}) > ${MAX_COUNTED}) ${declined}`,
    ];
  }

  /** A function that the generated one is given; returns what it is called by. */
  private given(check: TypeCheck): Js {
    this.checks.push(check);
    return js`d[${this.checks.length - 1}]`;
  }

  private readInside(local: Js, inside: Attributes, how: Reading): readonly Js[] {
    const bits = how.needs && neededIn(inside, how.needs);
    const statements = joined(this.readAll(local, inside, { ...how, within: bits }), "\n");
    return asked(bits, how.within, [js`if (typeof ${local} === "object" && ${local} !== null) {\n${statements}\n}`]);
  }

  /** The local variables of attributes. */
  locals(parts: ReadonlySet<Part>): readonly Js[] {
    return this.attributesOf(parts).map(({ local }) => local);
  }

  /** Those that say whether lists were copied, as they are at the beginning. */
  copyFlags(parts: ReadonlySet<Part>, keepsAll: boolean): readonly Js[] {
    return this.attributesOf(parts).flatMap((one) =>
      one.flag === undefined
        ? []
        : [js`${one.flag} = ${isCopiedLate(one, keepsAll) && one.answers.length === 0 ? 0 : 1}`],
    );
  }

  private attributesOf(parts: ReadonlySet<Part>): readonly Attribute[] {
    return [...this.parts].flatMap(([part, all]) => (parts.has(part) ? attributesIn(all) : []));
  }

  /** A name for a local variable. */
  local(): Js {
    return js`a${this.count++}`;
  }
}

/** What a part has besides attributes. */
export type Field = "id" | "kind" | "roles";

/** `P.id` and its like. */
export function fieldOf(part: Part, field: Field): Js {
  const found: { readonly [name in Field]?: Js } = PARAMETERS[part];
  const parameter = found[field];
  if (parameter === undefined) throw new Error(`keyward: the ${part} has no ${field}`);
  return parameter;
}

/** The parameters for some parts, whether they are read or not. */
export function parametersOf(parts: readonly Part[]): readonly Js[] {
  return parts.flatMap((part) => Object.values(PARAMETERS[part]));
}

/** The body of what copies a map `s` as far as predicates look into it. A name that all objects inherit is no plain matter. */
function mapCopy(searches: readonly Search[]): Js {
  const names = [...new Set(searches.flatMap(({ inside }) => [...inside.keys()]))].map(quoted);
  const inherited = names.map((name) => js`${name} in O`);
  const own = names.map((name) => js`HO(s, ${name})`);
  const values = names.map((name, i) => js`const v${i} = s[${name}];`);
  const members = names.map((name, i) => js`${name}: typeof v${i} === "object" ? W(v${i}) : v${i}`);
  const some = names.map(
    (name, i) => js`if (${own[i] ?? js``}) {\nconst v = s[${name}];\nc[${name}] = typeof v === "object" ? W(v) : v;\n}`,
  );
  return joined(
    [
      js`if (${joined(inherited, " || ")}) return W(s);`,
      // Most have all of the names. Copies that are made at once are made faster, and V8 keeps their shape.
      js`if (${joined(own, " && ")}) {\n${joined(values, "\n")}\nreturn { ${joined(members, ", ")} };\n}`,
      js`const c = {};`,
      ...some,
      js`return c;`,
    ],
    "\n",
  );
}

const FLAGGED = js`z = 1;`;

/** How attributes are read. */
interface Reading {
  /** What is done about the unusual. */
  readonly declined: Js;
  /** They are those of a part as a whole. */
  readonly isOutermost: boolean;
  /** What is read is not for generated code alone. Undefined: it is of a copy. */
  readonly keepsAll: boolean | undefined;
  /** For which conditions it is read. Undefined: for all. */
  readonly needs: NeedsOf | undefined;
  /** For which conditions that in which it stands is read. */
  readonly within?: number | undefined;
}

/** Statements for some conditions, among statements for these or for more of them (`within`). */
function asked(bits: number | undefined, within: number | undefined, statements: readonly Js[]): readonly Js[] {
  return bits === within || bits === undefined || statements.length === 0 ? statements : [ifAsked(bits, statements)];
}

/** The index of a list: its name, and what makes it. */
export interface ListIndex {
  readonly name: Js;
  readonly made: Js;
}
