/**
 * Derives declarations from JSON Schemas: types, allowed values and names of fields. Every value that satisfies the
 * schema matches its declaration, so any other value is invalid. Keywords that only narrow further (`not`, `if`,
 * `pattern`, bounds) are ignored. References, `allOf`, `anyOf` and `oneOf` are followed.
 */

import { isList, isObject, type JsonValue } from "../cel/json.js";
import { SchemaDocuments, type SchemaResource } from "./documents.js";
import {
  isReferenceAlone,
  isSchema,
  listOf,
  own,
  type Schema,
  type SchemaObject,
  typesOf,
  valuesOf,
} from "./keywords.js";

export type SchemaJsonType = "array" | "boolean" | "null" | "number" | "object" | "string";

const EVERY_TYPE: ReadonlySet<SchemaJsonType> = new Set<SchemaJsonType>([
  "array",
  "boolean",
  "null",
  "number",
  "object",
  "string",
]);

/** The declaration of a valid value. */
export interface SchemaDeclaration {
  /** The types that the value may have; integers are numbers. Empty: no value is valid. */
  readonly types: ReadonlySet<SchemaJsonType>;
  /** Whether a number has to be whole. */
  readonly integer: boolean;
  /** The only allowed values; undefined: others are allowed. */
  readonly values: readonly JsonValue[] | undefined;
  /** For an object: the field names that its schemas mention. */
  readonly names: ReadonlySet<string>;
  /** For an object: the declaration of one of its fields. */
  field(name: string): FieldDeclaration;
  /** For a list: the declaration of its elements. */
  readonly items: SchemaDeclaration;
  /** Nothing is declared of the value or of its parts. */
  readonly isFree: boolean;
}

export interface FieldDeclaration extends SchemaDeclaration {
  /**
   * Whether the schemas have the field. `no`: they name the fields of this object, and have no way to declare others
   * with a type. `unknown`: it depends on the data, or the schemas declare no fields.
   */
  readonly declared: "yes" | "no" | "unknown";
  /** Whether an object without it is invalid. */
  readonly required: boolean;
}

/** The declaration by a schema of `documents`, selected by its reference: `cerbos:///key.json`. */
export function declaredBy(documents: ReadonlyMap<string, JsonValue>, ref: string): SchemaDeclaration {
  const schemas = new SchemaDocuments(documents);
  const schema = schemas.resolve(ref, undefined);
  return new DeclaredValue(schema === undefined ? FREE : new DeclarationReader(schemas).read(schema, undefined, 0));
}

/** The declarations of a value, joined over the schemas that apply to it. */
interface DeclarationRules {
  readonly types: ReadonlySet<SchemaJsonType>;
  readonly integer: boolean;
  readonly values: readonly JsonValue[] | undefined;
  readonly names: ReadonlySet<string>;
  readonly required: ReadonlySet<string>;
  /** Whether a field is declared. `open`: it may be, depending on the data; `silent`: the schemas declare no fields. */
  readonly declares: (name: string) => "yes" | "no" | "open" | "silent";
  readonly field: (name: string) => DeclarationRules;
  readonly items: () => DeclarationRules;
}

const NO_NAMES: ReadonlySet<string> = new Set();

const FREE: DeclarationRules = {
  types: EVERY_TYPE,
  integer: false,
  values: undefined,
  names: NO_NAMES,
  required: NO_NAMES,
  declares: () => "silent",
  field: () => FREE,
  items: () => FREE,
};

const NEVER: DeclarationRules = { ...FREE, types: new Set(), values: [] };

class DeclaredValue implements SchemaDeclaration {
  protected readonly rules: DeclarationRules;

  constructor(rules: DeclarationRules) {
    this.rules = rules;
  }

  get types(): ReadonlySet<SchemaJsonType> {
    return this.rules.types;
  }

  get integer(): boolean {
    return this.rules.integer;
  }

  get values(): readonly JsonValue[] | undefined {
    return this.rules.values;
  }

  get names(): ReadonlySet<string> {
    return this.rules.names;
  }

  get items(): SchemaDeclaration {
    return new DeclaredValue(this.rules.items());
  }

  get isFree(): boolean {
    return this.rules === FREE;
  }

  field(name: string): FieldDeclaration {
    const declares = this.rules.declares(name);
    return new DeclaredMember(
      this.rules.field(name),
      declares === "yes" || declares === "no" ? declares : "unknown",
      this.rules.required.has(name),
    );
  }
}

class DeclaredMember extends DeclaredValue implements FieldDeclaration {
  readonly declared: FieldDeclaration["declared"];
  readonly required: boolean;

  constructor(rules: DeclarationRules, declared: FieldDeclaration["declared"], required: boolean) {
    super(rules);
    this.declared = declared;
    this.required = required;
  }
}

/** Schemas nested deeper for one value are taken to declare nothing: schemas can refer to themselves. */
const MAX_DEPTH = 16;

/** Keywords that can declare fields and are not analysed. */
const OPENING = ["if", "dependentSchemas", "dependencies", "$dynamicRef", "$recursiveRef", "patternProperties"];

class DeclarationReader {
  private readonly schemas: SchemaDocuments;
  /** Caches the rules of the schemas of parts, which may be read many times. */
  private readonly parts = new Map<SchemaObject, DeclarationRules>();

  constructor(schemas: SchemaDocuments) {
    this.schemas = schemas;
  }

  read(schema: Schema, outer: SchemaResource | undefined, depth: number): DeclarationRules {
    if (schema === false) return NEVER;
    if (schema === true || depth > MAX_DEPTH) return FREE;
    const base = this.schemas.resourceOf(schema) ?? outer;
    const inner = (value: JsonValue | undefined): DeclarationRules =>
      isSchema(value) ? this.read(value, base, depth + 1) : FREE;
    const $ref = own(schema, "$ref");
    const referred = typeof $ref === "string" ? [inner(this.schemas.resolve($ref, base))] : [];
    if (isReferenceAlone(schema, base?.draft ?? 2020)) return joinAll(referred);
    const alternatives = ["anyOf", "oneOf"].flatMap((keyword) => {
      const listed = listOf(schema, keyword);
      return listed.length === 0 ? [] : [joinAlternatives(listed.map(inner))];
    });
    return joinAll([this.own(schema, base), ...referred, ...listOf(schema, "allOf").map(inner), ...alternatives]);
  }

  private part(schema: Schema, outer: SchemaResource | undefined): DeclarationRules {
    if (typeof schema === "boolean") return this.read(schema, outer, 0);
    const known = this.parts.get(schema) ?? this.read(schema, outer, 0);
    this.parts.set(schema, known);
    return known;
  }

  /** The rules of a schema's own keywords, without the schemas that it applies in place. */
  private own(schema: SchemaObject, base: SchemaResource | undefined): DeclarationRules {
    const below = (value: JsonValue | undefined): DeclarationRules => (isSchema(value) ? this.part(value, base) : FREE);
    const values = valuesOf(schema);
    const named = typesOf(schema);
    const types = named.length === 0 ? EVERY_TYPE : new Set(named.flatMap((type) => TYPES.get(type) ?? []));
    const properties = own(schema, "properties");
    const names = new Set(isObject(properties) ? Object.keys(properties) : []);
    const additional = own(schema, "additionalProperties");
    const isOpen =
      OPENING.some((keyword) => Object.hasOwn(schema, keyword)) ||
      isObject(additional) ||
      isObject(own(schema, "unevaluatedProperties"));
    const isClosed = isObject(properties) || additional === false;
    const items = own(schema, "items");
    const isTuple = isList(items) || Object.hasOwn(schema, "prefixItems");
    return {
      types: values === undefined ? types : intersection(types, new Set(values.map(typeOf))),
      integer: named.includes("integer") && !named.includes("number"),
      values,
      names,
      required: new Set(listOf(schema, "required").filter((name) => typeof name === "string")),
      declares: (name) => (names.has(name) ? "yes" : isOpen ? "open" : isClosed ? "no" : "silent"),
      field: (name) => {
        if (isObject(properties) && Object.hasOwn(properties, name)) return below(own(properties, name));
        return Object.hasOwn(schema, "patternProperties") ? FREE : below(isObject(additional) ? additional : undefined);
      },
      items: () => (isTuple ? FREE : below(items)),
    };
  }
}

/** The rules of a value that satisfies all of several schemas. */
function joinAll(given: readonly DeclarationRules[]): DeclarationRules {
  const parts = given.filter((rules) => rules !== FREE);
  const [only, second] = parts;
  if (only === undefined) return FREE;
  if (second === undefined) return only;
  const listed = parts.flatMap(({ values }) => (values === undefined ? [] : [values]));
  return {
    types: parts.map(({ types }) => types).reduce(intersection, EVERY_TYPE),
    integer: parts.some(({ integer }) => integer),
    values: listed.length === 0 ? undefined : listed.reduce((a, b) => a.filter((value) => includes(b, value))),
    names: new Set(parts.flatMap(({ names }) => [...names])),
    required: new Set(parts.flatMap(({ required }) => [...required])),
    declares: (name) => {
      const said = new Set(parts.map(({ declares }) => declares(name)));
      return ANSWERS.find((answer) => said.has(answer)) ?? "silent";
    },
    field: (name) => joinAll(parts.map(({ field }) => field(name))),
    items: () => joinAll(parts.map(({ items }) => items())),
  };
}

/** If schemas disagree about a field, the first of these answers counts. */
const ANSWERS = ["yes", "open", "no"] as const;

/** The rules of a value that satisfies at least one of several schemas. */
function joinAlternatives(parts: readonly DeclarationRules[]): DeclarationRules {
  if (parts.every((rules) => rules === FREE)) return FREE;
  const listed = parts.flatMap(({ values }) => (values === undefined ? [] : [values]));
  const [first, ...others] = parts;
  return {
    types: new Set(parts.flatMap(({ types }) => [...types])),
    // An alternative that allows no number does not constrain numbers.
    integer: parts.every(({ types, integer }) => integer || !types.has("number")),
    values: listed.length < parts.length ? undefined : listed.flat(),
    names: new Set(parts.flatMap(({ names }) => [...names])),
    required: new Set(
      [...(first?.required ?? [])].filter((name) => others.every(({ required }) => required.has(name))),
    ),
    declares: (name) => {
      const said = new Set(parts.map(({ declares }) => declares(name)));
      if (said.size === 1) return [...said][0] ?? "silent";
      return said.has("yes") || said.has("open") ? "open" : "no";
    },
    field: (name) => joinAlternatives(parts.map(({ field }) => field(name))),
    items: () => joinAlternatives(parts.map(({ items }) => items())),
  };
}

const TYPES: ReadonlyMap<string, SchemaJsonType> = new Map<string, SchemaJsonType>([
  ...[...EVERY_TYPE].map((type): [string, SchemaJsonType] => [type, type]),
  ["integer", "number"],
]);

export function typeOf(value: JsonValue): SchemaJsonType {
  if (value === null) return "null";
  if (isList(value)) return "array";
  const type = typeof value;
  return type === "boolean" || type === "number" || type === "string" ? type : "object";
}

function intersection<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): ReadonlySet<T> {
  return new Set([...a].filter((item) => b.has(item)));
}

/** Whether a list contains a value. Any two objects (or lists) count as equal, so that less is ruled out. */
function includes(list: readonly JsonValue[], value: JsonValue): boolean {
  return list.some(
    (one) => one === value || (typeof one === "object" && one !== null && typeOf(one) === typeOf(value)),
  );
}
