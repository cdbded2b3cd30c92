/** Records of decisions, for logs. */

import type { ChainDecision } from "../decisions/decide-chain.js";
import type { PolicySet } from "../decisions/policy-set.js";
import type { Decision, DecisionRequest, Outcome, PermissionRequest } from "../decisions/types.js";
import type { LayerVerdict, WiringFault } from "../engine/plan/verdict.js";
import { type Ancestors, type RecordedReads, readsOf } from "./recorded-reads.js";
import { type MaskedField, ValueMask } from "./value-mask.js";

/** A decision that was made for an HTTP request. */
export interface GuardDecision<Request = DecisionRequest, Made = Decision> {
  readonly requestId: string;
  readonly request: Request;
  readonly decision: Made;
  /** How long the decision took, in milliseconds. */
  readonly durationMs: number;
}

/**
 * One decision as a flat record that tells an operator why a request was answered as it was. Lists are in the order of
 * the verdicts. It contains ids, rule names and reasons. It contains no attribute, expression or message, because those
 * may have secrets in them, unless `reads` is asked for. `schemas/decision-record.schema.json` has its shape.
 */
export interface DecisionRecord {
  /** 2 for a record with `reads`; absent in others. */
  readonly version?: 2;
  readonly requestId: string;
  readonly keyId: string;
  readonly operation: string;
  readonly resourceKind: string;
  readonly resourceId: string;
  readonly accountId: string;
  readonly outcome: Outcome;
  readonly permissionEffect: LayerVerdict["effect"];
  /** `policy#rule` of each rule that decided in the permission layer. */
  readonly permissionRules: readonly string[];
  /** The distinct reasons, each as a word: `not_granted`. */
  readonly permissionReasons: readonly string[];
  /**
   * `policy#rule` of each rule that failed. An error outside of rules is given as the kind of the layer's fault
   * (`invalid_request` by default), or as `invalid_attributes`.
   */
  readonly permissionErrors: readonly string[];
  readonly platformEffect: LayerVerdict["effect"];
  readonly platformRules: readonly string[];
  readonly platformReasons: readonly string[];
  readonly platformErrors: readonly string[];
  /** The kind of the decision's fault; absent if it has none. */
  readonly fault?: WiringFault["kind"];
  /** The hash of the policies that decided: see `policySetHash`. */
  readonly policySetHash: string;
  readonly durationMs: number;
  /**
   * The id of the key above `keyId` that lacks the permission, `""` if it cannot be read. Then the permission verdict is
   * about that key. Absent: it is about `keyId`.
   */
  readonly refusedBy?: string;
  /** The attributes that the rules may read: see {@link ReadsOptions}. `keyward replay` decides by them again. */
  readonly reads?: RecordedReads;
}

/** Options of records that can be replayed. */
export interface ReadsOptions {
  /** Record the attributes that the rules of the operation may read, and the clock. */
  readonly record: "reads";
  /** The policies that decided. */
  readonly policies: PolicySet;
  /**
   * The attributes to mask, such as `key.attr.email`: the record then has an HMAC-SHA-256 of each value. Equal values
   * have equal texts, so that records can be compared; a replay does not know the values.
   */
  readonly mask?: readonly MaskedField[];
  /** The secret for masks, of 16 characters or more. With another salt, equal values have other texts. */
  readonly salt?: string;
}

/** A decision to record. With a permission-only set the request may have no account; `accountId` is then `""`. */
export interface RecordedDecision extends Omit<GuardDecision, "request" | "decision"> {
  readonly request: PermissionRequest;
  /** The decision on `request`, or that of {@link decideChain} on its key and `ancestors`. */
  readonly decision: Decision & Pick<ChainDecision, "link">;
  /**
   * The keys above the key of `request` that `decideChain` was given, the parent first. `undefined` stands for a key that
   * cannot be used, so that nothing is allowed. Default: the decision is about the key alone.
   */
  readonly ancestors?: Ancestors;
  /** The hash of the policies that decided. */
  readonly policySetHash: string;
}

/**
 * The record of a decision. With `record: "reads"` it also has the attributes that the rules may read; it has none if the
 * request is malformed. Throws a `TypeError` for a mask that is not an attribute or has no salt, and for nothing else.
 */
export function decisionRecord(
  decided: RecordedDecision & (ReadsOptions | { readonly record?: undefined }),
): DecisionRecord {
  const { requestId, request, ancestors, decision, durationMs, policySetHash } = decided;
  const { permission, platform, fault, link = 0 } = decision;
  const reads =
    decided.record === "reads" && (link === 0 || ancestors !== undefined)
      ? readsOf(decided.policies, request, ancestors, new ValueMask(decided.mask, decided.salt))
      : undefined;
  return {
    ...(reads === undefined ? {} : { version: 2 }),
    requestId,
    keyId: text(() => request.key.id),
    operation: text(() => request.operation),
    resourceKind: text(() => request.resource.kind),
    resourceId: text(() => request.resource.id),
    accountId: text(() => request.account?.id),
    outcome: decision.outcome,
    permissionEffect: permission.effect,
    permissionRules: rulesOf(permission),
    permissionReasons: reasonsOf(permission),
    permissionErrors: errorsOf(permission),
    platformEffect: platform.effect,
    platformRules: rulesOf(platform),
    platformReasons: reasonsOf(platform),
    platformErrors: errorsOf(platform),
    ...(fault === undefined ? {} : { fault: fault.kind }),
    policySetHash,
    durationMs,
    ...(link === 0 ? {} : { refusedBy: text(() => ancestors?.[link - 1]?.id) }),
    ...(reads === undefined ? {} : { reads }),
  };
}

/** A text of a request that may be malformed; `""` if it is not text. */
function text(read: () => unknown): string {
  try {
    const value = read();
    return typeof value === "string" ? value : "";
  } catch {
    return "";
  }
}

function rulesOf({ reasons }: LayerVerdict): readonly string[] {
  return unique(reasons.filter(({ kind }) => kind === "rule").map(nameOf));
}

function reasonsOf({ reasons }: LayerVerdict): readonly string[] {
  return unique(reasons.map(({ reason }) => reason));
}

function errorsOf({ errors, fault }: LayerVerdict): readonly string[] {
  return unique(
    errors.map((error) => {
      if (error.policy === "") return fault?.kind ?? "invalid_request";
      return error.rule === "" ? "invalid_attributes" : nameOf(error);
    }),
  );
}

function nameOf({ policy, rule }: { readonly policy: string; readonly rule: string }): string {
  return `${policy}#${rule}`;
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
