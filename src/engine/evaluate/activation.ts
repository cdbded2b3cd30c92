/**
 * The state of an evaluation of one request.
 *
 * INVARIANT (one evaluation at a time): an activation serves one evaluation at a time. The activation that all plans
 * share begins after the request has been copied. So no getter of a request can start another evaluation before this
 * one ends.
 */

import { Evaluation } from "../../cel/evaluation.js";
import { ATTRIBUTES, ROOT } from "../../cel/roots.js";
import type { JsonMap, Timestamp } from "../../cel/values.js";
import type { Expression } from "../../policy/model.js";

import { withoutDot } from "../plan/scopes.js";
import type { DeclaredAttributeTypes, PrincipalInput, ResourceInput } from "../plan/subjects.js";

const ROOTS = Object.keys(ROOT).length;
const ATTRIBUTE_MAPS = Object.keys(ATTRIBUTES).length;
const NO_MAP: JsonMap = Object.freeze(Object.create(null));
const NO_ROLES: readonly string[] = Object.freeze([]);

export const NO_TYPES: DeclaredAttributeTypes = Object.freeze({ principal: undefined, resource: undefined });

/** The derived roles that are active at a scope. */
export interface ActiveRoles {
  /** Sorted. */
  readonly names: readonly string[];
  /**
   * The derived roles with a condition that errs (strictly), sorted. If there are any, reading the active roles is an
   * error.
   */
  readonly erring: readonly string[];
}

export const NO_ACTIVE_ROLES: ActiveRoles = { names: NO_ROLES, erring: NO_ROLES };

/** The leaf of a condition that failed, and its fault. */
export interface Failure {
  readonly expression: Expression;
  readonly fault: string;
  readonly faultAt: number;
}

export class Activation extends Evaluation {
  /**
   * The most recent failure. `fault` alone does not tell it: a later evaluation may leave a fault there that has no
   * effect, as in `true || error`.
   */
  failed: Failure | undefined = undefined;
  /** The active derived roles that were found, by the policy that uses them. */
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

  /** Called before an evaluation that may fail. */
  forgetFailure(): void {
    this.failed = undefined;
  }

  /** Records that the latest fault is that of a leaf. */
  fails(expression: Expression): void {
    const { fault, faultAt } = this;
    this.failed = { expression, fault, faultAt };
  }

  /** Begins the evaluation of a request. */
  begin(
    principal: PrincipalInput,
    resource: ResourceInput,
    now: Timestamp | undefined,
    globals: JsonMap,
    types: DeclaredAttributeTypes = NO_TYPES,
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

  /** Sets the value of `runtime.effectiveDerivedRoles`. The error is the server's, word by word. */
  setActiveRoles({ names, erring }: ActiveRoles): void {
    const isKnown = erring.length === 0;
    this.roots[ROOT.effectiveDerivedRoles] = isKnown ? names : undefined;
    this.rootFault = isKnown ? "" : `failed to compute effective derived roles [${erring.join(", ")}]`;
  }

  /** Releases the request, so that a reused activation does not keep it alive. */
  end(): void {
    this.attributes[ATTRIBUTES.principal] = NO_MAP;
    this.attributes[ATTRIBUTES.resource] = NO_MAP;
    this.restart();
  }
}
