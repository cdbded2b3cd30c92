/**
 * The request's values that generated code reads: each once, at the start, into a local variable. So it keeps the
 * invariant "read once" of `cel/evaluation.ts`.
 */

import { type Declared, isTexts, MISFIT } from "../../cel/declared.js";
import { MAX_COUNTED } from "./budget.js";
import { fitsTest } from "./declared.js";
import { type Js, joined, js, quoted } from "./js.js";
import type { AttributePath, AttributeTypes, Subject, TypeCheck } from "./written.js";

export type Field = "id" | "kind" | "roles";

/** An attribute, with those inside it that are read as well. */
interface Attribute {
  readonly local: Js;
  readonly inside: Attributes;
  /** What is declared of it. */
  readonly declared: Declared | undefined;
  /** How often it is read with all that is in it, where nothing else sees to that being as declared. */
  wholes: number;
}

/** What is read from one map, by name. */
export type Attributes = Map<string, Attribute>;

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
const SUBJECTS: { readonly [subject in Subject]: Js } = { principal: js`p`, resource: js`r` };
const FIELDS: { readonly [field in Field]: Js } = { id: js`id`, kind: js`kind`, roles: js`roles` };

export class Reads {
  private count = 0;
  private readonly subjects = new Map<Subject, Attributes>();
  private readonly fields = new Map<string, { readonly subject: Subject; readonly local: Js; readonly source: Js }>();
  private readonly names = new Set<string>();
  private readonly indexed = new Map<string, { readonly name: Js; readonly made: Js }>();
  /** How the generated function looks at values by what is declared of them. */
  readonly checks: TypeCheck[] = [];
  private readonly types: AttributeTypes;

  constructor(types: AttributeTypes) {
    this.types = types;
  }

  /** `P.id` and its like. */
  field(subject: Subject, field: Field): Js {
    const key = `${subject}.${field}`;
    const known = this.fields.get(key);
    if (known !== undefined) return known.local;
    const local = this.local();
    this.fields.set(key, { subject, local, source: js`${SUBJECTS[subject]}.${FIELDS[field]}` });
    return local;
  }

  /** `P.attr.a.b`. Undefined if a name in it is one that objects inherit. */
  attribute(subject: Subject, path: readonly string[]): Place | undefined {
    const inside: Attributes = this.subjects.get(subject) ?? new Map();
    this.subjects.set(subject, inside);
    return this.place(js`${SUBJECTS[subject]}.attr`, inside, path, this.types[subject]);
  }

  /**
   * What stands at `path` in the map `from`, whose attributes are in `inside`, and of which `declared` is declared.
   * Undefined likewise.
   */
  place(from: Js, inside: Attributes, path: readonly string[], declared?: Declared): Place | undefined {
    if (path.some((name) => name in PROTOTYPE)) return undefined;
    let within = from;
    let among = inside;
    let place: Place | undefined;
    let last: Attribute | undefined;
    let outer = declared;
    for (const name of path) {
      this.names.add(name);
      outer = outer?.member(name);
      last = among.get(name) ?? { local: this.local(), inside: new Map(), declared: outer, wholes: 0 };
      among.set(name, last);
      place = { local: last.local, within, isThere: js`${quoted(name)} in ${within}` };
      within = last.local;
      among = last.inside;
    }
    if (last !== undefined) last.wholes++;
    return place;
  }

  /**
   * Whether the attribute in a local variable, which was read for the caller just now, is declared to be a list of texts and
   * nothing else. If so, the caller sees to it that it is one.
   */
  leavesTexts(local: Js): boolean {
    const found = [...this.subjects.values()].flatMap(attributesIn).find((one) => one.local.text === local.text);
    if (found?.declared === undefined || !isTexts(found.declared)) return false;
    found.wholes--;
    return true;
  }

  /**
   * The index of a list of the principal that was read into a local variable, for the texts `sought`, which are further
   * arguments of the helper. Undefined for any other value.
   */
  indexOf(local: Js, sought: Js): Js | undefined {
    const made = js`B(${local}, ${sought})`;
    const known = this.indexed.get(made.text);
    if (known !== undefined) return known.name;
    const all = attributesIn(this.subjects.get("principal") ?? new Map());
    if (!all.some((one) => one.local.text === local.text)) return undefined;
    const name = js`b${this.indexed.size}`;
    this.indexed.set(made.text, { name, made });
    return name;
  }

  /** The statements that make the indexes. */
  indexes(): readonly Js[] {
    return [...this.indexed.values()].map(({ name, made }) => js`const ${name} = ${made};`);
  }

  /** Every path that is read, with its local variable. */
  paths(): readonly (AttributePath & { readonly local: Js })[] {
    return [...this.subjects].flatMap(([subject, all]) => pathsIn(subject, [], all));
  }

  /**
   * The statements that read. They keep the invariant "own properties" of `cel/values.ts` without asking for each: the
   * prototype of every map must be the usual one or none, but for the attributes as a whole, which can have any that has
   * none of the names, and the usual one must have none of them. (These checks come after the reads: then they cost next
   * to nothing.) That `in` is asked as well stops a proxy that makes up what
   * it does not have.
   */
  statements(): readonly Js[] {
    return [...this.of("principal", js`-1`), ...this.of("resource", js`-1`), ...this.polluted()];
  }

  /** Those that read one subject; the function returns `declined` for the unusual. */
  of(subject: Subject, declined: Js): readonly Js[] {
    const fields = [...this.fields.values()].filter((field) => field.subject === subject);
    const all = this.subjects.get(subject);
    const own = fields.map(({ local, source }) => js`const ${local} = ${source};`);
    if (all === undefined) return own;
    const map = this.local();
    const inside = { subject, path: [] };
    return [...own, js`const ${map} = ${SUBJECTS[subject]}.attr;`, ...this.readAll(map, all, declined, inside)];
  }

  /** Declines where a name that is read is inherited by all objects. */
  polluted(): readonly Js[] {
    const names = [...this.names].map((name) => js`${quoted(name)} in O`);
    return names.length === 0 ? [] : [js`if (${joined(names, " || ")}) return -1;`];
  }

  /** The statements that read from the element of a list, in a function that returns `declined` for the unusual. */
  element(local: Js, inside: Attributes, declined: Js): readonly Js[] {
    if (inside.size === 0) return [];
    const locals = localsOf(inside);
    return [js`let ${joined(locals, ", ")};`, this.readInside(local, inside, declined, undefined)];
  }

  /** `at`: where the map stands; undefined in the elements of lists, of which nothing is declared. */
  private readAll(map: Js, all: Attributes, declined: Js, at: AttributePath | undefined): readonly Js[] {
    const member = (name: string) => at && { ...at, path: [...at.path, name] };
    const reads = [...all].map(
      ([name, { local }]) => js`${local} = ${quoted(name)} in ${map} ? ${map}[${quoted(name)}] : undefined;`,
    );
    const inner = [...all].flatMap(([name, { local, inside }]) =>
      inside.size === 0 ? [] : [this.readInside(local, inside, declined, member(name))],
    );
    const typed = [...all].flatMap(([name, one]) => this.checked(one, declined, member(name)));
    const prototype = this.local();
    const isForeign = js`${prototype} !== O && ${prototype} !== null`;
    // Attributes as a whole may be of a class. What is in them is no data then.
    const inherited = [...all.keys()].map((name) => js`${quoted(name)} in ${prototype}`);
    const isRefused = at?.path.length === 0 ? js`${isForeign} && (${joined(inherited, " || ")})` : isForeign;
    const plain = js`const ${prototype} = G(${map});\nif (${isRefused}) return ${declined};`;
    return [...reads, plain, ...typed, ...inner];
  }

  /** Declines what is not as declared. What is absent need not be. */
  private checked({ local, declared, wholes }: Attribute, declined: Js, at: AttributePath | undefined): readonly Js[] {
    if (declared === undefined || at === undefined) return [];
    const test = fitsTest(local, declared) ?? js`${this.given({ ...at, asks: "fits" })}(${local})`;
    const itself = js`if (!${test} && ${local} !== undefined) return ${declined};`;
    if (wholes === 0 || !declared.hasParts) return [itself];
    if (isTexts(declared))
      return [
        js`if (${local} !== undefined && (!L(${local}) || (k += ${local}.length + 15 >> 4) > ${MAX_COUNTED} || !X(${local}))) return ${declined};`,
      ];
    const cost = this.given({ ...at, asks: "cost" });
    const [found, object] = [this.local(), js`typeof ${local} === "object" && ${local} !== null`];
    return [
      itself,
      js`const ${found} = ${object} ? ${cost}(${local}) : 0;`,
      js`if (${found} === ${MISFIT} || (k += ${found}) > ${MAX_COUNTED}) return ${declined};`,
    ];
  }

  /** A function that the generated one is given; returns what it is called by. */
  private given(check: TypeCheck): Js {
    this.checks.push(check);
    return js`d[${this.checks.length - 1}]`;
  }

  private readInside(local: Js, inside: Attributes, declined: Js, at: AttributePath | undefined): Js {
    const statements = joined(this.readAll(local, inside, declined, at), "\n");
    return js`if (typeof ${local} === "object" && ${local} !== null) {\n${statements}\n}`;
  }

  /** Declares the local variables of attributes. */
  declaration(...subjects: readonly Subject[]): Js | undefined {
    const locals = subjects.flatMap((subject) => localsOf(this.subjects.get(subject) ?? new Map()));
    return locals.length === 0 ? undefined : js`let ${joined(locals, ", ")};`;
  }

  /** A name for a local variable. */
  local(): Js {
    return js`a${this.count++}`;
  }
}

function localsOf(all: Attributes): readonly Js[] {
  return attributesIn(all).map(({ local }) => local);
}

function attributesIn(all: Attributes): readonly Attribute[] {
  return [...all.values()].flatMap((one) => [one, ...attributesIn(one.inside)]);
}

function pathsIn(
  subject: Subject,
  at: readonly string[],
  all: Attributes,
): readonly (AttributePath & { readonly local: Js })[] {
  return [...all].flatMap(([name, { local, inside }]) => {
    const path = [...at, name];
    return [{ subject, path, local }, ...pathsIn(subject, path, inside)];
  });
}
