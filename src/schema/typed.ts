/** Declarations from schemas in the form that validates reads of attributes (`cel/declared.ts`). */

import { ANY_KIND, type Declared, type DeclaredTypes, KIND } from "../cel/declared.js";
import type { JsonValue } from "../cel/json.js";
import type { JsonScalar } from "../cel/values.js";
import { type Declared as ByKeywords, declaredBy, type JsonType } from "./declared.js";
import { equal } from "./values.js";

/** The declared types of attributes, by the schemas of a model. */
export class SchemaTypes implements DeclaredTypes {
  private readonly documents: ReadonlyMap<string, JsonValue>;
  private readonly known = new Map<string, Typed | undefined>();

  constructor(documents: ReadonlyMap<string, JsonValue>) {
    this.documents = documents;
  }

  at(ref: string): Typed | undefined {
    if (this.known.has(ref)) return this.known.get(ref);
    const made = typed(declaredBy(this.documents, ref));
    this.known.set(ref, made);
    return made;
  }
}

function typed(source: ByKeywords): Typed | undefined {
  return saysNothing(source, { left: MAX_LOOKS }) ? undefined : new Typed(source);
}

/**
 * A schema can contain itself. If the search has found no declaration after this many steps, it assumes that there is
 * one.
 */
const MAX_LOOKS = 1_000;

/** A name that no schema mentions. */
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

/** The declaration of a value. Declarations of parts are made on demand, since a schema can contain itself. */
export class Typed implements Declared {
  readonly kinds: number;
  readonly scalars: ReadonlySet<JsonScalar> | undefined;
  readonly listed: readonly JsonValue[];
  readonly isListed: ((value: unknown) => boolean) | undefined;
  readonly hasParts: boolean;
  readonly words: string;
  private readonly source: ByKeywords;
  private readonly members = new Map<string, Typed | undefined>();
  private each: { readonly declared: Typed | undefined } | undefined;

  constructor(source: ByKeywords) {
    const { values, types } = source;
    this.source = source;
    this.kinds = kindsOf(source);
    this.scalars = values && new Set(values.filter(isScalar));
    const listed = values?.filter((value) => !isScalar(value)) ?? [];
    this.listed = listed;
    this.isListed = listed.length === 0 ? undefined : (value) => listed.some((one) => equal(value, one));
    const canHaveParts = types.has("array") || types.has("object");
    this.hasParts = canHaveParts && saysOfParts(source, { left: MAX_LOOKS });
    this.words = wordsOf(source);
  }

  get names(): ReadonlySet<string> {
    return this.source.names;
  }

  get nullable(): ReadonlySet<string> {
    const { source } = this;
    const isNullable = (name: string) => source.field(name).required && source.field(name).types.has("null");
    return new Set([...this.names].filter(isNullable));
  }

  get items(): Typed | undefined {
    this.each ??= { declared: typed(this.source.items) };
    return this.each.declared;
  }

  member(name: string | undefined): Typed | undefined {
    const key = name !== undefined && this.names.has(name) ? name : ANOTHER;
    if (this.members.has(key)) return this.members.get(key);
    const made = typed(this.source.field(key));
    this.members.set(key, made);
    return made;
  }
}

function isScalar(value: JsonValue): value is JsonScalar {
  return typeof value !== "object" || value === null;
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
