/** Tells a question at fault from a refusal (docs/verdicts.md). */

import type { Layer } from "../engine/evaluate/layer.js";
import type { LayerVerdict, WiringFault } from "../engine/plan/verdict.js";
import { RequestIssue } from "./request-issue.js";

/** The layers of a policy set. */
export interface AskedLayers {
  readonly permission: Layer;
  /** Undefined: the set is permission-only. */
  readonly platform: Layer | undefined;
}

/**
 * The fault of a question that was denied: the malformed part of the request, for either layer that needed it;
 * otherwise the fault of the layer that decided; otherwise that no policy knows the operation.
 */
export function faultOf(
  layers: AskedLayers,
  action: string | RequestIssue,
  resource: { readonly kind: string } | RequestIssue,
  permission: LayerVerdict,
  platform: LayerVerdict,
): WiringFault | undefined {
  if (permission.fault?.kind === "invalid_request") return permission.fault;
  if (platform.fault?.kind === "invalid_request") return platform.fault;
  const { fault } = platform.effect === "deny" ? platform : permission;
  if (fault !== undefined) return fault;
  if (action instanceof RequestIssue || resource instanceof RequestIssue) return undefined;
  const { kind } = resource;
  if (isNamed(layers.permission, permission, kind) || isNamed(layers.platform, platform, kind)) return undefined;
  return unknownIn(layers, kind, action);
}

/**
 * Whether a layer's verdict comes from a rule that names the operation. Nearly all verdicts do, so the search is
 * skipped.
 */
function isNamed(layer: Layer | undefined, { reasons }: LayerVerdict, kind: string): boolean {
  return reasons[0]?.kind === "rule" && layer?.known.namesAll(kind) === true;
}

/**
 * The fault that no policy knows an operation. An operation that some policy names is known, even if another layer does
 * not list it: that is how an operation is not supported (docs/contract.md §7.4.5), or not granted. Patterns that are
 * just `*` name nothing, but an operation that they allow in both layers is known.
 */
function unknownIn({ permission, platform }: AskedLayers, kind: string, action: string): WiringFault | undefined {
  if (permission.known.names(kind, action)) return undefined;
  if (platform?.known.names(kind, action) === true) return undefined;
  if (permission.known.mayAllow(kind, action) && platform?.known.mayAllow(kind, action) !== false) return undefined;
  const isKind = permission.known.namesKind(kind) || platform?.known.namesKind(kind) === true;
  return isKind
    ? { kind: "unknown_operation", path: "operation", message: `no policy knows ${quoted(action)} on ${quoted(kind)}` }
    : { kind: "unknown_kind", path: "resource.kind", message: `no policy is about the kind ${quoted(kind)}` };
}

/** Does no policy of the layers know an operation? A refusal of such an operation has a fault. */
export function isUnknown(layers: AskedLayers, kind: string, action: string): boolean {
  return unknownIn(layers, kind, action) !== undefined;
}

/** Longest name in a message, in UTF-16 code units. */
const MAX_NAME = 160;

function quoted(name: string): string {
  return JSON.stringify(name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME)}…`);
}
