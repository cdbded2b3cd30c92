/**
 * Traces: the parts that a layer's evaluation of a request examined, with their values. The evaluation is the engine's
 * own (the invariant "one walk"), condition by condition, with an observer that records the value of each part.
 */

import type { Timestamp } from "../../cel/values.js";
import { isInvalidAttributes } from "../evaluate/attribute-schemas.js";
import type { Layer, LayerEvaluation } from "../evaluate/layer.js";
import type { Plan } from "../plan/plan.js";
import type { IndexedPolicy } from "../plan/policy-index.js";
import type { PrincipalInput, ResourceInput } from "../plan/subjects.js";
import type { LayerVerdict } from "../plan/verdict.js";
import type { Ruling, WalkResult } from "../plan/walk.js";
import { ExpressionTracer } from "./expressions.js";
import { tracePolicies } from "./policies.js";
import { Recorder } from "./recorder.js";
import type { LayerTrace, RoleTrace } from "./types.js";

/** Traces requests to one layer. Making a tracer takes longer than making a trace: keep one for each layer. */
export class LayerTracer {
  private readonly recorder = new Recorder();
  private readonly expressions = new ExpressionTracer(this.recorder);
  private readonly layer: Layer;

  constructor(layer: Layer) {
    this.layer = layer.observedBy(this.recorder);
  }

  get version(): string {
    return this.layer.version;
  }

  /** Evaluates a request and traces it. Throws the errors of reading the request. */
  trace(principal: PrincipalInput, resource: ResourceInput, action: string, now: Timestamp | undefined): LayerTrace {
    const { layer, recorder, expressions } = this;
    recorder.restart();
    const found = layer.account(principal, resource, action, now);
    const { plan, walked } = found;
    const verdict = layer.enforced(found.verdict, principal, resource, action);
    return {
      version: layer.version,
      verdict,
      effect: isInvalidAttributes(verdict) ? "deny" : walked.effect,
      policies: tracePolicies(this.consulted(found, principal.id), { ...found, verdict }, expressions),
      roles: rolesOf(plan, walked),
    };
  }

  /** The policies of the steps that were reached, in that order. */
  private consulted({ plan, kind, examination }: LayerEvaluation, id: string): readonly IndexedPolicy[] {
    const { index, version } = this.layer;
    const policies = [...examination.steps].flatMap((step): readonly (IndexedPolicy | undefined)[] => {
      const there = index.at(version, step.scope);
      if (plan.personal.includes(step)) return [there?.principals.get(id)];
      const role = plan.roles.find(({ steps }) => steps.includes(step));
      const names = role === undefined ? [] : [role.role, ...role.includes];
      if (there?.isAbout(kind, names) !== true) return [there?.resources.get(kind)];
      return [there.resources.get(kind), ...names.map((name) => there.roles.get(name))];
    });
    return [...new Set(policies.filter((policy) => policy !== undefined))];
  }
}

/** The result for each role; empty if a principal policy decided. */
function rolesOf(plan: Plan, { roles }: WalkResult): readonly RoleTrace[] {
  return plan.roles
    .slice(0, roles.length)
    .map(({ role, includes }, i) => ({ role, includes, ...roleEffect(roles[i]) }));
}

function roleEffect(ruling: Ruling | undefined): Pick<RoleTrace, "effect" | "scope"> {
  if (ruling === undefined) return { effect: "none" };
  return { effect: ruling.erred.length > 0 ? "error" : ruling.effect, scope: ruling.step.scope };
}

/** The trace of a malformed request: it shows only the verdict. */
export function untraced(version: string, verdict: LayerVerdict): LayerTrace {
  return { version, verdict, effect: verdict.effect, policies: [], roles: [] };
}
