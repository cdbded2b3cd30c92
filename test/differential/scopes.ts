export type Scope = string;

/** The scopes above one, the root last. */
export function parentScopes(scope: Scope): Scope[] {
  const parts = scope === "" ? [] : scope.split(".");
  return parts.map((_, i) => parts.slice(0, parts.length - 1 - i).join("."));
}
