/** What files would have defined that define nothing: so that what lacks it is not a second fault. */

import type { Position } from "../issue.js";
import { policyKey } from "../names.js";
import type { Kind } from "../shape/document.js";
import type { MapNode } from "../text/tree.js";
import { scalarField } from "./fields.js";

/** By the names of {@link definedBy}. */
export interface Absent {
  readonly refused: ReadonlySet<string>;
  /** With the place of the definition. */
  readonly disabled: ReadonlyMap<string, Position>;
}

/** A set of derived roles or exports. */
export function setName(kind: Kind, name: string): string {
  return `${kind} ${name}`;
}

/** All role policies of a scope and version. */
export function rolePlace(version: string, scope: string): string {
  return `rolePolicy ${version}/${scope}`;
}

/** The names of what a document defines. Its shape may be wrong: then as far as can be told. */
export function definedBy(kind: Kind, body: MapNode): readonly string[] {
  const text = (name: string) => String(scalarField(body, name)?.data ?? "");
  const version = text("version") || "default";
  switch (kind) {
    case "resourcePolicy":
      return [policyKey("resource", text("resource"), version, text("scope"))];
    case "principalPolicy":
      return [policyKey("principal", text("principal"), version, text("scope"))];
    case "rolePolicy":
      return [rolePlace(version, text("scope"))];
    default:
      return [setName(kind, text("name"))];
  }
}

/** The hint for what is missing because it is disabled. */
export function disabledHint(name: string, { disabled }: Absent): string | undefined {
  const at = disabled.get(name);
  return at === undefined ? undefined : `it is disabled in ${at.file}:${at.line}`;
}
