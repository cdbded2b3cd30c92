/** A layer of `decide` that is asked about recorded requests with unknown attributes. */

import type { Timestamp } from "../cel/values.js";
import type { PolicySet } from "../decisions/policy-set.js";
import { Activation } from "../engine/evaluate/activation.js";
import type { Layer } from "../engine/evaluate/layer.js";
import { ANY_NAMES } from "../engine/evaluate/names-read.js";
import { type Choose, lacksReads, OpenChecks, type RecordGaps } from "../engine/evaluate/open-check.js";
import type { PrincipalInput, ResourceInput } from "../engine/plan/subjects.js";

/** The number of a set's declared types: the same for sets with the same ones. */
export function typingOf({ permission, model }: PolicySet): string {
  if (!permission.typedReads) return "untyped ";
  const uses = model.resourcePolicies.map(({ key, principalSchema, resourceSchema }) => [
    key,
    principalSchema?.ref,
    resourceSchema?.ref,
  ]);
  const text = JSON.stringify([[...model.schemas].sort(([a], [b]) => (a < b ? -1 : 1)), uses.sort()]);
  const number = TYPINGS.get(text) ?? TYPINGS.size;
  TYPINGS.set(text, number);
  return `${number} `;
}

const TYPINGS = new Map<string, number>();

/** A layer that is asked about requests with unknown attributes. */
export class OpenLayer {
  private readonly layer: Layer;
  private readonly checks: OpenChecks;

  /** `typing`: that of the set. */
  constructor(layer: Layer, typing: string) {
    this.layer = layer;
    this.checks = new OpenChecks(layer.closures, { isEnforcing: layer.enforcesSchemas, isWhole: true, typing });
  }

  /** True if the record lacks an attribute that the rules may read. */
  isLacking(principal: PrincipalInput, row: ResourceInput, operation: string, gaps: RecordGaps): boolean {
    const reads = this.checks.options.isEnforcing ? ANY_NAMES : this.layer.planFor(principal, row, operation).reads;
    return lacksReads(reads, gaps);
  }

  effect(
    principal: PrincipalInput,
    row: ResourceInput,
    operation: string,
    now: Timestamp | undefined,
    gaps: RecordGaps,
    choose: Choose,
  ): "allow" | "deny" {
    const { layer, checks } = this;
    const { plan } = layer.planFor(principal, row, operation);
    const begin = () => {
      const activation = new Activation();
      activation.begin(principal, row, now, layer.globals, layer.typesOf(plan));
      return activation;
    };
    return checks.effect(plan, begin, gaps, choose);
  }
}
