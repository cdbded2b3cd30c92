/** Random JSON Schemas of the supported drafts, and random values. */

import type { JsonValue } from "../../src/cel/json.js";
import type { Random } from "../differential/random.js";

const TEXTS = [
  ...["", "a", "abc", "A1", "2024-02-29", "2024-02-30", "2024-02-29T10:00:00Z", "2024-06-30T23:59:60Z", "10:00:00Z"],
  ...["P1DT2H", "P1W", "a@b.c", "a b@c", '"a b"@c.d', "10.0.0.1", "010.0.0.1", "::1", "::ffff:1.2.3.4", "fe80::1%eth0"],
  ...["http://a.b/c?d#e", "a/b", "//a", "urn:x", "http://[::1]/", "é", "😀", "xn--a", "a.b.c", "-a.b", "a_b"],
  ...["3e4666bf-d5e5-4aa7-b8ce-cefe41c7568a", "3E4666BFD5E54AA7B8CECEFE41C7568A", "/a/b~0", "/a~2", "0/a", "1#"],
  ...["^a+$", "(", "[a-", "eyJ9", "YWJj", "{}", "{a}", "a{b}", '{"a":1}', "nope"],
];
const NUMBERS = [0, 1, -1, 2, 3, 10, 0.5, 1.5, 1e3, 1e21, -0.1, 0.3, 7.000000001, 9007199254740992];
const NAMES = ["a", "b", "c", "ab", "x-1", "é", "a/b", "a~b", "a b", "a%", "", "1"];
const PATTERNS = ["^a", "a$", "^[a-c]+$", "\\d", ".", "^$", "\\p{L}", "é", "(?i)abc", "a|b", "^.{2,3}$", "x*"];
const TYPES = ["string", "number", "integer", "boolean", "null", "array", "object"];
const FORMATS = [
  ...["date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri"],
  ...["uri-reference", "iri", "iri-reference", "uuid", "json-pointer", "relative-json-pointer", "regex"],
  ...["uri-template", "unknown", "period", "semver"],
];
const DRAFTS = [
  undefined,
  "https://json-schema.org/draft/2020-12/schema",
  "https://json-schema.org/draft/2019-09/schema",
  "http://json-schema.org/draft-07/schema#",
];

const SIMPLE = [
  ...["type", "type", "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  ...["multipleOf", "minLength", "maxLength", "pattern", "format", "format", "minItems", "maxItems", "uniqueItems"],
  ...["required", "minProperties", "maxProperties", "contentEncoding", "contentMediaType"],
];
const NESTING = [
  ...["properties", "properties", "properties", "additionalProperties", "patternProperties", "propertyNames"],
  ...["dependentRequired", "dependentSchemas", "dependencies", "items", "items", "prefixItems", "additionalItems"],
  ...["contains", "minContains", "maxContains", "allOf", "anyOf", "oneOf", "not", "if", "$ref"],
  ...["unevaluatedProperties", "unevaluatedItems"],
];

type JsonMap = { [name: string]: JsonValue };

export function randomValue(random: Random, depth: number): JsonValue {
  return random.pick<() => JsonValue>([
    () => null,
    () => true,
    () => false,
    () => random.pick(NUMBERS),
    () => random.pick(TEXTS),
    () => random.pick(TEXTS),
    () => (depth <= 0 ? [] : random.times(0, 4, () => randomValue(random, depth - 1))),
    () =>
      Object.fromEntries(
        random.times(0, 3, () => [
          random.pick(NAMES),
          depth <= 0 ? random.pick([1, "a", null]) : randomValue(random, depth - 1),
        ]),
      ),
  ])();
}

/** Values for the attributes `v` and `w`, which {@link randomSchema} describes. */
export function randomAttributes(random: Random): { readonly [name: string]: JsonValue } {
  return { v: randomValue(random, 3), ...(random.chance(0.5) ? { w: randomValue(random, 2) } : {}) };
}

export function randomSchema(random: Random): JsonValue {
  const $schema = random.pick(DRAFTS);
  const maker = new Maker(random, $schema !== undefined && !$schema.includes("2020"));
  const $defs = { d: maker.schema(1), e: maker.schema(1) };
  const root = {
    ...($schema === undefined ? {} : { $schema }),
    type: "object",
    properties: { v: maker.schema(3), w: maker.schema(2) },
    $defs,
    definitions: { d: $defs.d },
  };
  return random.chance(0.3) ? Object.assign(root, maker.schema(2)) : root;
}

class Maker {
  private readonly random: Random;
  /** Whether the draft allows a list in `items`. */
  private readonly hasTuples: boolean;

  constructor(random: Random, hasTuples: boolean) {
    this.random = random;
    this.hasTuples = hasTuples;
  }

  schema(depth: number): JsonValue {
    const { random } = this;
    if (random.chance(0.06)) return random.pick<JsonValue>([true, false, {}]);
    const schema: JsonMap = {};
    for (let n = random.pick([1, 1, 2, 2, 3]); n > 0; n--) {
      this.add(schema, random.pick(depth > 0 ? [...SIMPLE, ...NESTING] : SIMPLE), depth - 1);
    }
    return schema;
  }

  private add(schema: JsonMap, keyword: string, depth: number): void {
    const { random } = this;
    const inner = () => this.schema(depth);
    const list = () => random.times(1, 3, inner);
    const name = () => random.pick(NAMES);
    switch (keyword) {
      case "type":
        schema.type = random.chance(0.2) ? distinct([random.pick(TYPES), random.pick(TYPES)]) : random.pick(TYPES);
        return;
      case "enum":
        schema.enum = distinct(random.times(1, 3, () => randomValue(random, 1)));
        return;
      case "const":
        schema.const = randomValue(random, 1);
        return;
      case "minimum":
      case "maximum":
      case "exclusiveMinimum":
      case "exclusiveMaximum":
        schema[keyword] = random.pick([0, 1, 1.5, -1, 10, 1e3, 0.1]);
        return;
      case "multipleOf":
        schema.multipleOf = random.pick([1, 2, 0.1, 0.01, 0.5, 3, 1e-3]);
        return;
      case "pattern":
        schema.pattern = random.pick(PATTERNS);
        return;
      case "format":
        schema.format = random.pick(FORMATS);
        return;
      case "uniqueItems":
        schema.uniqueItems = random.chance(0.7);
        return;
      case "required":
        schema.required = distinct([name(), name()]);
        return;
      case "contentEncoding":
        schema.contentEncoding = random.pick(["base64", "x"]);
        return;
      case "contentMediaType":
        schema.contentMediaType = random.pick(["application/json", "text/plain"]);
        return;
      case "properties":
        schema.properties = { [name()]: inner(), [name()]: inner() };
        return;
      case "patternProperties":
        schema.patternProperties = { [random.pick(PATTERNS)]: inner() };
        return;
      case "dependentRequired":
        schema.dependentRequired = { [name()]: [name()] };
        return;
      case "dependentSchemas":
        schema.dependentSchemas = { [name()]: inner() };
        return;
      case "dependencies":
        schema.dependencies = { [name()]: random.chance(0.5) ? [name()] : inner() };
        return;
      case "items":
        schema.items = this.hasTuples && random.chance(0.4) ? list() : inner();
        return;
      case "prefixItems":
      case "allOf":
      case "anyOf":
      case "oneOf":
        schema[keyword] = list();
        return;
      case "if":
        schema.if = inner();
        for (const branch of ["then", "else"]) if (random.chance(0.7)) schema[branch] = inner();
        return;
      case "$ref":
        schema.$ref = random.pick(["#/$defs/d", "#/$defs/e", "#/definitions/d"]);
        return;
      default:
        // `min…` and `max…` keywords take a number, the others take a schema.
        schema[keyword] = /^(?:min|max)/.test(keyword) ? random.pick([0, 1, 2, 3]) : inner();
    }
  }
}

function distinct<T extends JsonValue>(values: readonly T[]): readonly T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
