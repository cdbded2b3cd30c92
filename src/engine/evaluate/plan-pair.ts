/** The plans of both layers for one decision table. They share the reader of resources, so each value is read once. */

import type { ReadNames } from "../frame/copies.js";
import {
  ALL_NAMES,
  type ClosureReads,
  copiedPrincipal,
  copiedResource,
  type PrincipalFrame,
  type ResourceFrame,
} from "../frame/frame.js";
import { readNames } from "../frame/layout.js";
import type { ResourceReader } from "../generate/written.js";
import type { CompiledPlan } from "./compiled-plan.js";
import type { FunctionHolder, HeldFunctions } from "./equipment.js";

export class PlanPair implements FunctionHolder {
  readonly permission: CompiledPlan;
  /** Undefined: the pair is for one layer alone. */
  readonly platform: CompiledPlan | undefined;
  private known: ReadNames = new Map();
  private names: ClosureReads["names"] | null = null;
  private reader: ResourceReader | undefined = undefined;
  /** The functions of the plans that the reader is for. */
  private first: HeldFunctions | undefined = undefined;
  private second: HeldFunctions | undefined = undefined;

  constructor(permission: CompiledPlan, platform: CompiledPlan | undefined) {
    this.permission = permission;
    this.platform = platform;
  }

  /** Reads a resource into its frame for both layers. May run getters of the request. */
  readResource(frame: ResourceFrame): void {
    const { permission, platform } = this;
    if (permission.functions !== this.first || platform?.functions !== this.second) this.renew();
    const { reader } = this;
    if (reader === undefined) return;
    try {
      reader(frame, frame.attr);
    } catch {
      // A getter throws. The frame stays unread, and closures read the values that can be read.
    }
  }

  private renew(): void {
    const { permission, platform } = this;
    this.first = permission.functions;
    this.second = platform?.functions;
    const plans = platform === undefined ? [permission] : [permission, platform];
    const layouts = plans.map(({ functions }) => functions?.resource ?? []);
    const hasFunctions = plans.some(({ functions }) => functions !== undefined);
    this.reader = hasFunctions ? permission.context.source?.resourceReader(plans, this) : undefined;
    this.known = readNames(layouts);
  }

  /** The attributes of the resource that the closures of either layer may read. */
  get reading(): ClosureReads {
    if (this.names === null) this.names = namesOf(this.permission, this.platform);
    return { names: this.names, known: this.known };
  }

  release(): void {
    this.reader = undefined;
    this.first = undefined;
    this.second = undefined;
  }

  /** Copies of the parts of a request; `isWhole`: with all attributes. An unreadable part is undefined. */
  copied(key: PrincipalFrame, account: PrincipalFrame, resource: ResourceFrame, isWhole: boolean) {
    const { permission, platform, reading } = this;
    return {
      key: copiedPrincipal(key, isWhole ? ALL_NAMES : permission.principalReading),
      account: copiedPrincipal(account, isWhole ? ALL_NAMES : (platform?.principalReading ?? NOTHING)),
      resource: copiedResource(resource, isWhole ? ALL_NAMES : reading),
    };
  }
}

const NOTHING: ClosureReads = { names: [], known: new Map() };

function namesOf(permission: CompiledPlan, platform: CompiledPlan | undefined): readonly string[] | undefined {
  const first = permission.reads.resource;
  if (platform === undefined || first === undefined) return first;
  const second = platform.reads.resource;
  return second && [...new Set([...first, ...second])];
}
