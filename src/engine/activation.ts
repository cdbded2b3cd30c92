/** The state of one layer's evaluation of one request. */

import { Evaluation } from "../cel/evaluation.js";
import { ROOT, ROOT_COUNT } from "../cel/roots.js";
import type { CelList, CelMap, Timestamp } from "../cel/values.js";
import type { Expression } from "../policy/model.js";
import type { Failure } from "./errors.js";

/** A subject or object of a request, as expressions read it. Attributes are JSON data. */
export interface PrincipalInput {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr: CelMap;
}

export interface ResourceInput {
  readonly kind: string;
  readonly id: string;
  readonly attr: CelMap;
}

const NO_LIST: CelList = Object.freeze([]);
const NO_MAP: CelMap = Object.freeze(Object.create(null));

export class Activation extends Evaluation {
  /** The leaf of a condition that failed most recently. */
  failed: Expression | undefined = undefined;
  /** Conditions of rules and derived roles that are already decided, by index. */
  readonly states: State[] = [];
  /** The rules and derived roles that hold, as a sum of their bits. */
  holding = 0;
  /** The rules that failed, in the order in which they were reached. */
  readonly failures: Failure[] = [];
  /** In use: an attribute that is a getter may call back into the engine. */
  busy = false;

  constructor() {
    super();
    for (let i = 0; i < ROOT_COUNT; i++) this.roots.push("");
    this.clear();
  }

  /** Takes up a request. */
  begin(
    principal: PrincipalInput,
    resource: ResourceInput,
    now: Timestamp | undefined,
    slots: number,
    states: number,
  ): void {
    this.restart(slots);
    for (let i = 0; i < states; i++) this.states[i] = UNDECIDED;
    this.holding = 0;
    this.failures.length = 0;
    this.now = now;
    const { roots } = this;
    roots[ROOT.principalId] = principal.id;
    roots[ROOT.principalRoles] = principal.roles;
    roots[ROOT.principalAttr] = principal.attr;
    roots[ROOT.resourceKind] = resource.kind;
    roots[ROOT.resourceId] = resource.id;
    roots[ROOT.resourceAttr] = resource.attr;
  }

  /** Lets go of a request, so that a pooled activation keeps nothing of it alive. */
  clear(): void {
    const { roots } = this;
    roots[ROOT.principalId] = "";
    roots[ROOT.principalRoles] = NO_LIST;
    roots[ROOT.principalAttr] = NO_MAP;
    roots[ROOT.resourceKind] = "";
    roots[ROOT.resourceId] = "";
    roots[ROOT.resourceAttr] = NO_MAP;
    roots[ROOT.jwt] = NO_MAP;
    this.failed = undefined;
    this.failures.length = 0;
  }
}

/** What is known of a condition in one evaluation. */
export type State = 0 | 1 | 2 | 3;
export const UNDECIDED = 0;
export const HOLDS = 1;
export const UNMET = 2;
export const ERRED = 3;
