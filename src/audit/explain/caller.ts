/** The caller's view of a decision: its outcome, the text of the contract, and the hints. */

import { decideAny, NO_ACCOUNT } from "../../decisions/decide.js";
import { refusalDetail } from "../../decisions/error-body.js";
import type { PolicySet } from "../../decisions/policy-set.js";
import type { Outcome, PermissionRequest } from "../../decisions/types.js";
import { type Hint, hintsOf } from "../../hints/hints-of.js";
import { printable } from "../../policy/escape.js";

export interface CallerView {
  /** `error`: the policies cannot answer the question (`decision.fault`), so the service answers 500. */
  readonly outcome: Outcome | "error";
  /** The text of the error contract (docs/contract.md §7.2); absent for `allow` and `error`. */
  readonly detail?: string;
  readonly hints: readonly Hint[];
}

/** Contains no rule, reason, policy or attribute of the resource. Never throws for a policy set. */
export function callerView(policies: PolicySet, request: PermissionRequest): CallerView {
  const decision = decideAny(policies, request);
  const { outcome, fault } = decision;
  if (fault !== undefined) return { outcome: "error", hints: [] };
  if (outcome === "allow") return { outcome, hints: [] };
  const { account = NO_ACCOUNT } = request;
  return { outcome, detail: refusalDetail(outcome), hints: hintsOf(policies, decision, { ...request, account }) };
}

/** The view as text, for a terminal. */
export function callerText({ outcome, detail, hints }: CallerView): string {
  if (outcome === "error") return "error: the service answers 500, without details; --for operator shows the fault\n";
  if (detail === undefined) return `${outcome}\n`;
  const lines = hints.map((hint) => `- ${hintText(hint)}`);
  const lead = lines.length === 0 ? [] : ["The key would be allowed with any one of these, the least powerful first:"];
  const stop = outcome === "forbidden" ? ["No other key helps, so the caller should not try again with one."] : [];
  return `${[`${outcome}: ${detail}`, ...lead, ...lines, ...stop].join("\n")}\n`;
}

function hintText({ permissions, roles = [] }: Hint): string {
  const parts = [...permissions.map((one) => `permission ${one}`), ...roles.map((one) => `role ${one}`)];
  return printable(parts.join(" and "));
}
