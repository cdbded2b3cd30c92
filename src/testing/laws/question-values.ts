/** Attribute values and validators for the requests of one question. */

import * as fc from "fast-check";
import { isList, isObject, type JsonValue } from "../../cel/json.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { OperationQuestion } from "../../engine/plan/questions.js";
import { listOf, type SchemaObject } from "../../schema/keywords.js";
import { type SchemaNode, SchemaTree } from "../../schema/tree.js";
import type { SchemaValidator } from "../../schema/validator.js";
import { policiesOf, resourcePoliciesOn } from "../../space/deciding-rules.js";
import { ELEMENT, LAYERS, type SpaceLayer, type SpaceSubject, SUBJECTS } from "../../space/dimension.js";
import { DraftEvaluator } from "../../space/evaluator.js";
import { type QuestionSpace, questionSpaceOf } from "../../space/question-space.js";
import type { AttributeCheck, RequestValueAddress } from "./draft.js";
import { guessedSchema } from "./guess.js";
import { isValueMap, type PlainValue, type RequestAttributes } from "./plain-request.js";
import { type ComparedConstants, schemaValues, WORDS } from "./schema-values.js";

const GUESS = "keyward:guess";

/** The possible attribute values of requests with one question, and the validators that hold them to the schemas. */
export class QuestionValues {
  readonly asked: { readonly [layer in SpaceLayer]: QuestionSpace };
  readonly validators: ReadonlyMap<SpaceSubject, readonly AttributeCheck[]>;
  readonly readsTime: boolean;
  readonly evaluators: { readonly [layer in SpaceLayer]: DraftEvaluator };
  private readonly schemas: ReadonlyMap<SpaceSubject, { readonly tree: SchemaTree; readonly node: SchemaNode }>;
  private readonly constants: ReadonlyMap<string, ComparedConstants>;
  private readonly samples = new Map<string, readonly PlainValue[]>();

  constructor(policies: PolicySet, validator: SchemaValidator, question: OperationQuestion) {
    const askOf = (layer: SpaceLayer) => questionSpaceOf([policies], layer, question, true);
    this.asked = { permission: askOf("permission"), platform: askOf("platform") };
    const evaluatorOf = (layer: SpaceLayer) => new DraftEvaluator(layer, policies[layer]?.globals ?? {});
    this.evaluators = { permission: evaluatorOf("permission"), platform: evaluatorOf("platform") };
    const spaces = LAYERS.map((layer) => this.asked[layer].space);
    this.readsTime = spaces.some(({ needsTime }) => needsTime);
    this.constants = constantsOf(this.asked);
    const refs = new Map(SUBJECTS.map((subject) => [subject, refsOf(policies, question, subject)] as const));
    this.schemas = new Map(
      [...refs].map(([subject, own]) => {
        const guessed = guessedSchema(spaces, subject);
        return [subject, joined(new SchemaTree(new Map([...policies.model.schemas, [GUESS, guessed]])), own, guessed)];
      }),
    );
    this.validators = new Map(
      [...refs].map(([subject, own]) => [
        subject,
        own.map((ref) => (attr: RequestAttributes) => validator.validate(ref, attr).length === 0),
      ]),
    );
  }

  /** The ids or scopes of a subject that policies name. */
  named(subject: SpaceSubject, field: "id" | "scope"): readonly string[] {
    const dimensions = LAYERS.flatMap((layer) => this.asked[layer].space.dimensions.get(`${subject}.${field}`) ?? []);
    return dimensions.flatMap(({ constants }) => [...constants.values()]).filter((value) => typeof value === "string");
  }

  attributes(subject: SpaceSubject): fc.Arbitrary<RequestAttributes> {
    return this.valuesAt(subject, []).map((value) => (isValueMap(value) ? value : {}));
  }

  /** A few possible values of an attribute, always the same ones. */
  readonly candidates = ({ subject, path: [field, ...below] }: RequestValueAddress): readonly PlainValue[] => {
    if (field !== "attr") return WORDS;
    const path = below.map((part) => (typeof part === "string" ? part : ELEMENT));
    const key = keyOf(subject, path);
    const known = this.samples.get(key);
    if (known !== undefined) return known;
    const drawn = fc.sample(this.valuesAt(subject, path), { seed: 1, numRuns: 24 });
    const sampled = [...new Map(drawn.map((value) => [JSON.stringify(value), value])).values()];
    this.samples.set(key, sampled);
    return sampled;
  };

  private valuesAt(subject: SpaceSubject, path: readonly string[]): fc.Arbitrary<PlainValue> {
    const known = this.schemas.get(subject);
    if (known === undefined) return fc.constant({});
    const { tree } = known;
    const node = path.reduce(
      (above, name) => (name === ELEMENT ? tree.child(above.schema.items, above) : tree.below(above, name)),
      known.node,
    );
    return schemaValues(tree, node, (inner) => this.constants.get(keyOf(subject, [...path, ...inner])) ?? NO_CONSTANTS);
  }
}

/** The schemas that policies for a question reference, for one subject. */
function refsOf(policies: PolicySet, question: OperationQuestion, subject: SpaceSubject): readonly string[] {
  const layers =
    subject === "resource" ? LAYERS : [subject === "key" ? ("permission" as const) : ("platform" as const)];
  const uses = layers
    .flatMap((layer) => resourcePoliciesOn(policiesOf(policies, layer), question))
    .map(({ resourceSchema, principalSchema }) => (subject === "resource" ? resourceSchema : principalSchema));
  return [...new Set(uses.flatMap((use) => (use === undefined ? [] : [use.ref])))];
}

/** The declared schemas, extended by the guessed properties that they lack. */
function joined(tree: SchemaTree, refs: readonly string[], guessed: SchemaObject) {
  if (refs.length === 0) return { tree, node: tree.at(GUESS) };
  const { schema, base } = tree.flat({ schema: { allOf: refs.map((ref) => ({ $ref: ref })) }, base: undefined });
  const known = isObject(schema.properties) ? schema.properties : {};
  const read = isObject(guessed.properties) ? guessed.properties : {};
  const missing = Object.entries(read).filter(([name]) => !Object.hasOwn(known, name));
  const extra = listOf(guessed, "required").filter((name) => missing.some(([one]) => one === name));
  const properties = { ...known, ...Object.fromEntries(missing) };
  return {
    tree,
    node: { schema: { ...schema, properties, required: [...listOf(schema, "required"), ...extra] }, base },
  };
}

const NO_CONSTANTS: ComparedConstants = { strings: [], numbers: [] };

/** The constants that attributes are compared with. The constants of a list include its elements. */
function constantsOf(asked: { readonly [layer in SpaceLayer]: QuestionSpace }): ReadonlyMap<string, ComparedConstants> {
  const found = new Map<string, { strings: string[]; numbers: number[] }>();
  const add = (to: { strings: string[]; numbers: number[] }, value: JsonValue): void => {
    if (typeof value === "string" && !to.strings.includes(value)) to.strings.push(value);
    if (typeof value === "number" && !to.numbers.includes(value)) to.numbers.push(value);
    if (isList(value)) for (const item of value) add(to, item);
  };
  for (const { subject, path, constants, elements } of LAYERS.flatMap((layer) => [
    ...asked[layer].space.dimensions.values(),
  ])) {
    const key = keyOf(subject, path.slice(1));
    const known = found.get(key) ?? { strings: [], numbers: [] };
    found.set(key, known);
    for (const value of [...constants.values(), ...elements.values()]) add(known, value);
  }
  return found;
}

function keyOf(subject: SpaceSubject, path: readonly string[]): string {
  return JSON.stringify([subject, ...path.filter((name) => name !== ELEMENT)]);
}
