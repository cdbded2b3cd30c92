/**
 * What is denied here, without asking.
 *
 * A server passes over a rule that errs, so it must not be asked about a request on which one does: attributes
 * are held to the schemas of the policies, and then the policies are evaluated here, strictly. What an error denies here
 * is denied.
 */

import { decide } from "../../decisions/decide.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { RequestIssue } from "../../decisions/request.js";
import { invalidAttributes } from "../../engine/evaluate/attribute-schemas.js";
import type { Layer } from "../../engine/evaluate/layer.js";
import { refusedVerdict } from "../../engine/evaluate/verdicts.js";
import type { LayerVerdict } from "../../engine/plan/verdict.js";
import type { PrincipalPart, ResourcePart, Snapshot } from "./snapshot.js";

/** A layer's question to the server, and what the same policies say of it here. */
export interface Question {
  readonly principal: PrincipalPart;
  readonly resource: ResourcePart;
  readonly action: string;
  /** The policies' version: the layer. */
  readonly version: string;
  readonly here: LayerVerdict;
}

/** Denied here, or to be asked. */
export type Judgement =
  | { readonly denied: true; readonly verdict: LayerVerdict }
  | { readonly denied: false; readonly question: Question };

export class LocalJudge {
  private readonly policies: PolicySet;

  constructor(policies: PolicySet) {
    this.policies = policies;
  }

  /** Judges both layers. Never throws. */
  judge(read: Snapshot): { readonly permission: Judgement; readonly platform: Judgement } {
    const { key, account } = read;
    const target = targetOf(read);
    if (target instanceof RequestIssue) {
      return { permission: invalid(issueOf(key, target)), platform: invalid(issueOf(account, target)) };
    }
    const { operation, resource } = target;
    const here = decide(this.policies, {
      ...target,
      key: key instanceof RequestIssue ? NOBODY : key,
      account: account instanceof RequestIssue ? NOBODY : account,
    });
    const layer = (name: "permission" | "platform", principal: PrincipalPart | RequestIssue): Judgement => {
      if (principal instanceof RequestIssue) return invalid(principal);
      const compiled = this.policies[name];
      const { version } = compiled;
      return judgementOf(compiled, { principal, resource, action: operation, version, here: here[name] });
    };
    return { permission: layer("permission", key), platform: layer("platform", account) };
  }
}

function judgementOf(layer: Layer, question: Question): Judgement {
  const { principal, resource, action, here } = question;
  const faults = layer.schemaFaults(principal, resource, action);
  if (faults.length > 0)
    return { denied: true, verdict: here.effect === "deny" ? here : invalidAttributes(here, faults) };
  if (here.reasons.some(({ kind }) => kind === "error")) return { denied: true, verdict: here };
  return { denied: false, question };
}

const NOBODY = { id: "", roles: [] };

/** What both layers see. */
function targetOf({ operation, resource, now }: Snapshot) {
  if (operation instanceof RequestIssue) return operation;
  if (resource instanceof RequestIssue) return resource;
  if (now instanceof RequestIssue) return now;
  return { operation, resource, ...(now === undefined ? {} : { now }) };
}

/** A layer's first issue: its principal's comes before those of what both layers see. */
function issueOf(principal: PrincipalPart | RequestIssue, target: RequestIssue): RequestIssue {
  return principal instanceof RequestIssue ? principal : target;
}

function invalid({ path, message }: RequestIssue): Judgement {
  return { denied: true, verdict: refusedVerdict(`invalid request: ${path} ${message}`) };
}
