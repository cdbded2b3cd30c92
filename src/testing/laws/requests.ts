/** Requests made for a policy set. */

import fc from "fast-check";
import type { PolicySet } from "../../decisions/policy-set.js";
import { SchemaCompiler } from "../../policy/json-schema.js";
import { sanitise } from "../../policy/names.js";
import { type Aim, NOBODY, pursue } from "./aims.js";
import { Choices } from "./choices.js";
import { damagedRequest } from "./damage.js";
import { type Address, Draft } from "./draft.js";
import { Evaluator } from "./evaluator.js";
import { SUBJECTS, type SubjectName } from "./places.js";
import { type Attr, isValueMap, type PlainRequest, type Value } from "./plain-request.js";
import type { SchemaNode, SchemaTree } from "./schema-tree.js";
import { schemaValues, WORDS } from "./schema-values.js";
import { type LayerName, layersOf, READERS, schemaRefs, subjectSchema, type Target, targetsOf } from "./subjects.js";
import { ELEMENT } from "./usage.js";

export interface RequestOptions {
  /**
   * Whether attributes always satisfy their schemas. Default: false; then about one request in ten has a few attributes
   * missing or of another type.
   */
  readonly wellTyped?: boolean;
  /** Only requests for these operations. Default: all that policies name, and now and then one that none does. */
  readonly operations?: readonly string[];
}

/**
 * Requests for a policy set, made from its JSON Schemas and conditions: kinds, operations, roles, ids and scopes that
 * policies name (and now and then others), attributes that satisfy the schemas, values on both sides of what conditions
 * compare. Most are steered towards an outcome, so that each outcome and each rule comes up often. They shrink to plain
 * ones.
 */
export function requests(policies: PolicySet, options: RequestOptions = {}): fc.Arbitrary<PlainRequest> {
  const made = new RequestMaker(policies, options).arbitrary();
  if (options.wellTyped === true) return made;
  return fc.oneof(
    { weight: 9, arbitrary: made },
    { weight: 1, arbitrary: made.chain((one) => damagedRequest(one, "either").map(({ request }) => request)) },
  );
}

/** What decides where a request is steered to. */
interface Plan {
  readonly permission: Aim;
  readonly platform: Aim;
  readonly seed: number;
}

const plans: fc.Arbitrary<Plan> = fc.record({
  permission: fc.constantFrom<Aim>("allow", "allow", "allow", "nothing", "rule", "any"),
  platform: fc.constantFrom<Aim>("allow", "allow", "allow", "rule", "rule", "any"),
  seed: fc.nat(),
});

/** One of the times at which policies that read the clock are asked. */
const NOW = new Date("2024-09-01T18:00:00Z");

class RequestMaker {
  private readonly policies: PolicySet;
  private readonly options: RequestOptions;
  private readonly layers: ReturnType<typeof layersOf>;
  private readonly evaluators: { readonly [layer in LayerName]: Evaluator };
  private readonly compiler: SchemaCompiler;
  private readonly kinds = new Map<string, Kind>();

  constructor(policies: PolicySet, options: RequestOptions) {
    this.policies = policies;
    this.options = options;
    this.layers = layersOf(policies);
    const { permission, platform } = this.layers;
    this.evaluators = { permission: new Evaluator(permission), platform: new Evaluator(platform) };
    this.compiler = new SchemaCompiler(policies.model.schemas);
  }

  arbitrary(): fc.Arbitrary<PlainRequest> {
    const { operations } = this.options;
    const targets = targetsOf(this.layers).filter(
      ({ operation }) => operations === undefined || operations.includes(operation),
    );
    const [first] = targets;
    if (first === undefined) throw new Error("keyward: no policy has a rule for one of these operations");
    return fc.oneof(...targetsByKind(targets).map((each) => fc.oneof(...each.map((one) => this.requestFor(one)))));
  }

  private requestFor(target: Target): fc.Arbitrary<PlainRequest> {
    const { model } = this.policies;
    const { permission, platform } = this.layers;
    const kind = this.kindOf(target.resource);
    const roles = rolesIn(permission.resources, permission.roles);
    const id = (names: readonly string[]) => fc.constantFrom(...new Set([...WORDS, ...names]));
    const scopes = [...new Set([...model.scopePermissions.keys(), ...permission.roles.map(({ scope }) => scope)])];
    const scope = scopes.some((one) => one !== "") ? fc.constantFrom(...scopes) : fc.constant("");
    const stranger = this.options.operations === undefined ? 1 : 0;
    return fc
      .record({
        keyId: id(permission.principals.map(({ name }) => name)),
        roles: fc.shuffledSubarray([...roles, NOBODY], { minLength: 1, maxLength: Math.min(2, roles.length + 1) }),
        key: kind.attributes("key"),
        operation: fc.oneof(
          { weight: 39, arbitrary: fc.constant(target.operation) },
          { weight: stranger, arbitrary: fc.constantFrom("unheard_of", `${target.operation}.more`) },
        ),
        kind: fc.oneof(
          { weight: 39, arbitrary: fc.constant(target.kind) },
          { weight: stranger, arbitrary: fc.constantFrom("unheard_of") },
        ),
        resourceId: id([]),
        resource: kind.attributes("resource"),
        accountId: id(platform.principals.map(({ name }) => name)),
        account: kind.attributes("account"),
        scope,
        plan: plans,
      })
      .map(({ plan, ...roll }) => {
        const placed = roll.scope === "" ? {} : { scope: roll.scope };
        const request: PlainRequest = {
          key: { id: roll.keyId, roles: roll.roles, attr: roll.key, ...placed },
          operation: roll.operation,
          resource: { kind: roll.kind, id: roll.resourceId, attr: roll.resource, ...placed },
          account: { id: roll.accountId, attr: roll.account, ...placed },
          ...(kind.readsTime ? { now: NOW } : {}),
        };
        return this.steered(request, target, kind, plan);
      });
  }

  private steered(request: PlainRequest, target: Target, kind: Kind, plan: Plan): PlainRequest {
    const draft = new Draft(request, kind.validators);
    const choices = new Choices(plan.seed);
    // The platform first: what is then left to change for the permission layer is mostly the key's.
    for (const layer of ["platform", "permission"] as const) {
      pursue(plan[layer], this.layers[layer], target, {
        layer,
        draft,
        choices,
        evaluator: this.evaluators[layer],
        candidates: kind.candidates,
        now: request.now,
      });
    }
    return draft.done();
  }

  private kindOf(resource: string): Kind {
    const known = this.kinds.get(resource);
    if (known !== undefined) return known;
    const kind = new Kind(this.policies, this.layers, this.compiler, resource);
    this.kinds.set(resource, kind);
    return kind;
  }
}

/** What is known of requests about one resource kind. */
class Kind {
  readonly validators: ReadonlyMap<SubjectName, ReturnType<SchemaCompiler["validatorOf"]>[]>;
  readonly readsTime: boolean;
  private readonly layers: ReturnType<typeof layersOf>;
  private readonly schemas: ReadonlyMap<SubjectName, { readonly tree: SchemaTree; readonly node: SchemaNode }>;
  private readonly arbitraries = new Map<SubjectName, fc.Arbitrary<Attr>>();
  private readonly samples = new Map<string, readonly Value[]>();

  constructor(policies: PolicySet, layers: ReturnType<typeof layersOf>, compiler: SchemaCompiler, resource: string) {
    this.layers = layers;
    this.readsTime = layers.permission.readsTime || layers.platform.readsTime;
    this.schemas = new Map(
      SUBJECTS.map((subject) => [subject, subjectSchema(policies.model, layers, subject, resource)] as const),
    );
    this.validators = new Map(
      SUBJECTS.map((subject) => {
        const refs = schemaRefs(layers, subject, resource);
        return [subject, refs.map((ref) => compiler.validatorOf(ref))] as const;
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

function targetsByKind(targets: readonly Target[]): readonly (readonly Target[])[] {
  const byKind = new Map<string, Target[]>();
  for (const target of targets)
    byKind.set(sanitise(target.kind), [...(byKind.get(sanitise(target.kind)) ?? []), target]);
  return [...byKind.values()];
}

type Roled = ReturnType<typeof layersOf>["permission"];

function rolesIn(resources: Roled["resources"], rolePolicies: Roled["roles"]): readonly string[] {
  const named = resources.flatMap(({ rules, derivedRoles }) => [
    ...rules.flatMap((rule) => rule.roles),
    ...[...derivedRoles.values()].flatMap((role) => role.parentRoles),
  ]);
  const restricted = rolePolicies.flatMap(({ role, parentRoles }) => [role, ...parentRoles]);
  return [...new Set([...named, ...restricted])].filter((role) => role !== "*");
}
