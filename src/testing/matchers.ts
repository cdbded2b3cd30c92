/** Matchers for decisions, for `expect.extend` of vitest and of Jest. */

import type { Decision, DecisionFor, Outcome } from "../decisions/types.js";
import type { FaultKind, LayerVerdict } from "../engine/plan/verdict.js";
import { verdictLine } from "./laws/violation.js";
import { requestFaultOf } from "./request-faults.js";

/** The result of a matcher, in the form that vitest and Jest share. */
export interface MatcherResult {
  readonly pass: boolean;
  /** The text for a failed expectation: for a failed `.not` if `pass` is true. */
  message(): string;
}

/**
 * `expect.extend(matchers)`. Or import `keyward/testing/vitest`, which does that and declares the types.
 *
 * Every matcher throws if the value is not a {@link Decision}, also after `.not`. The matchers for refusals also throw
 * if the request of the decision is wrong, such as one with a misspelt operation.
 */
export const matchers = {
  /** Both layers allow. */
  toBeAllowed(received: unknown): MatcherResult {
    return outcomeIs(received, "toBeAllowed", "allow", undefined);
  },
  /** The platform forbids it. With `reason`: and that is one of its reasons: `toBeForbidden("quota_exceeded")`. */
  toBeForbidden(received: unknown, reason?: string): MatcherResult {
    return outcomeIs(received, "toBeForbidden", "forbidden", reason);
  },
  /** The key lacks permission. With `reason`: and that is one of the permission layer's reasons. */
  toLackPermission(received: unknown, reason?: string): MatcherResult {
    return outcomeIs(received, "toLackPermission", "insufficient_permissions", reason);
  },
  /**
   * The decision has a fault: in the request, the data or the policies. With `kind`: of that kind, as in
   * `toHaveFault("evaluation")`.
   */
  toHaveFault(received: unknown, kind?: FaultKind): MatcherResult {
    const { fault } = decisionIn(received, "toHaveFault");
    const pass = fault !== undefined && (kind === undefined || fault.kind === kind);
    const wanted = `a fault${kind === undefined ? "" : ` of the kind ${kind}`}`;
    const found = fault === undefined ? "it has none" : `it has ${fault.kind}: ${fault.message}`;
    return { pass, message: () => `expected the decision ${pass ? "not " : ""}to have ${wanted}\n\n${found}` };
  },
};

/**
 * The matchers as methods of `expect(…)`. `R` is the return type of an assertion, `D` the type of the tested value. If
 * `D` is a decision by typed policies, `reason` must be one that its layer can give.
 */
export interface DecisionMatchers<R = void, D = Decision> {
  /** Both layers allow. */
  toBeAllowed(): R;
  /** The platform forbids it. With `reason`: and that is one of its reasons. */
  toBeForbidden(reason?: WordsOf<D>["platform"]): R;
  /** The key lacks permission. With `reason`: and that is one of the permission layer's reasons. */
  toLackPermission(reason?: WordsOf<D>["permission"]): R;
  /** The decision has a fault: in the request, the data or the policies. With `kind`: of that kind. */
  toHaveFault(kind?: FaultKind): R;
}

/** The reasons that each layer of a decision can give; any string if `D` is not known to be a decision. */
type WordsOf<D> = [Awaited<D>] extends [DecisionFor<infer Permission, infer Platform>]
  ? { readonly permission: Permission; readonly platform: Platform }
  : { readonly permission: string; readonly platform: string };

function outcomeIs(received: unknown, matcher: string, outcome: Outcome, reason: string | undefined): MatcherResult {
  const decision = decisionIn(received, matcher);
  const fault = outcome === "allow" ? undefined : requestFaultOf(decision.fault);
  if (fault !== undefined) {
    throw new TypeError(
      `${matcher}: it is ${decision.outcome} because the question is wrong, which toHaveFault("${fault.kind}") expects: ${fault.message}`,
    );
  }
  const layer = outcome === "forbidden" ? decision.platform : decision.permission;
  const given = reason === undefined || layer.reasons.some((one) => one.reason === reason);
  const pass = decision.outcome === outcome && given;
  const wanted = `${outcome}${reason === undefined ? "" : ` because of ${reason}`}`;
  return {
    pass,
    message: () =>
      [
        pass ? `expected any decision but ${wanted}` : `expected the decision to be ${wanted}`,
        "",
        `it is ${decision.outcome}`,
        `  ${verdictLine("permission", decision.permission)}`,
        `  ${verdictLine("platform", decision.platform)}`,
      ].join("\n"),
  };
}

function decisionIn(received: unknown, matcher: string): Decision {
  if (isDecision(received)) return received;
  throw new TypeError(`${matcher}: expected a decision, as \`decide\` returns it, and received ${shown(received)}`);
}

function isDecision(value: unknown): value is Decision {
  return (
    typeof value === "object" &&
    value !== null &&
    "outcome" in value &&
    "permission" in value &&
    "platform" in value &&
    isVerdict(value.permission) &&
    isVerdict(value.platform)
  );
}

function isVerdict(value: unknown): value is LayerVerdict {
  return (
    typeof value === "object" &&
    value !== null &&
    "effect" in value &&
    "reasons" in value &&
    Array.isArray(value.reasons) &&
    "errors" in value &&
    Array.isArray(value.errors)
  );
}

function shown(value: unknown): string {
  if (value instanceof Promise) return "a promise";
  try {
    return String(JSON.stringify(value) ?? value).slice(0, 200);
  } catch {
    return `a value of type ${typeof value}`;
  }
}
