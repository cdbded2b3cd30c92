/** What is known of requests about one resource kind. */

import fc from "fast-check";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { SchemaValidator } from "../../schema/validator.js";
import type { Address, AttributeCheck } from "./draft.js";
import { SUBJECTS, type SubjectName } from "./places.js";
import { type Attr, isValueMap, type Value } from "./plain-request.js";
import type { SchemaNode, SchemaTree } from "./schema-tree.js";
import { schemaValues, WORDS } from "./schema-values.js";
import { type LayerName, type layersOf, READERS, schemaRefs, subjectSchema } from "./subjects.js";
import { ELEMENT } from "./usage.js";

/** The values of attributes that requests about a kind can have, and what holds them to the schemas. */
export class Kind {
  readonly validators: ReadonlyMap<SubjectName, readonly AttributeCheck[]>;
  readonly readsTime: boolean;
  private readonly layers: ReturnType<typeof layersOf>;
  private readonly schemas: ReadonlyMap<SubjectName, { readonly tree: SchemaTree; readonly node: SchemaNode }>;
  private readonly arbitraries = new Map<SubjectName, fc.Arbitrary<Attr>>();
  private readonly samples = new Map<string, readonly Value[]>();

  constructor(policies: PolicySet, layers: ReturnType<typeof layersOf>, validator: SchemaValidator, resource: string) {
    this.layers = layers;
    this.readsTime = layers.permission.readsTime || layers.platform.readsTime;
    this.schemas = new Map(
      SUBJECTS.map((subject) => [subject, subjectSchema(policies.model, layers, subject, resource)] as const),
    );
    this.validators = new Map(
      SUBJECTS.map((subject) => {
        const refs = schemaRefs(layers, subject, resource);
        return [subject, refs.map((ref) => (attr: Attr) => validator.validate(ref, attr).length === 0)] as const;
      }),
    );
  }

  attributes(subject: SubjectName): fc.Arbitrary<Attr> {
    const made = this.arbitraries.get(subject) ?? this.attributesOf(subject);
    this.arbitraries.set(subject, made);
    return made;
  }

  private attributesOf(subject: SubjectName): fc.Arbitrary<Attr> {
    const known = this.schemas.get(subject);
    if (known === undefined) return fc.constant({});
    const values = schemaValues(known.tree, known.node, (path) => this.constants(subject, path));
    return values.map((value) => (isValueMap(value) ? value : {}));
  }

  /** Values that an attribute can have, a few, always the same ones. */
  readonly candidates = (layer: LayerName, { root, path }: Address): readonly Value[] => {
    if (root === "P.id" || root === "R.id") return WORDS;
    const subject = root === "R.attr" ? "resource" : layer === "permission" ? "key" : "account";
    const names = path.map((part) => (typeof part === "string" ? part : ELEMENT));
    const key = JSON.stringify([subject, ...names]);
    const sampled = this.samples.get(key) ?? this.sample(subject, names);
    this.samples.set(key, sampled);
    return sampled;
  };

  private sample(subject: SubjectName, path: readonly string[]): readonly Value[] {
    const known = this.schemas.get(subject);
    if (known === undefined) return [];
    let { node } = known;
    for (const name of path) {
      const { properties, items } = node.schema;
      if (name === ELEMENT) {
        node = known.tree.child(items, node);
        continue;
      }
      const below = typeof properties === "object" && properties !== null && Object.hasOwn(properties, name);
      node = known.tree.child(below ? Object.entries(properties).find(([key]) => key === name)?.[1] : undefined, node);
    }
    const values = schemaValues(known.tree, node, (inner) => this.constants(subject, [...path, ...inner]));
    const drawn = fc.sample(values, { seed: 1, numRuns: 24 });
    return [...new Map(drawn.map((value) => [JSON.stringify(value), value])).values()];
  }

  private constants(subject: SubjectName, path: readonly string[]) {
    const { layers, root } = READERS[subject];
    const all = layers.map((layer) => this.layers[layer].constants.at(`${root}.attr`, path));
    return { strings: all.flatMap(({ strings }) => strings), numbers: all.flatMap(({ numbers }) => numbers) };
  }
}
