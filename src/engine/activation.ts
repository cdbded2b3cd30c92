/** The state of one layer's evaluation of one request. */

import { Evaluation } from "../cel/evaluation.js";
import { ATTRIBUTES, ROOT } from "../cel/roots.js";
import type { JsonMap, Timestamp } from "../cel/values.js";
import type { Expression } from "../policy/model.js";
import type { Failure } from "./errors.js";

/** A subject or object of a request, as expressions read it. Attributes are JSON data. */
export interface PrincipalInput {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr: JsonMap;
  /** `""` is the root. */
  readonly scope: string;
}

export interface ResourceInput {
  readonly kind: string;
  readonly id: string;
  readonly attr: JsonMap;
  /** `""` is the root. */
  readonly scope: string;
}

const ROOTS = Object.keys(ROOT).length;
const ATTRIBUTE_MAPS = Object.keys(ATTRIBUTES).length;
const NO_MAP: JsonMap = Object.freeze(Object.create(null));

export class Activation extends Evaluation {
  /** The leaf of a condition that failed most recently. */
  failed: Expression | undefined = undefined;
  /** Conditions of rules and derived roles that are already decided, by index. */
  readonly states: State[] = [];
  /** The rules that failed, in the order in which they were reached. */
  readonly failures: Failure[] = [];
  /** In use: an attribute that is a getter may call back into the engine. */
  busy = false;

  constructor() {
    super();
    for (let i = 0; i < ROOTS; i++) this.roots[i] = "";
    for (let i = 0; i < ATTRIBUTE_MAPS; i++) this.attributes[i] = NO_MAP;
  }

  /** Takes up a request. */
  begin(principal: PrincipalInput, resource: ResourceInput, now: Timestamp | undefined, slots: number): void {
    this.restart(slots);
    this.now = now;
    const { roots, attributes } = this;
    roots[ROOT.principalId] = principal.id;
    roots[ROOT.principalRoles] = principal.roles;
    roots[ROOT.resourceKind] = resource.kind;
    roots[ROOT.resourceId] = resource.id;
    attributes[ATTRIBUTES.principal] = principal.attr;
    attributes[ATTRIBUTES.resource] = resource.attr;
  }

  /** Starts over on the same request, this time keeping what is found. */
  again(slots: number, states: number): void {
    this.restart(slots);
    for (let i = 0; i < states; i++) this.states[i] = UNDECIDED;
    this.failed = undefined;
    this.failures.length = 0;
  }

  /** Lets go of the request's attributes, so that a reused activation keeps nothing large alive. */
  end(): void {
    this.attributes[ATTRIBUTES.principal] = NO_MAP;
    this.attributes[ATTRIBUTES.resource] = NO_MAP;
  }
}

/** What is known of a condition in one evaluation. */
export type State = 0 | 1 | 2 | 3;
export const UNDECIDED = 0;
export const HOLDS = 1;
export const UNMET = 2;
export const ERRED = 3;
