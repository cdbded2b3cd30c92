/** Where a check looks. */

/** Names in the form in which policies are indexed, and the scopes that exist. */
export interface Place {
  readonly kind: string;
  readonly version: string;
  readonly principalVersion: string;
  /** The request's scope, whether it exists or not: the parents of roles are looked up by it exactly. */
  readonly resourceScope: string;
  readonly principalChain: readonly string[];
  readonly resourceChain: readonly string[];
}

/** The key of what stands at a place: its version, its scope, and a kind or id if there is one. */
export function placeKey(version: string, scope: string, name?: string): string {
  return name === undefined ? `${version}\0${scope}` : `${version}\0${scope}\0${name}`;
}
