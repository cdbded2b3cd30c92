/**
 * The state of an evaluation of one request.
 *
 * INVARIANT (one evaluation at a time): an activation serves one evaluation at a time. What is used for all that a layer is
 * asked is begun when the request has been copied, so that no getter asks the engine anything before it ends.
 */

import { Evaluation } from "../../cel/evaluation.js";
import { ATTRIBUTES, ROOT } from "../../cel/roots.js";
import type { JsonMap, Timestamp } from "../../cel/values.js";
import type { Expression } from "../../policy/model.js";

import { withoutDot } from "../plan/scopes.js";
import type { AttributeTypes, PrincipalInput, ResourceInput } from "../plan/subjects.js";

const ROOTS = Object.keys(ROOT).length;
const ATTRIBUTE_MAPS = Object.keys(ATTRIBUTES).length;
const NO_MAP: JsonMap = Object.freeze(Object.create(null));
const NO_ROLES: readonly string[] = Object.freeze([]);

export const NO_TYPES: AttributeTypes = Object.freeze({ principal: undefined, resource: undefined });

/** The derived roles that are active at a scope. */
export interface ActiveRoles {
  /** Sorted. */
  readonly names: readonly string[];
  /** Those whose condition errs (strictly), sorted: if there are any, what reads the active ones errs. */
  readonly erring: readonly string[];
}

export const NO_ACTIVE_ROLES: ActiveRoles = { names: NO_ROLES, erring: NO_ROLES };

/** Which leaf of a condition failed, and how. */
export interface Failure {
  readonly expression: Expression;
  readonly fault: string;
  readonly faultAt: number;
}

export class Activation extends Evaluation {
  /** The most recent one. What is evaluated after it may leave a fault of which nothing comes: `true || error`. */
  failed: Failure | undefined = undefined;
  /** The derived roles that were found to be active, by the policy that uses them. */
  readonly active = new Map<string, ActiveRoles>();

  constructor() {
    super();
    for (let i = 0; i < ROOTS; i++) this.roots[i] = "";
    for (let i = 0; i < ATTRIBUTE_MAPS; i++) {
      this.attributes[i] = NO_MAP;
      this.declared[i] = undefined;
    }
  }

  override restart(): void {
    super.restart();
    if (this.active.size > 0) this.active.clear();
  }

  /** Before something is evaluated that may fail. */
  forgetFailure(): void {
    this.failed = undefined;
  }

  /** The latest fault is that of a leaf. */
  fails(expression: Expression): void {
    const { fault, faultAt } = this;
    this.failed = { expression, fault, faultAt };
  }

  /** Takes up a request. */
  begin(
    principal: PrincipalInput,
    resource: ResourceInput,
    now: Timestamp | undefined,
    globals: JsonMap,
    types: AttributeTypes = NO_TYPES,
  ): void {
    this.restart();
    this.now = now;
    const { roots, attributes, declared } = this;
    declared[ATTRIBUTES.principal] = types.principal;
    declared[ATTRIBUTES.resource] = types.resource;
    roots[ROOT.principalId] = principal.id;
    roots[ROOT.principalRoles] = principal.roles;
    roots[ROOT.principalScope] = withoutDot(principal.scope);
    roots[ROOT.resourceKind] = resource.kind;
    roots[ROOT.resourceId] = resource.id;
    roots[ROOT.resourceScope] = withoutDot(resource.scope);
    roots[ROOT.effectiveDerivedRoles] = NO_ROLES;
    attributes[ATTRIBUTES.principal] = principal.attr;
    attributes[ATTRIBUTES.resource] = resource.attr;
    attributes[ATTRIBUTES.globals] = globals;
  }

  /** Makes these what expressions read as `runtime.effectiveDerivedRoles`; the error is the server's, word by word. */
  setActiveRoles({ names, erring }: ActiveRoles): void {
    const isKnown = erring.length === 0;
    this.roots[ROOT.effectiveDerivedRoles] = isKnown ? names : undefined;
    this.rootFault = isKnown ? "" : `failed to compute effective derived roles [${erring.join(", ")}]`;
  }

  /** Lets go of the request, so that a reused activation keeps nothing of it alive. */
  end(): void {
    this.attributes[ATTRIBUTES.principal] = NO_MAP;
    this.attributes[ATTRIBUTES.resource] = NO_MAP;
    this.restart();
  }
}
