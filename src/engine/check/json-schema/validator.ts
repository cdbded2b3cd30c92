/**
 * JSON Schema with the words of the server's library (github.com/santhosh-tekuri/jsonschema/v5): the same faults at
 * the same places. Formats and contents are asserted. Drafts 7, 2019-09 and 2020-12.
 */

import { formatDouble } from "../../../cel/numbers.js";
import { compileRegex, type Regex } from "../../../cel/regex.js";
import type { JsonValue } from "../../../policy/model.js";
import {
  isList,
  isObject,
  isSchema,
  own,
  type Resource,
  type Schema,
  SchemaDocuments,
  type SchemaObject,
} from "../../../policy/schema-documents.js";
import { checkContent } from "./content.js";
import { hasFormat } from "./formats.js";
import { pointerToken, quoted, singleQuoted, withoutArguments } from "./go-text.js";
import { equal, isMultiple, repeated, typeOf } from "./values.js";

export interface Fault {
  /** JSON pointer, escaped as in a URL; `/` for the whole. */
  readonly path: string;
  readonly message: string;
}

/** Members and items that no keyword has looked at yet; undefined where nobody will ask. */
interface Open {
  members: Set<string> | undefined;
  items: Set<number> | undefined;
}

/** One schema against one value. */
interface Frame {
  readonly schema: SchemaObject;
  readonly resource: Resource;
  readonly value: unknown;
  readonly path: string;
  readonly faults: Fault[];
  readonly open: Open;
}

export class SchemaValidator {
  private readonly documents: SchemaDocuments;
  private readonly patterns = new Map<string, Regex | undefined>();

  constructor(documents: ReadonlyMap<string, JsonValue>) {
    this.documents = new SchemaDocuments(documents);
  }

  /** Every cause why `value` does not satisfy the schema at `ref`. Never throws. */
  validate(ref: string, value: unknown): readonly Fault[] {
    const schema = this.documents.resolve(ref, undefined);
    if (schema === undefined) return [{ path: "", message: `schema ${ref} doesn't exist` }];
    try {
      return new Run(this.documents, this.patterns).check(schema, value, "").faults;
    } catch (error) {
      // Of the engine: too deep a value, or schemas that refer to each other without end.
      return [{ path: "", message: error instanceof EndlessError ? error.message : "the value cannot be validated" }];
    }
  }
}

class EndlessError extends Error {}

class Run {
  private readonly documents: SchemaDocuments;
  private readonly patterns: Map<string, Regex | undefined>;
  /** The schemas under way, outermost first; `at` is where the value of each stands. */
  private readonly scope: { readonly schema: SchemaObject; readonly value: unknown; readonly path: string }[] = [];

  constructor(documents: SchemaDocuments, patterns: Map<string, Regex | undefined>) {
    this.documents = documents;
    this.patterns = patterns;
  }

  check(schema: Schema, value: unknown, path: string): { readonly faults: readonly Fault[]; readonly open: Open } {
    const faults: Fault[] = [];
    const open = this.openOf(value);
    if (typeof schema === "boolean") {
      if (!schema) faults.push({ path: path || "/", message: "not allowed" });
      return { faults, open };
    }
    const resource = this.documents.resourceOf(schema);
    if (resource === undefined) return { faults, open };
    for (let i = this.scope.length - 1; i >= 0 && this.scope[i]?.path === path; i--) {
      if (this.scope[i]?.schema === schema && this.scope[i]?.value === value) {
        throw new EndlessError("the schema refers to itself without end");
      }
    }
    this.scope.push({ schema, value, path });
    const frame = { schema, resource, value, path, faults, open };
    if (resource.draft < 2019 && Object.hasOwn(schema, "$ref")) this.references(frame);
    else if (hasType(frame)) this.keywords(frame);
    this.scope.pop();
    return { faults, open };
  }

  private openOf(value: unknown): Open {
    if (!this.documents.unevaluated) return { members: undefined, items: undefined };
    return {
      members: isObject(value) ? new Set(Object.keys(value)) : undefined,
      items: isList(value) ? new Set(value.keys()) : undefined,
    };
  }

  private keywords(frame: Frame): void {
    const { value } = frame;
    checkValue(frame);
    if (isObject(value)) this.members(frame, value);
    else if (isList(value)) this.items(frame, value);
    else if (typeof value === "string") this.text(frame, value);
    else if (typeof value === "number") checkNumber(frame, value);
    this.references(frame);
    this.alternatives(frame);
    this.unevaluated(frame);
  }

  /** A schema for a member or an item. */
  private inner(frame: Frame, schema: JsonValue | undefined, value: unknown, token: string): boolean {
    if (!isSchema(schema)) return true;
    // An empty name is none in the server's paths.
    const { faults } = this.check(schema, value, token === "" ? frame.path : `${frame.path}/${token}`);
    add(frame.faults, faults);
    return faults.length === 0;
  }

  /** A schema for the value itself: its faults; what it evaluates is no longer open. */
  private same({ value, path, open }: Frame, schema: JsonValue | undefined): readonly Fault[] {
    if (!isSchema(schema)) return [];
    const result = this.check(schema, value, path);
    if (result.faults.length > 0) return result.faults;
    for (const member of open.members ?? [])
      if (result.open.members?.has(member) !== true) open.members?.delete(member);
    for (const item of open.items ?? []) if (result.open.items?.has(item) !== true) open.items?.delete(item);
    return [];
  }

  private members(frame: Frame, value: SchemaObject): void {
    const { schema, resource, open } = frame;
    const names = Object.keys(value);
    checkMembers(frame, value, names);
    const additional = new Set(names);
    const member = (name: string, inner: JsonValue | undefined) => {
      open.members?.delete(name);
      additional.delete(name);
      this.inner(frame, inner, value[name], pointerToken(name));
    };
    const properties = own(schema, "properties");
    if (isObject(properties)) {
      for (const name of Object.keys(properties)) if (Object.hasOwn(value, name)) member(name, properties[name]);
    }
    const rule = own(schema, "propertyNames");
    if (rule !== undefined) for (const name of names) this.inner(frame, rule, name, pointerToken(name));
    const patterns = own(schema, "patternProperties");
    for (const [pattern, inner] of isObject(patterns) ? Object.entries(patterns) : []) {
      for (const name of names) if (this.matches(pattern, name)) member(name, inner);
    }
    this.additionalMembers(frame, value, additional);
    const dependencies = own(schema, "dependencies");
    this.dependents(frame, value, dependencies);
    if (resource.draft >= 2019) {
      this.dependents(frame, value, own(schema, "dependentRequired"));
      this.dependents(frame, value, own(schema, "dependentSchemas"));
    }
  }

  private additionalMembers(frame: Frame, value: SchemaObject, additional: ReadonlySet<string>): void {
    const rule = own(frame.schema, "additionalProperties");
    if (rule === undefined) return;
    if (rule === false && additional.size > 0) {
      report(frame, `additionalProperties ${[...additional].map(singleQuoted).join(", ")} not allowed`);
    } else if (isObject(rule)) {
      for (const name of additional) this.inner(frame, rule, value[name], pointerToken(name));
    }
    frame.open.members = undefined;
  }

  private dependents(frame: Frame, value: SchemaObject, rules: JsonValue | undefined): void {
    if (!isObject(rules)) return;
    for (const [name, rule] of Object.entries(rules)) {
      if (!Object.hasOwn(value, name)) continue;
      if (!isList(rule)) add(frame.faults, this.same(frame, rule));
      else {
        for (const other of rule.map(String).filter((each) => !Object.hasOwn(value, each))) {
          report(frame, `property ${singleQuoted(other)} is required, if ${singleQuoted(name)} property exists`);
        }
      }
    }
  }

  private items(frame: Frame, value: readonly unknown[]): void {
    const { schema, resource } = frame;
    checkLength(frame, value);
    const item = (i: number, inner: JsonValue | undefined) => {
      frame.open.items?.delete(i);
      this.inner(frame, inner, value[i], String(i));
    };
    const items = own(schema, "items");
    const prefix = resource.draft >= 2020 ? own(schema, "prefixItems") : items;
    const first = isList(prefix) ? prefix : [];
    for (const [i, inner] of first.slice(0, value.length).entries()) item(i, inner);
    const rest = resource.draft < 2020 && isList(items) ? own(schema, "additionalItems") : items;
    if (resource.draft < 2020 && isList(items) && rest === false) {
      if (value.length > first.length) {
        report(frame, `only ${first.length} items are allowed, but found ${value.length} items`);
      }
    } else if (isSchema(rest)) {
      for (let i = first.length; i < value.length; i++) item(i, rest);
    }
    this.contains(frame, value);
  }

  private contains(frame: Frame, value: readonly unknown[]): void {
    const { schema, resource, path, open } = frame;
    const rule = own(schema, "contains");
    if (!isSchema(rule)) return;
    const least = (resource.draft >= 2019 ? integer(schema, "minContains") : undefined) ?? 1;
    const most = resource.draft >= 2019 ? integer(schema, "maxContains") : undefined;
    const causes: Fault[] = [];
    let matched = 0;
    for (const [i, item] of value.entries()) {
      const { faults } = this.check(rule, item, `${path}/${i}`);
      add(causes, faults);
      if (faults.length > 0) continue;
      matched++;
      if (resource.draft >= 2020) open.items?.delete(i);
    }
    if (matched < least) {
      if (causes.length > 0) add(frame.faults, causes);
      else report(frame, `valid must be >= ${least}, but got ${matched}`);
    }
    if (most !== undefined && matched > most) report(frame, `valid must be <= ${most}, but got ${matched}`);
  }

  private text(frame: Frame, value: string): void {
    const { schema, resource } = frame;
    checkText(frame, value);
    const pattern = own(schema, "pattern");
    if (typeof pattern === "string" && !this.matches(pattern, value)) {
      report(frame, `does not match pattern ${singleQuoted(pattern)}`);
    }
    const content = checkContent(schema, value, resource.draft);
    for (const message of content.faults) report(frame, message);
    if (content.schema !== undefined) add(frame.faults, this.check(content.schema, content.value, frame.path).faults);
  }

  private references(frame: Frame): void {
    const { schema, resource } = frame;
    this.refer(frame, own(schema, "$ref"), (target) => target);
    if (resource.draft >= 2019) {
      this.refer(frame, own(schema, "$recursiveRef"), (target) => {
        const anchored = (each: Schema) => typeof each !== "boolean" && own(each, "$recursiveAnchor") === true;
        return anchored(target) ? (this.scope.find((each) => anchored(each.schema))?.schema ?? target) : target;
      });
    }
    if (resource.draft < 2020) return;
    const reference = own(schema, "$dynamicRef");
    this.refer(frame, reference, (target) => {
      const [, anchor = ""] = String(reference).split("#");
      if (typeof target === "boolean" || own(target, "$dynamicAnchor") !== anchor) return target;
      for (const each of this.scope) {
        const found = this.documents.resourceOf(each.schema)?.dynamicAnchors.get(anchor);
        if (found !== undefined) return found;
      }
      return target;
    });
  }

  private refer(frame: Frame, reference: JsonValue | undefined, choose: (target: Schema) => Schema): void {
    if (typeof reference !== "string") return;
    const target = this.documents.resolve(reference, frame.resource);
    if (target === undefined) report(frame, `schema ${reference} doesn't exist`);
    else add(frame.faults, this.same(frame, choose(target)));
  }

  private alternatives(frame: Frame): void {
    const { schema } = frame;
    const not = own(schema, "not");
    if (isSchema(not) && this.same(frame, not).length === 0) report(frame, "not failed");
    for (const each of listOf(schema, "allOf")) add(frame.faults, this.same(frame, each));
    const any = listOf(schema, "anyOf").map((each) => this.same(frame, each));
    if (any.length > 0 && any.every((faults) => faults.length > 0)) add(frame.faults, any.flat());
    this.exactlyOne(frame, listOf(schema, "oneOf"));
    const condition = own(schema, "if");
    if (!isSchema(condition)) return;
    const branch = this.same(frame, condition).length === 0 ? "then" : "else";
    add(frame.faults, this.same(frame, own(schema, branch)));
  }

  private exactlyOne(frame: Frame, schemas: readonly JsonValue[]): void {
    if (schemas.length === 0) return;
    const causes: Fault[] = [];
    let matched: number | undefined;
    for (const [i, each] of schemas.entries()) {
      const faults = this.same(frame, each);
      add(causes, faults);
      if (faults.length > 0) continue;
      if (matched !== undefined) {
        report(frame, `valid against schemas at indexes ${matched} and ${i}`);
        return;
      }
      matched = i;
    }
    if (matched === undefined) add(frame.faults, causes);
  }

  private unevaluated(frame: Frame): void {
    const { schema, resource, value, open } = frame;
    if (resource.draft < 2019) return;
    const members = own(schema, "unevaluatedProperties");
    if (isSchema(members) && isObject(value)) {
      for (const name of open.members ?? []) this.inner(frame, members, value[name], pointerToken(name));
      open.members = undefined;
    }
    const items = own(schema, "unevaluatedItems");
    if (isSchema(items) && isList(value)) {
      for (const i of open.items ?? []) this.inner(frame, items, value[i], String(i));
      open.items = undefined;
    }
  }

  private matches(pattern: string, text: string): boolean {
    if (!this.patterns.has(pattern)) this.patterns.set(pattern, compileRegex(pattern));
    return this.patterns.get(pattern)?.test(text) ?? false;
  }
}

/** There may be more of them than a call takes arguments. */
function add(faults: Fault[], others: readonly Fault[]): void {
  for (const fault of others) faults.push(fault);
}

function report({ faults, path }: Frame, message: string): void {
  faults.push({ path: path || "/", message });
}

/** Whether the value is of a type that the schema allows. If it is not, nothing else is said about it. */
function hasType(frame: Frame): boolean {
  const rule = own(frame.schema, "type");
  const types = (isList(rule) ? rule : [rule]).filter((each) => typeof each === "string");
  const type = typeOf(frame.value);
  if (types.length === 0 || types.includes(type)) return true;
  if (types.includes("integer") && Number.isInteger(frame.value)) return true;
  report(frame, `expected ${types.join(" or ")}, but got ${type}`);
  return false;
}

function checkValue(frame: Frame): void {
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

/** A value of a schema as Go shows it; its numbers are texts there. */
function literal(value: JsonValue): string {
  if (value === null) return "<nil>";
  return typeof value === "boolean" ? String(value) : quoted(String(value));
}

function checkMembers(frame: Frame, value: SchemaObject, names: readonly string[]): void {
  const { schema } = frame;
  const [least, most] = [integer(schema, "minProperties"), integer(schema, "maxProperties")];
  const found = `properties allowed, but found ${names.length} properties`;
  if (least !== undefined && names.length < least) report(frame, `minimum ${least} ${found}`);
  if (most !== undefined && names.length > most) report(frame, `maximum ${most} ${found}`);
  const missing = listOf(schema, "required").filter((name) => !Object.hasOwn(value, String(name)));
  if (missing.length > 0) {
    report(frame, `missing properties: ${missing.map((name) => singleQuoted(String(name))).join(", ")}`);
  }
}

function checkLength(frame: Frame, value: readonly unknown[]): void {
  const { schema } = frame;
  const [least, most] = [integer(schema, "minItems"), integer(schema, "maxItems")];
  const found = `items required, but found ${value.length} items`;
  if (least !== undefined && value.length < least) report(frame, `minimum ${least} ${found}`);
  if (most !== undefined && value.length > most) report(frame, `maximum ${most} ${found}`);
  if (own(schema, "uniqueItems") !== true) return;
  const same = repeated(value);
  if (same !== undefined) report(frame, `items at index ${same[0]} and ${same[1]} are equal`);
}

function checkText(frame: Frame, value: string): void {
  const [least, most] = [integer(frame.schema, "minLength"), integer(frame.schema, "maxLength")];
  if (least === undefined && most === undefined) return;
  let length = 0;
  for (const _ of value) length++;
  if (least !== undefined && length < least) report(frame, `length must be >= ${least}, but got ${length}`);
  if (most !== undefined && length > most) report(frame, `length must be <= ${most}, but got ${length}`);
}

function checkNumber(frame: Frame, value: number): void {
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

function integer(schema: SchemaObject, keyword: string): number | undefined {
  const value = own(schema, keyword);
  return typeof value === "number" ? Math.trunc(value) : undefined;
}

function listOf(schema: SchemaObject, keyword: string): readonly JsonValue[] {
  const value = own(schema, keyword);
  return isList(value) ? value : [];
}
