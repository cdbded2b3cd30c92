/**
 * Denies requests locally, without asking a server.
 *
 * A server passes over a rule that errs, so it must not be asked about a request for which a rule errs. So the attributes
 * are validated by the schemas of the policies, and then the policies are evaluated here, strictly. A denial by an error
 * is final.
 */

import { decideAny } from "../../decisions/decide.js";
import { NOT_ASKED } from "../../decisions/not-asked.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import { invalidRequest, RequestIssue } from "../../decisions/request-issue.js";
import { invalidAttributes } from "../../engine/evaluate/attribute-schemas.js";
import type { Layer } from "../../engine/evaluate/layer.js";
import { refusedVerdict } from "../../engine/evaluate/verdicts.js";
import type { LayerVerdict } from "../../engine/plan/verdict.js";
import type { PrincipalPart, RemoteRequestCopy, ResourcePart } from "./snapshot.js";

/** A layer's question to the server, with the local verdict. */
export interface ServerQuestion {
  readonly principal: PrincipalPart;
  readonly resource: ResourcePart;
  readonly action: string;
  /** The version of the layer's policies. */
  readonly version: string;
  readonly here: LayerVerdict;
}

/** A layer that is settled locally (denied, or absent), or a question to ask. */
export type Judgement =
  | { readonly settled: true; readonly verdict: LayerVerdict }
  | { readonly settled: false; readonly question: ServerQuestion };

export class LocalJudge {
  private readonly policies: PolicySet;

  constructor(policies: PolicySet) {
    this.policies = policies;
  }

  /** Judges both layers. Never throws. */
  judge(read: RemoteRequestCopy): { readonly permission: Judgement; readonly platform: Judgement } {
    const { key, account } = read;
    const { permission, platform } = this.policies;
    const target = targetOf(read);
    if (target instanceof RequestIssue) {
      const refused = platform === undefined ? SETTLED_BY_NOBODY : invalid(issueOf(account, target));
      return { permission: invalid(issueOf(key, target)), platform: refused };
    }
    const { operation, resource } = target;
    const here = decideAny(this.policies, {
      ...target,
      key: key instanceof RequestIssue ? NOBODY : key,
      account: account instanceof RequestIssue ? NOBODY : account,
    });
    const judged = (layer: Layer, principal: PrincipalPart | RequestIssue, verdict: LayerVerdict): Judgement => {
      if (principal instanceof RequestIssue) return invalid(principal);
      const { version } = layer;
      return judgementOf(layer, { principal, resource, action: operation, version, here: verdict });
    };
    return {
      permission: judged(permission, key, here.permission),
      platform: platform === undefined ? SETTLED_BY_NOBODY : judged(platform, account, here.platform),
    };
  }
}

function judgementOf(layer: Layer, question: ServerQuestion): Judgement {
  const { principal, resource, action, here } = question;
  const faults = layer.schemaFaults(principal, resource, action);
  if (faults.length > 0)
    return { settled: true, verdict: here.effect === "deny" ? here : invalidAttributes(here, faults) };
  if (here.reasons.some(({ kind }) => kind === "error")) return { settled: true, verdict: here };
  return { settled: false, question };
}

const SETTLED_BY_NOBODY: Judgement = { settled: true, verdict: NOT_ASKED };

const NOBODY = { id: "", roles: [] };

/** The parts of a request that both layers see. */
function targetOf({ operation, resource, now }: RemoteRequestCopy) {
  if (operation instanceof RequestIssue) return operation;
  if (resource instanceof RequestIssue) return resource;
  if (now instanceof RequestIssue) return now;
  return { operation, resource, ...(now === undefined ? {} : { now }) };
}

/** A layer's first issue: one of its principal comes before one of the shared parts. */
function issueOf(principal: PrincipalPart | RequestIssue, target: RequestIssue): RequestIssue {
  return principal instanceof RequestIssue ? principal : target;
}

function invalid(issue: RequestIssue): Judgement {
  return { settled: true, verdict: refusedVerdict(invalidRequest(issue), issue.path) };
}
