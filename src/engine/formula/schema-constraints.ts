/**
 * The requests whose attributes satisfy the schemas of a layer, as far as formulas can state it. Other keywords of
 * schemas (patterns, dependencies) are left out. So a request that satisfies the schemas satisfies these
 * constraints, but not the other way round.
 */

import { isList, isObject, type JsonValue } from "../../cel/json.js";
import type { TypeDeclaration } from "../../cel/type-declaration.js";
import type { Formula } from "./formula.js";
import type { IndexedQuestion } from "./plan-cases.js";
import type { FormulaLayer, PlanFormulas } from "./plan-formulas.js";
import type { RawValue } from "./raw-value.js";
import type { FormulaWorld, RequestSubject } from "./world.js";

/** Constraints by the value that they are about, and its property. All of them hold of a request that conforms. */
export type SchemaConstraints = ReadonlyMap<string, Formula>;

/**
 * The constraints of the schemas on the values that expressions read. Call it after the last translation: the
 * constraints speak of no other values.
 */
export function schemaConstraints(
  world: FormulaWorld,
  plans: PlanFormulas,
  layer: FormulaLayer,
  principal: RequestSubject,
  question: IndexedQuestion,
): SchemaConstraints {
  const { formulas } = world;
  const found = new Map<string, Formula>();
  const add = (key: string, constraint: Formula) =>
    found.set(key, formulas.and(found.get(key) ?? formulas.yes, constraint));
  for (const { plan, is } of plans.plansOf(layer, principal, question)) {
    const { schemas } = plan;
    const types = layer.typesOf(plan);
    const key = plans.schemasOf(plan, layer);
    const visit = (raw: RawValue, declared: TypeDeclaration | undefined, schema: JsonValue | undefined) => {
      const required = requiredBy(schema);
      for (const [name, member] of raw.members) {
        const inner = declared?.member(name);
        if (inner !== undefined) {
          const conforms = plans.expressions.reads.conforms(member, inner, key);
          add(`${member.key} type`, formulas.implies(formulas.and(is, member.isThere()), conforms));
        }
        if (required.has(name)) {
          add(`${member.key} presence`, formulas.implies(formulas.and(is, raw.is("map")), member.isThere()));
        }
        const property = propertyOf(schema, name);
        add(`${member.key} bounds`, formulas.implies(is, withinBounds(world, member, property)));
        visit(member, inner, property);
      }
    };
    visit(world.attributes(principal), types.principal, documentOf(layer, schemas.principal));
    visit(world.attributes("resource"), types.resource, documentOf(layer, schemas.resource));
    if (layer.enforcesSchemas && (schemas.principal !== undefined || schemas.resource !== undefined)) {
      add(`schemas of ${principal}`, formulas.implies(is, plans.satisfiesSchemas(plan, layer, principal)));
    }
  }
  return found;
}

function documentOf({ model }: FormulaLayer, ref: string | undefined): JsonValue | undefined {
  return ref === undefined ? undefined : model.schemas.get(ref);
}

/** The members that a schema requires by its own keyword. Beside `$ref`, old drafts ignore all other keywords. */
function requiredBy(schema: JsonValue | undefined): ReadonlySet<JsonValue> {
  if (!isObject(schema) || Object.hasOwn(schema, "$ref")) return new Set();
  return new Set(isList(schema.required) ? schema.required : []);
}

/** The bounds of a number and of the length of a text. */
function withinBounds({ formulas }: FormulaWorld, raw: RawValue, schema: JsonValue | undefined): Formula {
  if (!isObject(schema) || Object.hasOwn(schema, "$ref")) return formulas.yes;
  const { minimum, maximum, minLength } = schema;
  const bounds: Formula[] = [];
  if (isNumber(minimum)) bounds.push(formulas.atMost(formulas.number(minimum), raw.number));
  if (isNumber(maximum)) bounds.push(formulas.atMost(raw.number, formulas.number(maximum)));
  const isBound = formulas.implies(raw.is("number"), formulas.and(...bounds));
  const isEmpty = formulas.and(raw.is("text"), formulas.same(raw.text, formulas.text("")));
  return formulas.and(isBound, isNumber(minLength) && minLength > 0 ? formulas.not(isEmpty) : formulas.yes);
}

function isNumber(value: JsonValue | undefined): value is number {
  return typeof value === "number";
}

function propertyOf(schema: JsonValue | undefined, name: string): JsonValue | undefined {
  if (!isObject(schema) || Object.hasOwn(schema, "$ref")) return undefined;
  const { properties } = schema;
  return isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}
