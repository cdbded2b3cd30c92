/** Decides on tools: which are listed for a key, and whether a call may run. */

import { decideAny, NO_ACCOUNT } from "../decisions/decide.js";
import { refusalDetail } from "../decisions/error-body.js";
import { planDecisions } from "../decisions/plan-decisions.js";
import type { PolicySet } from "../decisions/policy-set.js";
import type { AccountOf, KeyOf, KindOf, OperationOf, PolicyTypes, ResourceOf } from "../decisions/policy-types.js";
import { hintsOf } from "../hints/hints-of.js";

/** The operation that a tool performs. */
export interface ToolMapping<T extends PolicyTypes = PolicyTypes> {
  readonly operation: OperationOf<T>;
  /** The kind of the resources that calls are about. */
  readonly kind: KindOf<T>;
  /**
   * The resource of a call in its current state, from the arguments as the tool's schema parses them. Undefined: there is
   * no such resource, or the caller may not know of it. `context` is that of the request.
   */
  resource(args: ToolArguments, context: unknown): Given<Omit<ResourceOf<T>, "kind"> | undefined>;
}

/** The arguments of a call: of the types that the tool's schema gives them. */
export interface ToolArguments {
  readonly [name: string]: unknown;
}

type Given<V> = V | Promise<V>;

/** The subjects of a request to the server. */
export interface ToolCaller {
  readonly key: KeyOf<PolicyTypes>;
  readonly account: AccountOf<PolicyTypes> | undefined;
}

/**
 * `usable`: some call may be allowed. The other two are proved: no call is allowed. `forbidden`: the platform layer forbids
 * every call, whatever the key.
 */
export type ToolAccess = "usable" | "forbidden" | "unusable";

export function accessTo(
  policies: PolicySet,
  { operation, kind }: ToolMapping,
  { key, account = NO_ACCOUNT }: ToolCaller,
  now: Date | undefined,
): ToolAccess {
  const clock = now === undefined ? {} : { now };
  const { outcome, forbidden, fault } = planDecisions(policies, {
    ...{ key, operation, kind, account, ...clock },
    withForbidden: true,
  });
  if (outcome !== "none") return "usable";
  return fault === undefined && forbidden?.outcome === "all" ? "forbidden" : "unusable";
}

/** The decision on a call. */
export type CallDecision =
  | { readonly outcome: "allow" | "forbidden" | "fault" }
  /** `scopes`: the permissions of the first hint. */
  | { readonly outcome: "insufficient_permissions"; readonly scopes: readonly string[]; readonly hasRoles: boolean };

export function decideCall(
  policies: PolicySet,
  { operation, kind }: ToolMapping,
  { key, account = NO_ACCOUNT }: ToolCaller,
  resource: Omit<ResourceOf<PolicyTypes>, "kind">,
  now: Date | undefined,
): CallDecision {
  const clock = now === undefined ? {} : { now };
  const request = { key, operation, resource: { ...resource, kind }, account, ...clock };
  const decision = decideAny(policies, request);
  if (decision.fault !== undefined) return { outcome: "fault" };
  const { outcome } = decision;
  if (outcome !== "insufficient_permissions") return { outcome };
  const [hint] = hintsOf(policies, decision, request, { limit: 1 });
  return { outcome, scopes: hint?.permissions ?? [], hasRoles: hint?.roles !== undefined };
}

/** An error that servers answer with its code, message and data. */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly code: number;
  readonly data: object | undefined;

  constructor(code: number, message: string, data?: object, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.data = data;
  }
}

/** The same for a tool that is not registered, has no mapping, or is not listed for the key. */
export function unknownTool(name: string): ToolError {
  return new ToolError(-32602, `Tool ${name} not found`);
}

/** The same for a method that the server does not have, and one that is not in the table. */
export function unknownMethod(): ToolError {
  return new ToolError(-32601, "Method not found");
}

/** A request for a resource that is not there, or that the caller may not know of. */
export function missingResource(): ToolError {
  return new ToolError(-32602, NO_RESOURCE);
}

/** A request, other than a call of a tool, for which the key lacks permission. */
export function lackingRequest(scopes: readonly string[]): ToolError {
  return new ToolError(-32001, lackingText(scopes), { outcome: "insufficient_permissions", scopes });
}

/** A fault of the service. The message tells nothing of its cause. */
export function internalError(cause: unknown): ToolError {
  return new ToolError(-32603, "Internal error", undefined, cause);
}

export function forbiddenCall(): ToolError {
  const message = `${refusalDetail("forbidden")}. Do not try again with another key.`;
  return new ToolError(-32001, message, { outcome: "forbidden", retry: false });
}

/** The result of a call for which the key lacks permission. */
export function lackingResult(scopes: readonly string[]) {
  return {
    ...failedResult(lackingText(scopes)),
    structuredContent: { outcome: "insufficient_permissions", scopes },
  };
}

function lackingText(scopes: readonly string[]): string {
  const { length } = scopes;
  const needs =
    length === 0
      ? ""
      : `. ${length === 1 ? "This permission" : "These permissions"} would be enough: ${scopes.join(", ")}`;
  return `${refusalDetail("insufficient_permissions")}${needs}`;
}

export const NO_RESOURCE = "The requested resource does not exist";

/** The result of a call that failed, with a text for the caller. */
export function failedResult(text: string) {
  return { content: [{ type: "text", text }], isError: true };
}
