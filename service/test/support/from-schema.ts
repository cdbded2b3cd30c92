/** Random values that a JSON Schema allows, and values that nearly conform. */

import fc from "fast-check";

/** The JSON Schema keywords that the OpenAPI document uses for requests. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly $ref?: string;
}

/** Mostly valid values: keywords that this function does not read may be violated. `resolve` follows a reference. */
export function arbitraryFor(schema: Schema, resolve: (reference: string) => Schema): fc.Arbitrary<unknown> {
  const of = (inner: Schema) => arbitraryFor(inner, resolve);
  const { type, pattern, items = {}, properties = {}, required = [] } = schema;
  if (schema.$ref !== undefined) return of(resolve(schema.$ref));
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return fc.oneof(...choices.map(of));
  if (typeof type === "object") return fc.oneof(...type.map((each) => of({ ...schema, type: each })));
  switch (type) {
    case "string":
      if (pattern === undefined) return texts;
      return fc.oneof({ weight: 9, arbitrary: fc.stringMatching(new RegExp(pattern, "u"), { size: "small" }) }, texts);
    case "integer":
      return fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000 });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.oneof(
        {
          weight: 9,
          arbitrary: fc.uniqueArray(of(items), { maxLength: schema.maxItems ?? 4, comparator: "IsStrictlyEqual" }),
        },
        fc.array(of(items), { maxLength: 4 }),
      );
    case "object": {
      const fields = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, of(inner)]));
      return fc.record(fields, { requiredKeys: [...required], noNullPrototype: true });
    }
    default:
      throw new Error(`a schema that is not understood: ${JSON.stringify(schema)}`);
  }
}

/** Texts of many lengths, with characters of one and of two UTF-16 units. */
const texts = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 300 }),
  fc.string({ unit: "binary", maxLength: 10 }),
  fc.integer({ min: 190, max: 260 }).map((length) => "😀".repeat(length)),
  fc.integer({ min: 190, max: 260 }).map((length) => "x".repeat(length)),
);

/** An object with one field removed, added or replaced. */
export function almost(body: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(body, fc.nat(), fc.jsonValue({ maxDepth: 1 }), fc.nat(2)).map(([given, at, value, how]) => {
    const fields = Object.entries(given ?? {});
    const [name = "more"] = fields[at % (fields.length || 1)] ?? [];
    if (how === 0) return Object.fromEntries(fields.filter(([other]) => other !== name));
    return Object.fromEntries([...fields, [how === 1 ? name : "more", value]]);
  });
}
