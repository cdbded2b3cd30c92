/** Reads the fields that identify a policy, and its scope permissions. */

import type { ScopePermissions } from "../model.js";
import { type PolicyKind, policyKey } from "../names.js";
import type { MapNode } from "../text/tree.js";
import { mapField, positionOf, type ReadContext, textField } from "./fields.js";
import type { RawHead, RawScopePermissions } from "./raw.js";

/** Name, version and scope. `nameField` is the field with the name. */
export function readHead(
  body: MapNode,
  document: MapNode,
  kind: PolicyKind,
  nameField: string,
  { source, faults, log }: ReadContext,
): RawHead {
  const name = textField(body, nameField);
  const version = textField(body, "version") || "default";
  const scope = textField(body, "scope");
  const at = positionOf(body, nameField, source);
  const versionAt = body.entries.has("version") ? positionOf(body, "version", source) : at;
  const scopeAt = body.entries.has("scope") ? positionOf(body, "scope", source) : at;
  if (scope === ".") log.warning("name", scopeAt, UNREACHABLE);
  return {
    name,
    version,
    scope,
    key: policyKey(kind, name, version, scope),
    at,
    versionAt,
    scopeAt,
    annotations: readAnnotations(document),
    faults,
  };
}

function readAnnotations(document: MapNode): ReadonlyMap<string, string> {
  const metadata = mapField(document, "metadata");
  const annotations = metadata === undefined ? undefined : mapField(metadata, "annotations");
  if (annotations === undefined) return NONE;
  return new Map([...annotations.entries.keys()].map((name) => [name, textField(annotations, name)]));
}

const NONE: ReadonlyMap<string, string> = new Map();

/**
 * A request with the scope `.` is a request of the root, but a policy with the scope `.` is not a policy of the root. The
 * server keeps them apart, so no request reaches such a policy. Observed.
 */
const UNREACHABLE = 'no request reaches a policy of the scope ".": leave the scope out for the root';

/** An absent value means OVERRIDE_PARENT, as does SCOPE_PERMISSIONS_UNSPECIFIED. */
export function readScopePermissions(body: MapNode, nameField: string, { source }: ReadContext): RawScopePermissions {
  const written = textField(body, "scopePermissions");
  const consent = written.includes("PARENTAL_CONSENT");
  const value: ScopePermissions = consent ? "require_parental_consent_for_allows" : "override_parent";
  const isWritten = written !== "" && !written.endsWith("UNSPECIFIED");
  return {
    value,
    isWritten,
    at: positionOf(body, body.entries.has("scopePermissions") ? "scopePermissions" : nameField, source),
  };
}
