/** One compiled layer: the policies of one version. */

import type { AttributeDeclarations } from "../../cel/type-declaration.js";
import type { JsonMap, Timestamp } from "../../cel/values.js";
import type { PolicyModel } from "../../policy/model.js";
import { sanitise } from "../../policy/names.js";
import { principalFrame, resourceFrame } from "../frame/frame.js";

import { KnownActions } from "../plan/known-actions.js";
import { makePlan } from "../plan/make-plan.js";
import { NameTable } from "../plan/name-table.js";
import type { AttributeSchemaRefs, Plan } from "../plan/plan.js";
import { Plans } from "../plan/plans.js";
import { PolicyIndex } from "../plan/policy-index.js";
import { locatePolicies, type PolicyLocation, type ScopeSearch } from "../plan/policy-location.js";
import { ScopedPlans } from "../plan/scoped-plans.js";
import type { DeclaredAttributeTypes, PrincipalInput, ResourceInput } from "../plan/subjects.js";
import type { LayerVerdict } from "../plan/verdict.js";
import { Activation, NO_TYPES } from "./activation.js";
import { AttributeValidator, invalidAttributes, type ValidationError } from "./attribute-schemas.js";
import { Closures } from "./closures.js";
import { CompiledPlan, type PlanContext } from "./compiled-plan.js";
import type { Equipment } from "./equipment.js";
import type { Observer } from "./observer.js";
import { PlanPair } from "./plan-pair.js";
import { type EvaluatedPlan, evaluateWithClosures } from "./strict-verdict.js";

export interface LayerOptions {
  readonly equipment: Equipment;
  /** Whether generated functions may be used. */
  readonly codegen: boolean;
  /** Values that expressions read as `G.name`. Undefined: they are unknown, and evaluations treat each as absent. */
  readonly globals?: JsonMap | undefined;
  /** Whether attributes must satisfy the policies' JSON Schemas. */
  readonly enforceSchemas: boolean;
  /** Whether reading an attribute is an error if its value is not of the type that a schema declares. */
  readonly typedReads: boolean;
  /** Whether the parents of a scope that does not exist are searched. Default: `false`. */
  readonly lenientScopeSearch?: boolean;
  /** Told of each part that evaluations reach. */
  readonly observer?: Observer;
}

/** An evaluation of a request, with its findings. */
export interface LayerEvaluation extends Omit<EvaluatedPlan, "pending"> {
  /** Sanitised, as policies are indexed. */
  readonly kind: string;
  readonly action: string;
  readonly plan: Plan;
  readonly activation: Activation;
}

export class Layer {
  readonly version: string;
  /** The reason where no rule decides: `not_granted`, `not_available`. */
  readonly defaultReason: string;
  readonly globals: JsonMap;
  /** Whether the globals are known. */
  readonly knowsGlobals: boolean;
  private readonly scopeSearch: ScopeSearch;
  readonly equipment: Equipment;
  readonly index: PolicyIndex;
  readonly closures: Closures;
  /** Whether attributes must satisfy the policies' JSON Schemas. */
  readonly enforcesSchemas: boolean;
  private readonly declared: AttributeDeclarations | undefined;
  private readonly model: PolicyModel;
  private readonly schemas: AttributeValidator;
  /** The ids of the principals that have policies; undefined: no principal has any. */
  private readonly personal: NameTable | undefined;
  private actions: KnownActions | undefined = undefined;
  private readonly plans: ScopedPlans<CompiledPlan>;
  private readonly pairs = new WeakMap<CompiledPlan, PlanPair>();

  /** Compiles the policies of `version`. The model is checked, so this cannot fail. */
  constructor(model: PolicyModel, version: string, defaultReason: string, options: LayerOptions) {
    const {
      equipment,
      codegen,
      globals = {},
      enforceSchemas,
      typedReads,
      lenientScopeSearch = false,
      observer,
    } = options;
    this.equipment = equipment;
    this.model = model;
    this.version = version;
    this.defaultReason = defaultReason;
    this.globals = globals;
    this.knowsGlobals = options.globals !== undefined;
    this.scopeSearch = { defaultScope: "", lenientScopeSearch };
    this.index = new PolicyIndex(model);
    const own = model.principalPolicies.filter((policy) => policy.version === version);
    this.personal = own.length === 0 ? undefined : new NameTable([...new Set(own.map(({ name }) => name))]);
    const closures = new Closures(equipment.functions, "strict", observer);
    this.closures = closures;
    this.enforcesSchemas = enforceSchemas;
    this.declared = typedReads ? equipment.types?.(model) : undefined;
    this.schemas = new AttributeValidator(this.index, model, equipment.validator);
    const source = codegen ? equipment.source?.() : undefined;
    const typesOf = (plan: Plan) => this.typesOf(plan);
    const enforced: PlanContext["enforced"] = enforceSchemas ? (...given) => this.enforced(...given) : undefined;
    const context: PlanContext = { closures, defaultReason, globals, typesOf, source, enforced };
    const plans = new Plans(this.index, "steady", (plan, action) => new CompiledPlan(plan, action, context));
    this.plans = new ScopedPlans(plans, (...scopes) => this.placeOf(...scopes));
  }

  /** The same layer, with an observer of its evaluations. */
  observedBy(observer: Observer): Layer {
    const { model, version, defaultReason, equipment, enforcesSchemas, typedReads, scopeSearch } = this;
    const globals = this.knowsGlobals ? this.globals : undefined;
    const { lenientScopeSearch } = scopeSearch;
    const options = { globals, enforceSchemas: enforcesSchemas, typedReads, lenientScopeSearch };
    return new Layer(model, version, defaultReason, { ...options, equipment, codegen: false, observer });
  }

  /** Whether reading an attribute is an error if its value is not of the type that a schema declares. */
  get typedReads(): boolean {
    return this.declared !== undefined;
  }

  /** The declared types of the attributes that a plan reads. */
  typesOf({ schemas: { principal, resource } }: Plan): DeclaredAttributeTypes {
    const { declared } = this;
    if (declared === undefined || (principal === undefined && resource === undefined)) return NO_TYPES;
    return {
      principal: principal === undefined ? undefined : declared.at(principal),
      resource: resource === undefined ? undefined : declared.at(resource),
    };
  }

  /** The actions that the layer's policies know. */
  get known(): KnownActions {
    this.actions ??= new KnownActions(this.model, this.version);
    return this.actions;
  }

  /** Whether a principal has policies of its own. */
  isPersonal(id: string): boolean {
    return this.personal !== undefined && this.personal.indexOf(id) >= 0;
  }

  /** Whether any principal has policies of its own. */
  get hasPersonal(): boolean {
    return this.personal !== undefined;
  }

  /** Whether the parents of a scope that does not exist are searched. */
  get searchesLeniently(): boolean {
    return this.scopeSearch.lenientScopeSearch;
  }

  /** The place for a question with these scopes. */
  placeOf(principalScope: string, resourceScope: string): PolicyLocation {
    const { version, index, scopeSearch } = this;
    return locatePolicies(index, { version, principalVersion: version, principalScope, resourceScope }, scopeSearch);
  }

  /**
   * The plan for a question. The lookup reads a copy of the roles: V8 does not compile reads of frozen lists. After one
   * frozen list it would make a call for each read of any list at the same place.
   */
  planFor({ id, roles, attr, scope }: PrincipalInput, resource: ResourceInput, action: string): CompiledPlan {
    return this.plans.find({ id, roles: [...roles], attr, scope }, resource, action);
  }

  /** Whether `principal` may do `action` to `resource`. Never throws: an evaluation that fails denies. */
  verdict(
    principal: PrincipalInput,
    resource: ResourceInput,
    action: string,
    now: Timestamp | undefined,
  ): LayerVerdict {
    const plan = this.planFor(principal, resource, action);
    const pair = this.pairs.get(plan) ?? new PlanPair(plan, undefined);
    this.pairs.set(plan, pair);
    const frame = principalFrame("key", principal.id, principal.roles, principal.attr, principal.scope);
    const row = resourceFrame(resource.kind, resource.id, resource.attr, resource.scope);
    plan.readPrincipal(frame);
    pair.readResource(row);
    return plan.judge(frame, row, 0, pair, now).verdict;
  }

  /** The verdict by the rules, and how it came about. Throws the errors of reading the request. */
  account(
    principal: PrincipalInput,
    resource: ResourceInput,
    action: string,
    now: Timestamp | undefined,
  ): LayerEvaluation {
    const { index, globals, closures, defaultReason } = this;
    const kind = sanitise(resource.kind);
    const roles = [...new Set(principal.roles)].sort();
    const place = this.placeOf(principal.scope, resource.scope);
    const { plan: kept } = this.planFor(principal, resource, action);
    // A plan that is kept has the roles that policies name; this one has all.
    const plan =
      kept.refusal === undefined ? makePlan(index, place, { kind, action, principalId: principal.id, roles }) : kept;
    const activation = new Activation();
    activation.begin(principal, resource, now, globals, this.typesOf(plan));
    return {
      kind,
      action,
      plan,
      activation,
      ...evaluateWithClosures(plan, action, defaultReason, closures, activation),
    };
  }

  /** The schemas that the attributes of a question should satisfy; undefined if no policy is about the kind. */
  schemasOf({ kind, scope }: Pick<ResourceInput, "kind" | "scope">, action: string): AttributeSchemaRefs | undefined {
    const { version, resourceChain } = this.placeOf("", scope);
    return this.index.schemas(version, resourceChain, sanitise(kind), [action]);
  }

  /**
   * Validates the attributes by the policies' schemas. Returns every fault. May throw the errors of reading the
   * attributes.
   */
  schemaFaults(
    principal: Pick<PrincipalInput, "attr">,
    resource: ResourceInput,
    action: string,
  ): readonly ValidationError[] {
    return this.schemas.faults(this.placeOf("", resource.scope), {
      kind: sanitise(resource.kind),
      principal: principal.attr,
      resource: resource.attr,
      actions: [action],
    });
  }

  /**
   * The verdict by the rules. Where schemas are enforced, a verdict that allows becomes a denial if the attributes do
   * not satisfy them. The attributes must then be copies of a request's, which can be read to their end.
   */
  enforced(verdict: LayerVerdict, principal: PrincipalInput, resource: ResourceInput, action: string): LayerVerdict {
    return this.enforcedOn(verdict, principal, resource, action, ["principal", "resource"]);
  }

  /** The same for a resource that is known in part: only the attributes of the principal are validated. */
  enforcedFor(verdict: LayerVerdict, principal: PrincipalInput, resource: ResourceInput, action: string): LayerVerdict {
    return this.enforcedOn(verdict, principal, resource, action, ["principal"]);
  }

  private enforcedOn(
    verdict: LayerVerdict,
    principal: PrincipalInput,
    resource: ResourceInput,
    action: string,
    sources: readonly ValidationError["source"][],
  ): LayerVerdict {
    if (!this.enforcesSchemas || verdict.effect !== "allow") return verdict;
    const faults = this.schemaFaults(principal, resource, action).filter(({ source }) => sources.includes(source));
    return faults.length === 0 ? verdict : invalidAttributes(verdict, faults);
  }
}
