/** The versions and scopes in which a question looks for policies (docs/cerbos-semantics.md §2.4, §2.7). */

import type { PolicyIndex } from "./policy-index.js";
import { effectiveScope, scopeChain } from "./scopes.js";

/** Versions, and the chains of the scopes that exist, most specific first. */
export interface PolicyLocation {
  /** The version of the resource. The rules of principal policies are found by it, too, as on the server. */
  readonly version: string;
  readonly principalVersion: string;
  /** The scope of the resource, even if it does not exist: the parents of roles are looked up by exactly this scope. */
  readonly resourceScope: string;
  readonly principalChain: readonly string[];
  readonly resourceChain: readonly string[];
}

/** The versions and scopes that a question names. */
export interface QuestionScopes {
  readonly version: string;
  readonly principalVersion: string;
  readonly principalScope: string;
  readonly resourceScope: string;
}

/** The settings of the search for scopes. */
export interface ScopeSearch {
  /** The scope of a question without one. */
  readonly defaultScope: string;
  /** Whether the parents of a scope that does not exist are searched. */
  readonly lenientScopeSearch: boolean;
}

export const STRICT_SEARCH: ScopeSearch = { defaultScope: "", lenientScopeSearch: false };

export function locatePolicies(
  index: PolicyIndex,
  where: QuestionScopes,
  { defaultScope, lenientScopeSearch }: ScopeSearch,
): PolicyLocation {
  const { version, principalVersion } = where;
  const principalScope = effectiveScope(where.principalScope, defaultScope);
  const resourceScope = effectiveScope(where.resourceScope, defaultScope);
  return {
    version,
    principalVersion,
    resourceScope,
    principalChain: scopeChain(index.principalScopes, principalScope, lenientScopeSearch),
    resourceChain: scopeChain(index.resourceScopes, resourceScope, lenientScopeSearch),
  };
}
