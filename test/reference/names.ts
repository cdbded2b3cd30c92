/** What policies and their rules are called, and which kinds they are about (cerbos.md §2.3, §2.8). */

import { actionMatches } from "./glob.js";

/** §2.3, "Sanitise": policy names and request kinds alike, so `album:object` and `album_object` are one. */
export function sanitised(name: string): string {
  const regular = /^[A-Za-z][\w@.\-/]*(:[A-Za-z][\w@.\-/]*)*$/.test(name);
  return regular ? name.replace(/[^\w.]+/g, "_") : name;
}

/** §2.3: `resource.doc.vdefault/acme`. */
export function policyKey(sort: "resource" | "principal" | "role", name: string, version: string, scope: string) {
  return `${sort}.${sanitised(name)}.v${version}${scope === "" ? "" : `/${scope}`}`;
}

/** §2.3: "explicit, else `rule-%03d`"; `i` counts from 0. */
export function ruleName(written: string | undefined, i: number): string {
  return written ?? `rule-${String(i + 1).padStart(3, "0")}`;
}

/** §2.3: "principal policy: `<resource>_rule-%03d`", counted in each resource's block. */
export function actionName(written: string | undefined, resource: string, i: number): string {
  return written ?? `${resource}_${ruleName(undefined, i)}`;
}

/**
 * Whether a principal policy's rule is about a kind that is already sanitised. "Patterns with `*` never match the regex",
 * so only names are sanitised (§2.3), and with a `*` it is a glob (§2.8).
 */
export function personalKindMatches(resource: string, kind: string): boolean {
  return actionMatches(sanitised(resource), kind);
}

/** The same for a role policy: its "resources are not sanitised, the query value is" (§2.8). */
export function restrictedKindMatches(resource: string, kind: string): boolean {
  return actionMatches(resource, kind);
}

/** §2.4: "one leading `.` stripped". */
export function scopeOf({ scope = "" }: { readonly scope?: string | undefined }): string {
  return scope.startsWith(".") ? scope.slice(1) : scope;
}
