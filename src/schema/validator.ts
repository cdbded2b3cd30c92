/**
 * Validates by JSON Schema with the messages of the server's library (github.com/santhosh-tekuri/jsonschema/v5): the
 * same faults at the same places. Formats and contents are asserted. Drafts 7, 2019-09 and 2020-12.
 */

import { isList, isObject, type JsonValue } from "../cel/json.js";
import { compileRegex, type Regex } from "../cel/regex.js";
import { VALIDATION_BUDGET } from "../limits.js";
import { checkLength, checkMembers, checkNumber, checkText, checkValue, hasType } from "./assertions.js";
import { checkContent } from "./content.js";
import { SchemaDocuments, type SchemaResource } from "./documents.js";
import { pointerToken, singleQuoted } from "./go-text.js";
import { type KeywordFamilies, keywordFamiliesOf } from "./keyword-families.js";
import { integerOf, isReferenceAlone, isSchema, listOf, own, type Schema, type SchemaObject } from "./keywords.js";
import {
  addFaults,
  report,
  type SchemaValidationFault,
  type SpendSteps,
  type UnevaluatedParts,
  type ValidationFrame,
} from "./validation-frame.js";

export type { SchemaValidationFault as Fault } from "./validation-frame.js";

export class SchemaValidator {
  private readonly documents: SchemaDocuments;
  private readonly patterns = new Map<string, Regex | undefined>();
  private readonly known = new Map<SchemaObject, CachedSchema>();
  private readonly steps: number;

  /** `documents` by their references; `steps` is the budget of one validation. */
  constructor(documents: ReadonlyMap<string, JsonValue>, steps = VALIDATION_BUDGET) {
    this.documents = new SchemaDocuments(documents);
    this.steps = steps;
  }

  /** All faults of `value` by the schema at `ref`; empty if it is valid. Never throws. */
  validate(ref: string, value: unknown): readonly SchemaValidationFault[] {
    const schema = this.documents.resolve(ref, undefined);
    if (schema === undefined) return [{ path: "", message: `schema ${ref} doesn't exist` }];
    try {
      return new ValidationRun(this.documents, this.patterns, this.known, this.steps).check(schema, value, "").faults;
    } catch (error) {
      // The engine threw: the value is too deep, schemas refer to each other without end, or the budget is exhausted.
      return [
        { path: "", message: error instanceof UnfinishedError ? error.message : "the value cannot be validated" },
      ];
    }
  }
}

/** A validation that was given up. */
class UnfinishedError extends Error {}

/** The properties of a schema that do not depend on the value. */
interface CachedSchema {
  readonly resource: SchemaResource | undefined;
  /** The maximum cost of its own keywords and of the entries that they list. */
  readonly weight: number;
  /** The families of its keywords. */
  readonly families: KeywordFamilies;
}

class ValidationRun {
  private readonly documents: SchemaDocuments;
  private readonly patterns: Map<string, Regex | undefined>;
  /** The schemas being applied, outermost first; `path` is the place of each value. */
  private readonly scope: { readonly schema: SchemaObject; readonly value: unknown; readonly path: string }[] = [];
  private readonly known: Map<SchemaObject, CachedSchema>;
  private left: number;
  private readonly spend: SpendSteps = (steps) => {
    this.left -= steps;
    if (this.left < 0) throw new UnfinishedError("the value takes too many steps to validate");
  };

  constructor(
    documents: SchemaDocuments,
    patterns: Map<string, Regex | undefined>,
    known: Map<SchemaObject, CachedSchema>,
    steps: number,
  ) {
    this.documents = documents;
    this.patterns = patterns;
    this.known = known;
    this.left = steps;
  }

  check(
    schema: Schema,
    value: unknown,
    path: string,
  ): { readonly faults: readonly SchemaValidationFault[]; readonly open: UnevaluatedParts } {
    const faults: SchemaValidationFault[] = [];
    const open = this.openOf(value);
    if (typeof schema === "boolean") {
      this.spend(1 + sizeOf(value));
      if (!schema) faults.push({ path: path || "/", message: "not allowed" });
      return { faults, open };
    }
    const known = this.knownOf(schema);
    this.spend(1 + known.weight + sizeOf(value));
    const { resource } = known;
    if (resource === undefined) return { faults, open };
    for (let i = this.scope.length - 1; i >= 0 && this.scope[i]?.path === path; i--) {
      this.spend(1);
      if (this.scope[i]?.schema === schema && this.scope[i]?.value === value) {
        throw new UnfinishedError("the schema refers to itself without end");
      }
    }
    this.scope.push({ schema, value, path });
    const frame = { schema, resource, value, path, faults, open, spend: this.spend };
    if (isReferenceAlone(schema, resource.draft)) this.references(frame);
    else if (hasType(frame)) this.keywords(frame, known.families);
    this.scope.pop();
    return { faults, open };
  }

  private knownOf(schema: SchemaObject): CachedSchema {
    const known = this.known.get(schema);
    if (known !== undefined) return known;
    const made = { resource: this.documents.resourceOf(schema), weight: 0, families: keywordFamiliesOf(schema) };
    for (const rule of Object.values(schema)) made.weight += 1 + membersOf(rule);
    this.known.set(schema, made);
    return made;
  }

  private openOf(value: unknown): UnevaluatedParts {
    if (!this.documents.unevaluated) return { members: undefined, items: undefined };
    return {
      members: isObject(value) ? new Set(Object.keys(value)) : undefined,
      items: isList(value) ? new Set(value.keys()) : undefined,
    };
  }

  private keywords(frame: ValidationFrame, families: KeywordFamilies): void {
    const { value } = frame;
    if (families.value) checkValue(frame);
    if (families.members && isObject(value)) this.members(frame, value);
    else if (families.items && isList(value)) this.items(frame, value);
    else if (families.text && typeof value === "string") this.text(frame, value);
    else if (families.number && typeof value === "number") checkNumber(frame, value);
    if (families.references) this.references(frame);
    if (families.alternatives) this.alternatives(frame);
    if (families.unevaluated) this.unevaluated(frame);
  }

  /** Applies a schema to a member or an item. */
  private inner(frame: ValidationFrame, schema: JsonValue | undefined, value: unknown, token: string): void {
    if (!isSchema(schema)) return;
    // The server's paths omit an empty name.
    const { faults } = this.check(schema, value, token === "" ? frame.path : `${frame.path}/${token}`);
    addFaults(frame, faults);
  }

  /**
   * Applies a schema to the same value. Returns its faults; if there are none, closes the members and items it
   * evaluates.
   */
  private same(
    { value, path, open }: ValidationFrame,
    schema: JsonValue | undefined,
  ): readonly SchemaValidationFault[] {
    if (!isSchema(schema)) return [];
    const result = this.check(schema, value, path);
    if (result.faults.length > 0) return result.faults;
    for (const member of open.members ?? [])
      if (result.open.members?.has(member) !== true) open.members?.delete(member);
    for (const item of open.items ?? []) if (result.open.items?.has(item) !== true) open.items?.delete(item);
    return [];
  }

  private members(frame: ValidationFrame, value: SchemaObject): void {
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
      this.spend(names.length);
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

  private additionalMembers(frame: ValidationFrame, value: SchemaObject, additional: ReadonlySet<string>): void {
    const rule = own(frame.schema, "additionalProperties");
    if (rule === undefined) return;
    if (rule === false && additional.size > 0) {
      report(frame, `additionalProperties ${[...additional].map(singleQuoted).join(", ")} not allowed`);
    } else if (isObject(rule)) {
      for (const name of additional) this.inner(frame, rule, value[name], pointerToken(name));
    }
    frame.open.members = undefined;
  }

  private dependents(frame: ValidationFrame, value: SchemaObject, rules: JsonValue | undefined): void {
    if (!isObject(rules)) return;
    for (const [name, rule] of Object.entries(rules)) {
      if (!Object.hasOwn(value, name)) continue;
      if (!isList(rule)) addFaults(frame, this.same(frame, rule));
      else {
        for (const other of rule.map(String).filter((each) => !Object.hasOwn(value, each))) {
          report(frame, `property ${singleQuoted(other)} is required, if ${singleQuoted(name)} property exists`);
        }
      }
    }
  }

  private items(frame: ValidationFrame, value: readonly unknown[]): void {
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

  private contains(frame: ValidationFrame, value: readonly unknown[]): void {
    const { schema, resource, path, open } = frame;
    const rule = own(schema, "contains");
    if (!isSchema(rule)) return;
    const least = (resource.draft >= 2019 ? integerOf(schema, "minContains") : undefined) ?? 1;
    const most = resource.draft >= 2019 ? integerOf(schema, "maxContains") : undefined;
    const causes: SchemaValidationFault[] = [];
    let matched = 0;
    for (const [i, item] of value.entries()) {
      const { faults } = this.check(rule, item, `${path}/${i}`);
      addFaults({ faults: causes, spend: frame.spend }, faults);
      if (faults.length > 0) continue;
      matched++;
      if (resource.draft >= 2020) open.items?.delete(i);
    }
    if (matched < least) {
      if (causes.length > 0) addFaults(frame, causes);
      else report(frame, `valid must be >= ${least}, but got ${matched}`);
    }
    if (most !== undefined && matched > most) report(frame, `valid must be <= ${most}, but got ${matched}`);
  }

  private text(frame: ValidationFrame, value: string): void {
    const { schema, resource } = frame;
    checkText(frame, value);
    const pattern = own(schema, "pattern");
    if (typeof pattern === "string" && !this.matches(pattern, value)) {
      report(frame, `does not match pattern ${singleQuoted(pattern)}`);
    }
    const content = checkContent(schema, value, resource.draft);
    for (const message of content.faults) report(frame, message);
    if (content.schema !== undefined) addFaults(frame, this.check(content.schema, content.value, frame.path).faults);
  }

  private references(frame: ValidationFrame): void {
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

  private refer(frame: ValidationFrame, reference: JsonValue | undefined, choose: (target: Schema) => Schema): void {
    if (typeof reference !== "string") return;
    const target = this.documents.resolve(reference, frame.resource);
    if (target === undefined) report(frame, `schema ${reference} doesn't exist`);
    else addFaults(frame, this.same(frame, choose(target)));
  }

  private alternatives(frame: ValidationFrame): void {
    const { schema } = frame;
    const not = own(schema, "not");
    if (isSchema(not) && this.same(frame, not).length === 0) report(frame, "not failed");
    for (const each of listOf(schema, "allOf")) addFaults(frame, this.same(frame, each));
    const any = listOf(schema, "anyOf").map((each) => this.same(frame, each));
    if (any.length > 0 && any.every((faults) => faults.length > 0)) addFaults(frame, any.flat());
    this.exactlyOne(frame, listOf(schema, "oneOf"));
    const condition = own(schema, "if");
    if (!isSchema(condition)) return;
    const branch = this.same(frame, condition).length === 0 ? "then" : "else";
    addFaults(frame, this.same(frame, own(schema, branch)));
  }

  private exactlyOne(frame: ValidationFrame, schemas: readonly JsonValue[]): void {
    if (schemas.length === 0) return;
    const causes: SchemaValidationFault[] = [];
    let matched: number | undefined;
    for (const [i, each] of schemas.entries()) {
      const faults = this.same(frame, each);
      addFaults({ faults: causes, spend: frame.spend }, faults);
      if (faults.length > 0) continue;
      if (matched !== undefined) {
        report(frame, `valid against schemas at indexes ${matched} and ${i}`);
        return;
      }
      matched = i;
    }
    if (matched === undefined) addFaults(frame, causes);
  }

  private unevaluated(frame: ValidationFrame): void {
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
    this.spend(text.length >> 5);
    if (!this.patterns.has(pattern)) this.patterns.set(pattern, compileRegex(pattern));
    return this.patterns.get(pattern)?.test(text) ?? false;
  }
}

/** The size of a value itself: its members, items, or units of 32 characters. */
function sizeOf(value: unknown): number {
  return typeof value === "string" ? value.length >> 5 : membersOf(value);
}

function membersOf(value: unknown): number {
  if (isList(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}
