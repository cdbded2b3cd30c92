/** What policies and their rules are called, and which kinds they are about (docs/cerbos-semantics.md §2.3, §2.8). */

import { actionMatches } from "./glob.js";

/** Sanitising (§2.3): names of policies and request kinds alike, so `album:object` and `album_object` are one. */
export function sanitised(name: string): string {
  const regular = /^[A-Za-z][\w@.\-/]*(:[A-Za-z][\w@.\-/]*)*$/.test(name);
  return regular ? name.replace(/[^\w.]+/g, "_") : name;
}

/** §2.3: `resource.doc.vdefault/acme`. */
export function policyKey(sort: "resource" | "principal" | "role", name: string, version: string, scope: string) {
  return `${sort}.${sanitised(name)}.v${version}${scope === "" ? "" : `/${scope}`}`;
}

/** §2.3: a rule without a name is called by its place, `rule-001`; `i` counts from 0. */
export function ruleName(written: string | undefined, i: number): string {
  return written ?? `rule-${String(i + 1).padStart(3, "0")}`;
}

/** §2.3: in a principal policy it is `<resource>_rule-001`, counted in each resource's block. */
export function actionName(written: string | undefined, resource: string, i: number): string {
  return written ?? `${resource}_${ruleName(undefined, i)}`;
}

/**
 * Whether a principal policy's rule is about a kind that is already sanitised. Only names are sanitised, and a pattern
 * with `*` is none (§2.3): it is a glob (§2.8).
 */
export function personalKindMatches(resource: string, kind: string): boolean {
  return actionMatches(sanitised(resource), kind);
}

/** The same for a role policy, whose resources are not sanitised (§2.8). */
export function restrictedKindMatches(resource: string, kind: string): boolean {
  return actionMatches(resource, kind);
}

/** §2.4: a dot at the beginning is taken off. */
export function scopeOf({ scope = "" }: { readonly scope?: string | undefined }): string {
  return scope.startsWith(".") ? scope.slice(1) : scope;
}
