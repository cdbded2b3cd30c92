/** Values that satisfy a JSON Schema, preferably drawn from the constants of the policies that read them. */

import * as fc from "fast-check";
import { isList, isObject } from "../../cel/json.js";
import { compileRegex } from "../../cel/regex.js";
import { type SchemaObject, typesOf } from "../../schema/keywords.js";
import type { SchemaNode, SchemaTree } from "../../schema/tree.js";
import { type PlainValue, valueFrom } from "./plain-request.js";

/** Constants that values are compared with. */
export interface ComparedConstants {
  readonly strings: readonly string[];
  readonly numbers: readonly number[];
}

/** Gives the constants for the value at a path. */
export type ConstantsAt = (path: readonly string[]) => ComparedConstants;

/** Names for values without constants. There are few, so that two values are often equal. */
export const WORDS: readonly string[] = ["one", "two"];

/** Optional properties below this depth are left out, since a schema can contain itself. */
const MAX_DEPTH = 6;

/**
 * Generates values of the schema `node`. Best effort: `not`, `if`, `dependentSchemas` and similar keywords are ignored,
 * so the schema may refuse a value.
 */
export function schemaValues(tree: SchemaTree, node: SchemaNode, constantsAt: ConstantsAt): fc.Arbitrary<PlainValue> {
  return new SchemaValueGenerator(tree, constantsAt).of(tree.flat(node), []);
}

class SchemaValueGenerator {
  private readonly tree: SchemaTree;
  private readonly constantsAt: ConstantsAt;

  constructor(tree: SchemaTree, constantsAt: ConstantsAt) {
    this.tree = tree;
    this.constantsAt = constantsAt;
  }

  of(node: SchemaNode, path: readonly string[]): fc.Arbitrary<PlainValue> {
    const alternatives = this.tree.alternatives(node);
    const [only] = alternatives;
    if (only !== undefined && alternatives.length === 1) return this.one(only, path);
    return fc.oneof(...alternatives.map((one) => this.one(one, path)));
  }

  private one(node: SchemaNode, path: readonly string[]): fc.Arbitrary<PlainValue> {
    const { schema } = node;
    if ("const" in schema && schema.const !== undefined) return fc.constant(valueFrom(schema.const));
    if (isList(schema.enum) && schema.enum.length > 0) {
      return fc.constantFrom(...schema.enum).map((value) => valueFrom(value));
    }
    const types = likelyTypesOf(schema);
    const [only] = types;
    if (only !== undefined && types.length === 1) return this.typed(only, node, path);
    if (types.length > 1) return fc.oneof(...types.map((type) => this.typed(type, node, path)));
    const { strings, numbers } = this.constantsAt(path);
    return fc.constantFrom<PlainValue>(...strings, ...numbers, ...WORDS, true, false);
  }

  private typed(type: string, node: SchemaNode, path: readonly string[]): fc.Arbitrary<PlainValue> {
    switch (type) {
      case "null":
        return fc.constant(null);
      case "boolean":
        return fc.boolean();
      case "integer":
      case "number":
        return fc.constantFrom(...numbersOf(node.schema, this.constantsAt(path), type === "integer"));
      case "array":
        return this.list(node, path);
      case "object":
        return this.map(node, path);
      default:
        return stringsOf(node.schema, this.constantsAt(path));
    }
  }

  private list(node: SchemaNode, path: readonly string[]): fc.Arbitrary<PlainValue> {
    const { items, prefixItems, minItems, maxItems, uniqueItems } = node.schema;
    const minLength = typeof minItems === "number" ? minItems : 0;
    const maxLength = Math.max(minLength, Math.min(typeof maxItems === "number" ? maxItems : 3, minLength + 3));
    if (items === false || (path.length > MAX_DEPTH && minLength === 0)) return fc.constant([]);
    const item = this.of(this.tree.child(items, node), path);
    const rest =
      uniqueItems === true
        ? fc.uniqueArray(item, { minLength, maxLength, selector: JSON.stringify })
        : fc.array(item, { minLength, maxLength });
    if (!isList(prefixItems)) return rest;
    const prefix = prefixItems.map((one) => this.of(this.tree.child(one, node), path));
    return fc.tuple(fc.tuple(...prefix), rest).map(([first, more]): PlainValue => [...first, ...more]);
  }

  private map(node: SchemaNode, path: readonly string[]): fc.Arbitrary<PlainValue> {
    const { properties, required } = node.schema;
    const names = isObject(properties) ? Object.keys(properties) : [];
    const requiredNames = isList(required) ? required.filter((name) => typeof name === "string") : [];
    const wanted = [...new Set([...requiredNames, ...names])].filter(
      (name) => path.length < MAX_DEPTH || requiredNames.includes(name),
    );
    if (path.length > 2 * MAX_DEPTH) return fc.constant({});
    const fields = wanted.map((name): [string, fc.Arbitrary<PlainValue>] => {
      return [name, this.of(this.tree.below(node, name), [...path, name])];
    });
    // Pairs rather than a record, since a property may be called `__proto__`.
    const pairs = fields.map(([name, value]) => {
      const pair = value.map((chosen): [string, PlainValue] | undefined => [name, chosen]);
      return requiredNames.includes(name) ? pair : fc.option(pair, { nil: undefined, freq: 3 });
    });
    return fc.tuple(...pairs).map((all) => Object.fromEntries(all.filter((pair) => pair !== undefined)));
  }
}

const TYPES: ReadonlySet<string> = new Set(["null", "boolean", "integer", "number", "string", "array", "object"]);

/** The types that a schema names, or else the types that its keywords apply to. Empty: any type. */
function likelyTypesOf(schema: SchemaObject): readonly string[] {
  const named = typesOf(schema);
  if (named.length > 0) return named.filter((one) => TYPES.has(one));
  if ("properties" in schema || "required" in schema) return ["object"];
  if ("items" in schema || "prefixItems" in schema) return ["array"];
  if ("pattern" in schema || "minLength" in schema || "format" in schema) return ["string"];
  return "minimum" in schema || "maximum" in schema ? ["number"] : [];
}

/**
 * Numbers on both sides of every bound of the schema and the policies. 9 and 10 are included because `"10" < "9"` as
 * text.
 */
function numbersOf(schema: SchemaObject, { numbers }: ComparedConstants, whole: boolean): number[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const bounds = [minimum, maximum, exclusiveMinimum, exclusiveMaximum].filter((bound) => typeof bound === "number");
  const near = [...bounds, ...numbers].flatMap((bound) => [bound, bound - 1, bound + 1]);
  const step = typeof multipleOf === "number" ? multipleOf : undefined;
  const fits = (n: number) =>
    (!whole || Number.isInteger(n)) &&
    !(typeof minimum === "number" && n < minimum) &&
    !(typeof maximum === "number" && n > maximum) &&
    !(typeof exclusiveMinimum === "number" && n <= exclusiveMinimum) &&
    !(typeof exclusiveMaximum === "number" && n >= exclusiveMaximum) &&
    (step === undefined || n % step === 0);
  const found = [...new Set([0, 1, 2, 9, 10, 100, ...near, ...(step === undefined ? [] : [step, 2 * step])])].filter(
    fits,
  );
  return found.length > 0 ? found : [typeof minimum === "number" ? minimum : 0];
}

/** Strings of a schema: the constants that it accepts, and a few generated ones. */
function stringsOf(schema: SchemaObject, { strings }: ComparedConstants): fc.Arbitrary<string> {
  const { minLength, maxLength, pattern, format } = schema;
  const regex = typeof pattern === "string" ? compileRegex(pattern) : undefined;
  const formatted = typeof format === "string" ? FORMATS[format] : undefined;
  const fits = (text: string) =>
    !(typeof minLength === "number" && [...text].length < minLength) &&
    !(typeof maxLength === "number" && [...text].length > maxLength) &&
    (regex?.test(text) ?? true);
  const known = [...new Set([...strings, ...(formatted === undefined ? WORDS : [])])].filter(fits);
  const made = formatted ?? (typeof pattern === "string" ? matching(pattern)?.filter(fits) : undefined);
  const [first] = known;
  if (first === undefined) {
    const lengths = { minLength: typeof minLength === "number" ? minLength : 1 };
    return made ?? fc.string({ ...lengths, ...(typeof maxLength === "number" ? { maxLength } : {}) });
  }
  const chosen = fc.constantFrom(...known);
  return made === undefined ? chosen : fc.oneof({ weight: 3, arbitrary: chosen }, { weight: 1, arbitrary: made });
}

const TIMES = ["2024-01-15T08:30:00Z", "2024-06-01T00:00:00Z", "2024-11-30T23:59:59.5Z", "2025-03-01T12:00:00-05:30"];

const FORMATS: { readonly [format: string]: fc.Arbitrary<string> } = {
  "date-time": fc.constantFrom(...TIMES),
  date: fc.constantFrom(...TIMES.map((time) => time.slice(0, 10))),
  uuid: fc.uuid(),
  email: fc.constantFrom(...WORDS.map((word) => `${word}@example.com`)),
  uri: fc.constantFrom(...WORDS.map((word) => `https://example.com/${word}`)),
  hostname: fc.constantFrom(...WORDS.map((word) => `${word}.example.com`)),
  ipv4: fc.constantFrom("192.0.2.1", "10.0.0.1"),
  ipv6: fc.constantFrom("2001:db8::1", "::1"),
};

/**
 * Strings that match a pattern, if JavaScript can parse it. The caller tests them with RE2; JavaScript matches nothing.
 */
function matching(pattern: string): fc.Arbitrary<string> | undefined {
  try {
    return fc.stringMatching(new RegExp(pattern, "u"), { maxLength: 40 });
  } catch {
    return undefined;
  }
}
