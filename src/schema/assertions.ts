/** Assertions: keywords that hold no schemas. */

import { isList, isObject, type JsonValue } from "../cel/json.js";
import { formatDouble } from "../cel/numbers.js";
import { hasFormat } from "./formats.js";
import { quoted, singleQuoted, withoutArguments } from "./go-text.js";
import { integerOf, listOf, own, type SchemaObject, typesOf } from "./keywords.js";
import { report, type ValidationFrame } from "./validation-frame.js";
import { equal, firstDuplicate, isMultiple, isOfType, typeOf } from "./values.js";

/** Whether the schema allows the value's type. If not, no other fault of the value is reported. */
export function hasType(frame: ValidationFrame): boolean {
  const types = typesOf(frame.schema);
  if (types.length === 0 || types.some((type) => isOfType(frame.value, type))) return true;
  report(frame, `expected ${types.join(" or ")}, but got ${typeOf(frame.value)}`);
  return false;
}

export function checkValue(frame: ValidationFrame): void {
  const { schema, value } = frame;
  const constant = own(schema, "const");
  if (constant !== undefined && !equal(value, constant)) {
    report(frame, isScalar(constant) ? `value must be ${literal(constant)}` : "const failed");
  }
  const values = listOf(schema, "enum");
  if (values.length > 0 && !values.some((each) => equal(value, each))) report(frame, withoutArguments(oneOf(values)));
  const format = own(schema, "format");
  if (typeof format === "string" && typeof value === "string" && !hasFormat(value, format)) {
    report(frame, `${singleQuoted(value)} is not valid ${singleQuoted(format)}`);
  }
}

function isScalar(value: JsonValue): boolean {
  return !isList(value) && !isObject(value);
}

function oneOf(values: readonly JsonValue[]): string {
  if (!values.every(isScalar)) return "enum failed";
  return `value must be ${values.length === 1 ? "" : "one of "}${values.map(literal).join(", ")}`;
}

/** A value of a schema as Go prints it; Go keeps its numbers as texts. */
function literal(value: JsonValue): string {
  if (value === null) return "<nil>";
  return typeof value === "boolean" ? String(value) : quoted(String(value));
}

export function checkMembers(frame: ValidationFrame, value: SchemaObject, names: readonly string[]): void {
  const { schema } = frame;
  const [least, most] = [integerOf(schema, "minProperties"), integerOf(schema, "maxProperties")];
  const found = `properties allowed, but found ${names.length} properties`;
  if (least !== undefined && names.length < least) report(frame, `minimum ${least} ${found}`);
  if (most !== undefined && names.length > most) report(frame, `maximum ${most} ${found}`);
  const missing = listOf(schema, "required").filter((name) => !Object.hasOwn(value, String(name)));
  if (missing.length > 0) {
    report(frame, `missing properties: ${missing.map((name) => singleQuoted(String(name))).join(", ")}`);
  }
}

export function checkLength(frame: ValidationFrame, value: readonly unknown[]): void {
  const { schema } = frame;
  const [least, most] = [integerOf(schema, "minItems"), integerOf(schema, "maxItems")];
  const found = `items required, but found ${value.length} items`;
  if (least !== undefined && value.length < least) report(frame, `minimum ${least} ${found}`);
  if (most !== undefined && value.length > most) report(frame, `maximum ${most} ${found}`);
  if (own(schema, "uniqueItems") !== true) return;
  const same = firstDuplicate(value, frame.spend);
  if (same !== undefined) report(frame, `items at index ${same[0]} and ${same[1]} are equal`);
}

export function checkText(frame: ValidationFrame, value: string): void {
  const [least, most] = [integerOf(frame.schema, "minLength"), integerOf(frame.schema, "maxLength")];
  if (least === undefined && most === undefined) return;
  let length = 0;
  for (const _ of value) length++;
  if (least !== undefined && length < least) report(frame, `length must be >= ${least}, but got ${length}`);
  if (most !== undefined && length > most) report(frame, `length must be <= ${most}, but got ${length}`);
}

export function checkNumber(frame: ValidationFrame, value: number): void {
  const limit = (keyword: string, sign: string, holds: (limit: number) => boolean) => {
    const bound = own(frame.schema, keyword);
    if (typeof bound !== "number" || holds(bound)) return;
    report(frame, `must be ${sign} ${formatDouble(bound)} but found ${formatDouble(value)}`);
  };
  limit("minimum", ">=", (bound) => value >= bound);
  limit("exclusiveMinimum", ">", (bound) => value > bound);
  limit("maximum", "<=", (bound) => value <= bound);
  limit("exclusiveMaximum", "<", (bound) => value < bound);
  const unit = own(frame.schema, "multipleOf");
  if (typeof unit === "number" && !isMultiple(value, unit)) {
    report(frame, `${formatDouble(value)} not multipleOf ${formatDouble(unit)}`);
  }
}
