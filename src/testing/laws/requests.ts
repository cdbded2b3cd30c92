/** Requests made for a policy set. */

import fc from "fast-check";
import type { PolicySet } from "../../decisions/policy-set.js";
import { SchemaValidator } from "../../schema/validator.js";
import { type Aim, NOBODY, pursue } from "./aims.js";
import { Choices } from "./choices.js";
import { damagedRequest } from "./damage.js";
import { Draft } from "./draft.js";
import { Evaluator } from "./evaluator.js";
import { Kind } from "./kind.js";
import type { PlainRequest } from "./plain-request.js";
import { WORDS } from "./schema-values.js";
import { type LayerName, layersOf, type Target, targetsOf } from "./subjects.js";

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
  private readonly validator: SchemaValidator;
  private readonly kinds = new Map<string, Kind>();

  constructor(policies: PolicySet, options: RequestOptions) {
    this.policies = policies;
    this.options = options;
    this.layers = layersOf(policies);
    const { permission, platform } = this.layers;
    this.evaluators = { permission: new Evaluator(permission), platform: new Evaluator(platform) };
    this.validator = new SchemaValidator(policies.model.schemas);
  }

  arbitrary(): fc.Arbitrary<PlainRequest> {
    const { operations } = this.options;
    const targets = targetsOf(this.layers).filter(
      ({ operation }) => operations === undefined || operations.includes(operation),
    );
    const [first] = targets;
    if (first === undefined) throw new Error("keyward: no policy has a rule for one of these operations");
    // What more rules are about comes up more often.
    return fc.oneof(...targets.map((target) => ({ weight: target.rules, arbitrary: this.requestFor(target) })));
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
    const kind = new Kind(this.policies, this.layers, this.validator, resource);
    this.kinds.set(resource, kind);
    return kind;
  }
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
