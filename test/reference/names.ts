/** Names of policies and rules, and kinds that rules match (docs/cerbos-semantics.md §2.3, §2.8). */

import { actionMatches } from "./glob.js";

/** Sanitizes names of policies and kinds of requests (§2.3), so `album:object` and `album_object` are the same. */
export function sanitised(name: string): string {
  const regular = /^[A-Za-z][\w@.\-/]*(:[A-Za-z][\w@.\-/]*)*$/.test(name);
  return regular ? name.replace(/[^\w.]+/g, "_") : name;
}

/** §2.3: `resource.doc.vdefault/acme`. */
export function policyKey(sort: "resource" | "principal" | "role", name: string, version: string, scope: string) {
  return `${sort}.${sanitised(name)}.v${version}${scope === "" ? "" : `/${scope}`}`;
}

/** §2.3: a rule without a name is named by its index, `rule-001`; `i` counts from 0. */
export function ruleName(written: string | undefined, i: number): string {
  return written ?? `rule-${String(i + 1).padStart(3, "0")}`;
}

/** §2.3: in a principal policy the default is `<resource>_rule-001`, counted in each resource's block. */
export function actionName(written: string | undefined, resource: string, i: number): string {
  return written ?? `${resource}_${ruleName(undefined, i)}`;
}

/**
 * Does a principal policy's rule match a kind that is already sanitized? Only names are sanitized; a pattern with `*`
 * is not a name (§2.3) but a glob (§2.8).
 */
export function personalKindMatches(resource: string, kind: string): boolean {
  return actionMatches(sanitised(resource), kind);
}

/** The same for a role policy; its resources are not sanitized (§2.8). */
export function restrictedKindMatches(resource: string, kind: string): boolean {
  return actionMatches(resource, kind);
}

/** §2.4: a leading dot is removed. */
export function scopeOf({ scope = "" }: { readonly scope?: string | undefined }): string {
  return scope.startsWith(".") ? scope.slice(1) : scope;
}
