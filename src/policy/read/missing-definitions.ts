/**
 * Names that refused or disabled files would have defined, so that references to them are not reported as second faults.
 */

import type { SourcePosition } from "../issue.js";
import { policyKey } from "../names.js";
import type { DocumentKind } from "../shape/document.js";
import type { MapNode } from "../text/tree.js";
import { scalarField } from "./fields.js";

/** Names as {@link definedBy} gives them. */
export interface MissingDefinitions {
  readonly refused: ReadonlySet<string>;
  /** With the position of the `disabled` field. */
  readonly disabled: ReadonlyMap<string, SourcePosition>;
}

/** The name of a set of derived roles or exports. */
export function setName(kind: DocumentKind, name: string): string {
  return `${kind} ${name}`;
}

/** The common name of all role policies of a scope and version. */
export function rolePoliciesName(version: string, scope: string): string {
  return `rolePolicy ${version}/${scope}`;
}

/** The names that a document defines, as far as they can be told. Its shape may be invalid. */
export function definedBy(kind: DocumentKind, body: MapNode): readonly string[] {
  const text = (name: string) => String(scalarField(body, name)?.data ?? "");
  const version = text("version") || "default";
  switch (kind) {
    case "resourcePolicy":
      return [policyKey("resource", text("resource"), version, text("scope"))];
    case "principalPolicy":
      return [policyKey("principal", text("principal"), version, text("scope"))];
    case "rolePolicy":
      return [rolePoliciesName(version, text("scope"))];
    default:
      return [setName(kind, text("name"))];
  }
}

/** The hint for a missing name that a disabled file defines; undefined for other names. */
export function disabledHint(name: string, { disabled }: MissingDefinitions): string | undefined {
  const at = disabled.get(name);
  return at === undefined ? undefined : `it is disabled in ${at.file}:${at.line}`;
}
