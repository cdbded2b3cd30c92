/**
 * The schemas of a policy set as formulas. They leave out keywords that formulas cannot express, so they hold of every
 * well-formed request, and of some others.
 */

import { isList, isObject, type JsonValue } from "../cel/json.js";
import type { PolicySet } from "../decisions/policy-set.js";
import type { Layer as CompiledLayer } from "../engine/evaluate/layer.js";
import type { Formula, JsonKind } from "../engine/formula/formula.js";
import type { PlanFormulas } from "../engine/formula/plan-formulas.js";
import type { RawValue } from "../engine/formula/raw-value.js";
import type { FormulaWorld } from "../engine/formula/world.js";
import type { OperationQuestion } from "../engine/plan/questions.js";
import { sanitise } from "../policy/names.js";
import { SchemaDocuments, type SchemaResource } from "../schema/documents.js";
import { integerOf, isReferenceAlone, listOf, own, type SchemaObject, typesOf, valuesOf } from "../schema/keywords.js";
import { LAYERS, PRINCIPALS, type SpaceLayer, SUBJECTS } from "../space/dimension.js";
import { layerPolicies } from "./layer-policies.js";

/** Deeper schemas are left out: a schema can contain itself. */
const MAX_DEPTH = 8;

const KINDS: ReadonlyMap<string, JsonKind> = new Map([
  ["null", "null"],
  ["boolean", "bool"],
  ["number", "number"],
  ["integer", "number"],
  ["string", "text"],
  ["array", "list"],
  ["object", "map"],
]);

/** The translations of a question. */
interface Translated {
  readonly world: FormulaWorld;
  readonly plans: PlanFormulas;
}

/**
 * Statements about the attributes of `world` that hold of each request on a question that the schemas of a set allow.
 * Call it after the last translation: it constrains the attributes that were translated.
 */
export function schemaFormulas(
  set: PolicySet,
  question: OperationQuestion,
  translated: Translated,
): readonly Formula[] {
  const { formulas } = translated.world;
  return planSchemas(set, question, translated).flatMap(({ is, stated, satisfied }) =>
    [...stated, satisfied].map((one) => formulas.implies(is, one)),
  );
}

/**
 * The parts of lists and maps are as the schemas declare, in every request that these allow. Nothing is stated where the
 * schemas differ by scope.
 */
export function declaredParts(
  set: PolicySet,
  question: OperationQuestion,
  { world, plans }: Translated,
): readonly Formula[] {
  const { formulas } = world;
  const asked = { kind: sanitise(question.kind), action: question.operation };
  const known = LAYERS.flatMap((name) => {
    const layer = set[name];
    if (layer === undefined) return [];
    return [plans.plansOf(layerPolicies(set, layer), PRINCIPALS[name], asked).filter(({ plan }) => plan.isKnown)];
  });
  if (known.some((some) => new Set(some.map(({ plan }) => JSON.stringify(plan.schemas))).size > 1)) return [];
  const isKnown = formulas.and(...known.map((some) => formulas.or(...some.map(({ is }) => is))));
  const attributes = new Set<RawValue>();
  const add = (raw: RawValue): void => {
    attributes.add(raw);
    for (const member of raw.members.values()) add(member);
  };
  for (const subject of SUBJECTS) add(world.attributes(subject));
  return world.wholes.filter(({ raw }) => attributes.has(raw)).map(({ fit }) => formulas.implies(isKnown, fit));
}

/** When the attributes satisfy the schemas that a set enforces. */
export function enforcedSchemas(set: PolicySet, question: OperationQuestion, translated: Translated): Formula {
  const { formulas } = translated.world;
  return formulas.and(
    ...planSchemas(set, question, translated).map(({ is, satisfied }) => formulas.implies(is, satisfied)),
  );
}

/** Facts: attributes that satisfy an enforced schema are as it states. Call it after the last translation. */
export function enforcedFacts(set: PolicySet, question: OperationQuestion, translated: Translated): readonly Formula[] {
  const { formulas } = translated.world;
  return planSchemas(set, question, translated).flatMap(({ stated, satisfied }) =>
    satisfied === formulas.yes ? [] : stated.map((one) => formulas.implies(satisfied, one)),
  );
}

/** A layer that enforces schemas. */
export interface SchemaEnforcement {
  readonly layer: SpaceLayer;
  readonly compiled: CompiledLayer;
}

/**
 * The layer of the enforced schemas in a formula. Undefined: none, or several schemas can apply in that layer, by
 * the scope of the resource or in different sets.
 */
export function enforcementOf(
  satisfied: Formula,
  sets: Iterable<PolicySet>,
  question: OperationQuestion,
  translated: Translated,
): SchemaEnforcement | undefined {
  const { yes } = translated.world.formulas;
  const all = [...sets].flatMap((set) => planSchemas(set, question, translated)).filter((one) => one.satisfied !== yes);
  const found = all.find((one) => one.satisfied === satisfied);
  if (all.some((one) => one.enforcement.layer === found?.enforcement.layer && one.satisfied !== satisfied))
    return undefined;
  return found?.enforcement;
}

/** The schemas of a plan. */
interface PlanSchemas {
  readonly enforcement: SchemaEnforcement;
  /** When the plan decides. */
  readonly is: Formula;
  /** The statements of the schemas about the translated attributes. */
  readonly stated: readonly Formula[];
  /** When the attributes satisfy the schemas; always, if they are not enforced. */
  readonly satisfied: Formula;
}

function planSchemas(
  set: PolicySet,
  question: OperationQuestion,
  { world, plans }: Translated,
): readonly PlanSchemas[] {
  const asked = { kind: sanitise(question.kind), action: question.operation };
  return LAYERS.flatMap((name) => {
    const layer = set[name];
    if (layer === undefined) return [];
    const enforcement = { layer: name, compiled: layer };
    const principal = PRINCIPALS[name];
    const policies = layerPolicies(set, layer);
    const translation = new SchemaTranslation(world, set.model.schemas);
    return plans.plansOf(policies, principal, asked).map(({ plan, is }) => ({
      enforcement,
      is,
      stated: [
        ...translation.of(plan.schemas.principal, world.attributes(principal)),
        ...translation.of(plan.schemas.resource, world.attributes("resource")),
      ],
      satisfied: plans.satisfied(plan, policies, principal),
    }));
  });
}

class SchemaTranslation {
  private readonly world: FormulaWorld;
  private readonly documents: SchemaDocuments;

  constructor(world: FormulaWorld, documents: ReadonlyMap<string, JsonValue>) {
    this.world = world;
    this.documents = new SchemaDocuments(documents);
  }

  /** The statements of the schema at a policy's reference about a value that is there. */
  of(ref: string | undefined, raw: RawValue): readonly Formula[] {
    return ref === undefined ? [] : this.value(this.documents.resolve(ref, undefined), undefined, raw, 0);
  }

  private value(
    schema: JsonValue | undefined,
    outer: SchemaResource | undefined,
    raw: RawValue,
    depth: number,
  ): readonly Formula[] {
    if (schema === false) return [this.world.formulas.no];
    if (!isObject(schema) || isList(schema) || depth > MAX_DEPTH) return [];
    const base = this.documents.resourceOf(schema) ?? outer;
    const inner = (one: JsonValue | undefined, at: RawValue) => this.value(one, base, at, depth + 1);
    const ref = own(schema, "$ref");
    const referred = typeof ref === "string" ? inner(this.documents.resolve(ref, base), raw) : [];
    if (base !== undefined && isReferenceAlone(schema, base.draft)) return referred;
    return [
      ...referred,
      ...listOf(schema, "allOf").flatMap((part) => inner(part, raw)),
      ...this.kindOf(schema, raw),
      ...this.bounds(schema, raw),
      ...this.members(schema, raw, inner),
      ...this.items(schema, raw, inner),
    ];
  }

  private kindOf(schema: SchemaObject, raw: RawValue): readonly Formula[] {
    const { formulas } = this.world;
    const types = typesOf(schema).flatMap((type) => {
      const kind = KINDS.get(type);
      if (kind === undefined) return [];
      return [type === "integer" ? formulas.and(raw.is(kind), formulas.whole(raw.number)) : raw.is(kind)];
    });
    const values = valuesOf(schema)?.map((value) => this.equals(raw, value)) ?? [];
    return [types, values].flatMap((some) => (some.length === 0 ? [] : [formulas.or(...some)]));
  }

  /** Whether a value equals a listed one; of lists and maps, only the type is stated. */
  private equals(raw: RawValue, value: JsonValue): Formula {
    const { formulas } = this.world;
    if (value === null) return raw.is("null");
    switch (typeof value) {
      case "boolean":
        return formulas.and(raw.is("bool"), formulas.same(raw.bool, formulas.bool(value)));
      case "number":
        return formulas.and(raw.is("number"), formulas.same(raw.number, formulas.number(value)));
      case "string":
        return formulas.and(raw.is("text"), formulas.same(raw.text, this.world.text(value)));
      default:
        return raw.is(isList(value) ? "list" : "map");
    }
  }

  private bounds(schema: SchemaObject, raw: RawValue): readonly Formula[] {
    const { formulas } = this.world;
    const bound = (kind: JsonKind, keyword: string, holds: (limit: Formula) => Formula) => {
      const limit = kind === "text" ? integerOf(schema, keyword) : own(schema, keyword);
      return typeof limit === "number" ? [formulas.implies(raw.is(kind), holds(formulas.number(limit)))] : [];
    };
    const length = formulas.length(raw.text);
    return [
      ...bound("number", "minimum", (limit) => formulas.atMost(limit, raw.number)),
      ...bound("number", "maximum", (limit) => formulas.atMost(raw.number, limit)),
      ...bound("number", "exclusiveMinimum", (limit) => formulas.less(limit, raw.number)),
      ...bound("number", "exclusiveMaximum", (limit) => formulas.less(raw.number, limit)),
      ...bound("text", "minLength", (limit) => formulas.atMost(limit, length)),
      ...bound("text", "maxLength", (limit) => formulas.atMost(length, limit)),
    ];
  }

  /** What is stated of the members that formulas know. */
  private members(
    schema: SchemaObject,
    raw: RawValue,
    inner: (schema: JsonValue | undefined, raw: RawValue) => readonly Formula[],
  ): readonly Formula[] {
    const { formulas } = this.world;
    const properties = own(schema, "properties");
    const required = new Set(listOf(schema, "required"));
    const isClosed = own(schema, "additionalProperties") === false && own(schema, "patternProperties") === undefined;
    return [...raw.members].flatMap(([name, member]) => {
      const declared = isObject(properties) ? own(properties, name) : undefined;
      const stated = inner(declared, member).map((one) => formulas.implies(member.isThere(), one));
      if (required.has(name)) stated.push(formulas.implies(raw.is("map"), member.isThere()));
      if (isClosed && declared === undefined) stated.push(formulas.not(member.isThere()));
      return stated;
    });
  }

  /** What is stated of the elements that formulas know. */
  private items(
    schema: SchemaObject,
    raw: RawValue,
    inner: (schema: JsonValue | undefined, raw: RawValue) => readonly Formula[],
  ): readonly Formula[] {
    const { formulas } = this.world;
    const items = own(schema, "items");
    if (isList(items) || own(schema, "prefixItems") !== undefined) return [];
    return [...this.world.askedIn(raw).values()].flatMap(({ isIn, raw: element }) => {
      if (element === undefined) return [];
      const isElement = formulas.and(raw.is("list"), isIn);
      return inner(items, element).map((one) => formulas.implies(isElement, one));
    });
  }
}
