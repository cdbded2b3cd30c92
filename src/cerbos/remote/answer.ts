/** Turns the server's answer for a layer into a verdict. */

import type { CheckResourcesResponse, CheckResourcesResult, OutputResult } from "@cerbos/core";
import { type Either, left, right } from "fp-ts/lib/Either.js";
import type { DecisionFailure } from "../../decisions/remote-decide.js";
import { INVALID_ATTRIBUTES } from "../../engine/evaluate/attribute-schemas.js";
import { NO_MATCH } from "../../engine/plan/plan.js";
import { reasonOf } from "../../engine/plan/reason.js";
import type { LayerVerdict, Reason } from "../../engine/plan/verdict.js";
import type { PolicyModel, Rule } from "../../policy/model.js";
import type { ServerQuestion } from "./local-judge.js";

/** The data of a layer that gives meaning to an answer. */
export interface AnsweringLayer {
  /** The policies' rules, by the source in the server's outputs: `<policy>#<rule>`. */
  readonly rules: ReadonlyMap<string, Rule>;
  /** The reason if no rule decides. */
  readonly defaultReason: string;
}

export function rulesBySource({ resourcePolicies, principalPolicies }: PolicyModel): AnsweringLayer["rules"] {
  const policies = [...resourcePolicies, ...principalPolicies];
  return new Map(
    policies.flatMap(({ key, rules }) => [...rules].map((rule) => [`${key}#${rule.name}`, rule] as const)),
  );
}

/**
 * The verdict of a layer.
 *
 * - If the server and the local policies agree, it is the local verdict with every reason. (The server stops at the first
 *   DENY rule that holds.)
 * - If only the server denies, its denial stands, with the reasons in its outputs.
 * - If only the server allows, the result is a failure: the server has other policies.
 */
export function verdictOf(
  response: CheckResourcesResponse,
  question: ServerQuestion,
  known: AnsweringLayer,
): Either<DecisionFailure, LayerVerdict> {
  try {
    return understood(response, question, known);
  } catch (cause) {
    // The client returned a value that its type does not allow.
    return left({ ...INVALID, cause });
  }
}

function understood(
  response: CheckResourcesResponse,
  question: ServerQuestion,
  known: AnsweringLayer,
): Either<DecisionFailure, LayerVerdict> {
  const result = resultFor(response, question);
  const meta = result?.metadata?.actions;
  const { action, here } = question;
  if (result === undefined || meta === undefined || !Object.hasOwn(meta, action)) return left(INVALID);
  const allowed = result.isAllowed(action);
  const { matchedPolicy = "", matchedScope = "" } = meta[action] ?? {};
  if (allowed === undefined || matchedPolicy === "") return left(INVALID);
  if ((matchedPolicy === NO_MATCH) !== (here.policy === NO_MATCH)) {
    return left(others(`for ${question.resource.kind} it consults ${matchedPolicy}, and here it is ${here.policy}`));
  }
  if (allowed && here.effect === "deny") return left(others(`it allows a request that ${here.policy} denies here`));
  if (allowed && result.validationErrors.length > 0)
    return left(others("its schemas reject attributes that the schemas here accept"));
  if (allowed || here.effect === "deny") return right(here);
  return right(denial(result, matchedPolicy, matchedScope, question, known));
}

const INVALID: DecisionFailure = { kind: "invalid_answer", message: "the server's answer is not one to the question" };

function others(how: string): DecisionFailure {
  return { kind: "other_policies", message: `the server's policies differ from these: ${how}` };
}

/** The only result, if it is exactly for the resource and the action of the question. */
function resultFor(
  { results }: CheckResourcesResponse,
  { resource, action, version }: ServerQuestion,
): CheckResourcesResult | undefined {
  const [result, ...more] = results;
  if (result === undefined || more.length > 0) return undefined;
  const { kind, id, policyVersion, scope } = result.resource;
  const same = kind === resource.kind && id === resource.id && policyVersion === version && scope === resource.scope;
  return same && Object.keys(result.actions).join() === action ? result : undefined;
}

/** The verdict for a request that the server denies and the local policies do not. */
function denial(
  { outputs, metadata, validationErrors }: CheckResourcesResult,
  policy: string,
  scope: string,
  { action }: ServerQuestion,
  { rules, defaultReason }: AnsweringLayer,
): LayerVerdict {
  const reported = outputs.filter((output) => output.action === action);
  const reasons = reported.flatMap((output) => reasonFor(output, rules));
  const invalid: Reason = { kind: "error", reason: INVALID_ATTRIBUTES, rule: "", policy };
  const byDefault: Reason = {
    kind: "default",
    reason: defaultReason,
    rule: "",
    policy: policy === NO_MATCH ? "" : policy,
  };
  const otherwise = validationErrors.length > 0 ? invalid : byDefault;
  return {
    effect: "deny",
    policy,
    scope,
    reasons: reasons.length > 0 ? reasons : [otherwise],
    errors: [],
    outputs: reported.map(({ source, value }) => ({ src: source, action, val: value ?? null })),
    derivedRoles: [...(metadata?.effectiveDerivedRoles ?? [])].sort(),
  };
}

/**
 * The reason of an output's rule. A rule known to allow gives none. A value that may come from the request is not a
 * reason.
 */
function reasonFor({ source, value }: OutputResult, rules: AnsweringLayer["rules"]): readonly Reason[] {
  const known = rules.get(source);
  if (known?.effect === "allow") return [];
  const hash = source.lastIndexOf("#");
  const rule = source.slice(hash + 1);
  const spelt = typeof value === "string" && (value === rule || rule.startsWith(`${value}.`)) ? value : rule;
  const reason = known === undefined ? spelt : reasonOf(known);
  return [{ kind: "rule", reason, rule, policy: source.slice(0, Math.max(hash, 0)) }];
}
