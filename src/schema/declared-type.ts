/** Declarations from schemas in the form that validates reads of attributes (`cel/type-declaration.ts`). */

import type { JsonValue } from "../cel/json.js";
import { ANY_KIND, type AttributeDeclarations, KIND, type TypeDeclaration } from "../cel/type-declaration.js";
import type { JsonScalar } from "../cel/values.js";
import { type SchemaDeclaration as ByKeywords, declaredBy, type SchemaJsonType } from "./declaration.js";
import { equal } from "./values.js";

/** The declared types of attributes, by the schemas of a model. */
export class SchemaTypes implements AttributeDeclarations {
  private readonly documents: ReadonlyMap<string, JsonValue>;
  private readonly known = new Map<string, DeclaredSchemaType | undefined>();

  constructor(documents: ReadonlyMap<string, JsonValue>) {
    this.documents = documents;
  }

  at(ref: string): DeclaredSchemaType | undefined {
    if (this.known.has(ref)) return this.known.get(ref);
    const made = typed(declaredBy(this.documents, ref));
    this.known.set(ref, made);
    return made;
  }
}

function typed(source: ByKeywords): DeclaredSchemaType | undefined {
  return declaresNothing(source, { left: MAX_LOOKS }) ? undefined : new DeclaredSchemaType(source);
}

/**
 * A schema can contain itself. If the search has found no declaration after this many steps, it assumes that there is
 * one.
 */
const MAX_LOOKS = 1_000;

/** A name that no schema mentions. */
const UNMENTIONED_NAME = "\0";

function declaresNothing(source: ByKeywords, looks: { left: number }): boolean {
  if (source.isFree) return true;
  return kindsOf(source) === ANY_KIND && source.values === undefined && !declaresParts(source, looks);
}

function declaresParts(source: ByKeywords, looks: { left: number }): boolean {
  if (looks.left-- <= 0) return true;
  const { items, names } = source;
  return (
    !declaresNothing(items, looks) ||
    [...names, UNMENTIONED_NAME].some((name) => !declaresNothing(source.field(name), looks))
  );
}

/** The declaration of a value. Declarations of parts are made on demand, since a schema can contain itself. */
export class DeclaredSchemaType implements TypeDeclaration {
  readonly kinds: number;
  readonly scalars: ReadonlySet<JsonScalar> | undefined;
  readonly listed: readonly JsonValue[];
  readonly isListed: ((value: unknown) => boolean) | undefined;
  readonly hasParts: boolean;
  readonly words: string;
  private readonly source: ByKeywords;
  private readonly members = new Map<string, DeclaredSchemaType | undefined>();
  private each: { readonly declared: DeclaredSchemaType | undefined } | undefined;

  constructor(source: ByKeywords) {
    const { values, types } = source;
    this.source = source;
    this.kinds = kindsOf(source);
    this.scalars = values && new Set(values.filter(isScalar));
    const listed = values?.filter((value) => !isScalar(value)) ?? [];
    this.listed = listed;
    this.isListed = listed.length === 0 ? undefined : (value) => listed.some((one) => equal(value, one));
    const canHaveParts = types.has("array") || types.has("object");
    this.hasParts = canHaveParts && declaresParts(source, { left: MAX_LOOKS });
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

  get items(): DeclaredSchemaType | undefined {
    this.each ??= { declared: typed(this.source.items) };
    return this.each.declared;
  }

  member(name: string | undefined): DeclaredSchemaType | undefined {
    const key = name !== undefined && this.names.has(name) ? name : UNMENTIONED_NAME;
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
  const name = (type: SchemaJsonType): string => (type === "number" && integer ? "integer" : type);
  return types.size === 0 ? "nothing" : [...types].map(name).sort().join(" or ");
}
