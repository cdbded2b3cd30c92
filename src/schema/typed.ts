/** What schemas declare, in the form in which reads of attributes are held against it. */

import { ANY_KIND, type Declared, KIND } from "../cel/declared.js";
import { isList, isObject, type JsonValue } from "../cel/json.js";
import { type Declared as ByKeywords, declaredBy, type JsonType } from "./declared.js";
import { equal } from "./values.js";

/** What the schemas of a model declare of attributes, by the reference to the schema of all: `cerbos:///key.json`. */
export class DeclaredTypes {
  private readonly documents: ReadonlyMap<string, JsonValue>;
  private readonly known = new Map<string, Declared | undefined>();

  constructor(documents: ReadonlyMap<string, JsonValue>) {
    this.documents = documents;
  }

  /** Undefined: nothing is declared. */
  at(ref: string): Declared | undefined {
    if (this.known.has(ref)) return this.known.get(ref);
    const made = typed(declaredBy(this.documents, ref));
    this.known.set(ref, made);
    return made;
  }
}

function typed(source: ByKeywords): Declared | undefined {
  return saysNothing(source, { left: MAX_LOOKS }) ? undefined : new Typed(source);
}

/** A schema can contain itself: one that has said nothing for so long is taken to say something. */
const MAX_LOOKS = 1_000;

/** A name that no schema has. */
const ANOTHER = "\0";

function saysNothing(source: ByKeywords, looks: { left: number }): boolean {
  if (source.isFree) return true;
  return kindsOf(source) === ANY_KIND && source.values === undefined && !saysOfParts(source, looks);
}

function saysOfParts(source: ByKeywords, looks: { left: number }): boolean {
  if (looks.left-- <= 0) return true;
  const { items, names } = source;
  return !saysNothing(items, looks) || [...names, ANOTHER].some((name) => !saysNothing(source.field(name), looks));
}

class Typed implements Declared {
  readonly kinds: number;
  readonly scalars: ReadonlySet<JsonValue> | undefined;
  readonly isListed: ((value: unknown) => boolean) | undefined;
  readonly hasParts: boolean;
  readonly words: string;
  private readonly source: ByKeywords;
  private readonly members = new Map<string, Declared | undefined>();
  private each: { readonly declared: Declared | undefined } | undefined;

  constructor(source: ByKeywords) {
    const { values, types } = source;
    this.source = source;
    this.kinds = kindsOf(source);
    this.scalars = values && new Set(values.filter((value) => !isWhole(value)));
    const whole = values?.filter(isWhole) ?? [];
    this.isListed = whole.length === 0 ? undefined : (value) => whole.some((one) => equal(value, one));
    const canHaveParts = types.has("array") || types.has("object");
    this.hasParts = canHaveParts && saysOfParts(source, { left: MAX_LOOKS });
    this.words = wordsOf(source);
  }

  // Made when asked for, since a schema can contain itself.
  get items(): Declared | undefined {
    this.each ??= { declared: typed(this.source.items) };
    return this.each.declared;
  }

  member(name: string): Declared | undefined {
    const key = this.source.names.has(name) ? name : ANOTHER;
    if (this.members.has(key)) return this.members.get(key);
    const made = typed(this.source.field(key));
    this.members.set(key, made);
    return made;
  }
}

function isWhole(value: JsonValue): boolean {
  return isList(value) || isObject(value);
}

function kindsOf({ types, integer }: ByKeywords): number {
  let kinds = 0;
  for (const type of types)
    kinds |= type === "number" ? (integer ? KIND.integer : KIND.integer | KIND.number) : KIND[type];
  return kinds;
}

function wordsOf({ types, integer, values }: ByKeywords): string {
  if (values !== undefined) return values.length === 1 ? "one value" : `one of ${values.length} values`;
  const name = (type: JsonType): string => (type === "number" && integer ? "integer" : type);
  return types.size === 0 ? "nothing" : [...types].map(name).sort().join(" or ");
}
