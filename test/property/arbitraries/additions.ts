/** Policies to add to a set, and a test of relevance: an irrelevant addition must not change a request's verdict. */

import fc from "fast-check";
import type { JsonValue } from "../../../src/cel/json.js";
import type { PlainRequest } from "../../../src/testing/laws/plain-request.js";
import type { PolicyDocument, PolicyDocuments, ScopePermissions } from "../../reference/documents.js";
import { policyKey, restrictedKindMatches, sanitised, scopeOf } from "../../reference/names.js";
import { type Head, type LayerParts, resourcePolicy } from "./resource-policy.js";
import { GLOBALS, IDS, KINDS, type Layer, PREFIX, RESTRICTED_ROLES, ROLES, SCOPES } from "./vocabulary.js";
import { principalPolicy, rolePolicy } from "./whole.js";

export const ADDITIONS = [
  "another kind",
  "the kind in another scope",
  "a role policy",
  "a principal policy",
  "a global",
  "an unused variable",
  "an unused constant",
  "an unused derived role",
] as const;

export type AdditionSort = (typeof ADDITIONS)[number];

export interface Addition {
  readonly sort: AdditionSort;
  /** The set with the addition. The earlier policies keep their files and lines. */
  readonly documents: PolicyDocuments;
  readonly added: PolicyDocuments;
  readonly globals: { readonly [name: string]: JsonValue };
}

const PLACES: readonly string[] = ["", ...SCOPES, "acme.eu.web", "outside", "outside.deep"];

const UNUSED = "R.attr.nothing.at.all > 1";

/** One addition of each sort. */
export function additions(documents: PolicyDocuments): fc.Arbitrary<readonly Addition[]> {
  return fc.constantFrom<Layer>("permission", "platform").chain((layer) => {
    const policies = (sort: AdditionSort, added: fc.Arbitrary<PolicyDocument[]>): fc.Arbitrary<Addition> =>
      added.map((some) => ({ sort, documents: [...documents, ...some], added: some, globals: GLOBALS }));
    const changed = (
      sort: AdditionSort,
      change: (document: PolicyDocument) => PolicyDocument,
    ): fc.Arbitrary<Addition> => fc.constant({ sort, documents: documents.map(change), added: [], globals: GLOBALS });
    const parts = partsOf(documents, layer);
    const place = fc.constantFrom(...PLACES);
    const kind = fc.constantFrom(...KINDS);
    const stranger = fc.constantFrom(...IDS, "stranger");
    const role = fc.constantFrom(...ROLES, ...RESTRICTED_ROLES, "stranger");
    return fc.tuple(
      policies(
        "another kind",
        place.chain((scope) => resourcePolicies(documents, parts, "elsewhere", scope)),
      ),
      policies(
        "the kind in another scope",
        fc.tuple(kind, place).chain(([resource, scope]) => resourcePolicies(documents, parts, resource, scope)),
      ),
      policies(
        "a role policy",
        fc
          .tuple(layer === "platform" ? fc.constant("account") : role, place)
          .chain(([name, scope]) => rolePolicy(parts.context, name, scope))
          .map((made) => missing(documents, [made])),
      ),
      policies(
        "a principal policy",
        fc.tuple(stranger, place).chain(([id, scope]) => principalPolicies(documents, parts, id, scope)),
      ),
      fc.constant<Addition>({ sort: "a global", documents, added: [], globals: { ...GLOBALS, unheard: [1] } }),
      changed("an unused variable", ({ exportVariables: set, ...rest }) => {
        if (set !== undefined)
          return { ...rest, exportVariables: { ...set, definitions: { ...set.definitions, unused: UNUSED } } };
        return rest.resourcePolicy === undefined ? rest : { ...rest, variables: { v_unused: UNUSED } };
      }),
      changed("an unused constant", ({ exportConstants: set, ...rest }) =>
        set === undefined
          ? rest
          : { ...rest, exportConstants: { ...set, definitions: { ...set.definitions, unused: 1 } } },
      ),
      changed("an unused derived role", ({ derivedRoles: set, ...rest }) => {
        if (set === undefined) return rest;
        const unused = { name: "unused", parentRoles: ["*"], condition: { match: { expr: UNUSED } } };
        return { ...rest, derivedRoles: { ...set, definitions: [...set.definitions, unused] } };
      }),
    );
  });
}

/** The parts of the set that policies of the layer can use. */
function partsOf(documents: PolicyDocuments, layer: Layer): LayerParts {
  const of = <T extends { readonly name: string }>(sets: readonly (T | undefined)[], name: string) =>
    sets.find((set) => set?.name === `${PREFIX[layer]}_${name}`);
  const roles = of(
    documents.map((document) => document.derivedRoles),
    "roles",
  );
  const variables = of(
    documents.map((document) => document.exportVariables),
    "vars",
  );
  return {
    context: { layer, profile: "whole", place: "rule" },
    roleNames: roles?.definitions.map(({ name }) => name) ?? [],
    exported: variables?.definitions ?? {},
  };
}

/** Policies for the kind in the scope, and in each scope above it without policies. */
function resourcePolicies(documents: PolicyDocuments, parts: LayerParts, resource: string, scope: string) {
  const heads = withParents(scope).map((one) => headAt(documents, one));
  return fc
    .tuple(...heads.map((head) => resourcePolicy({ ...parts, resource, head })))
    .map((made) => missing(documents, made));
}

function principalPolicies(documents: PolicyDocuments, parts: LayerParts, id: string, scope: string) {
  const heads = withParents(scope).map((one) => headAt(documents, one));
  return fc.tuple(...heads.map((head) => principalPolicy(parts, id, head))).map((made) => missing(documents, made));
}

/** The scope and its parents, the root first. */
function withParents(scope: string): readonly string[] {
  const names = scope === "" ? [] : scope.split(".");
  return ["", ...names.map((_, i) => names.slice(0, i + 1).join("."))];
}

/** Repeats the scope permissions of a scope with policies; a new scope requires its parents' consent. */
function headAt(documents: PolicyDocuments, scope: string): Head {
  if (scope === "") return {};
  const there = documents
    .flatMap(({ resourcePolicy: a, principalPolicy: b }) => a ?? b ?? [])
    .find((one) => scopeOf(one) === scope);
  const said: ScopePermissions | undefined =
    there === undefined ? "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS" : there.scopePermissions;
  return { scope, ...(said === undefined ? {} : { scopePermissions: said }) };
}

/** The made policies that the set does not have yet. */
function missing(documents: PolicyDocuments, made: PolicyDocuments): PolicyDocument[] {
  const known = new Set(documents.filter(({ disabled }) => disabled !== true).map(keyOf));
  return made.filter((document) => !known.has(keyOf(document)));
}

function keyOf({ resourcePolicy, principalPolicy, rolePolicy: role }: PolicyDocument): string | undefined {
  if (resourcePolicy)
    return policyKey("resource", resourcePolicy.resource, resourcePolicy.version, scopeOf(resourcePolicy));
  if (principalPolicy)
    return policyKey("principal", principalPolicy.principal, principalPolicy.version, scopeOf(principalPolicy));
  return role && policyKey("role", role.role, role.version ?? "default", scopeOf(role));
}

/** Is one of the added policies about the request, so that it may change the verdict? */
export function isAbout(documents: PolicyDocuments, { added }: Addition, request: PlainRequest): boolean {
  const scope = scopeOf(request.resource);
  const chain = new Set(withParents(scope));
  const kind = sanitised(request.resource.kind);
  const enabled = documents.filter(({ disabled }) => disabled !== true);
  // The addition creates the request's own scope, so the scopes above it are now searched.
  if (!resourceScopes(enabled).has(scope) && resourceScopes(added).has(scope)) return true;
  const version = (one: PolicyDocument) =>
    one.resourcePolicy?.version ?? one.principalPolicy?.version ?? one.rolePolicy?.version ?? "default";
  const hasPolicy = (of: string, at: string) =>
    enabled.some(
      ({ resourcePolicy: p }) => p && p.version === of && scopeOf(p) === at && sanitised(p.resource) === kind,
    );
  return added.some((one) => {
    const { resourcePolicy: resource, principalPolicy: principal, rolePolicy: role } = one;
    const policy = resource ?? principal ?? role;
    if (policy === undefined) return false;
    const at = scopeOf(policy);
    const inChain = chain.has(at);
    // The addition states the scope permissions of a scope in the chain that had none.
    if (resource ?? principal) {
      const said = (resource ?? principal)?.scopePermissions?.includes("CONSENT");
      if (
        inChain &&
        said &&
        !enabled.some(({ resourcePolicy: a, principalPolicy: b }) => (a ?? b) && scopeOf(a ?? b ?? {}) === at)
      )
        return true;
    }
    if (resource) return inChain && sanitised(resource.resource) === kind;
    // The first rule of a role policy about a kind makes the kind known in its scope, for every role.
    const hasRule = role?.rules?.some((rule) => restrictedKindMatches(rule.resource, kind));
    if (inChain && hasRule && !hasPolicy(version(one), at)) return true;
    if (role) return inChain && heldRoles(enabled, added, request).has(role.role);
    return principal !== undefined && isPersonal(enabled, added, request, principal.principal);
  });
}

function resourceScopes(documents: PolicyDocuments): ReadonlySet<string> {
  return new Set(
    documents.flatMap(({ resourcePolicy, rolePolicy: role }) => {
      if (resourcePolicy) return [scopeOf(resourcePolicy)];
      return role?.rules?.length ? [scopeOf(role)] : [];
    }),
  );
}

/** The request's roles, and all roles that they include by any role policy of its scope. */
function heldRoles(documents: PolicyDocuments, added: PolicyDocuments, { key, resource }: PlainRequest) {
  const held = new Set([...key.roles, "account"]);
  for (const role of held) {
    for (const { rolePolicy: policy } of [...documents, ...added]) {
      if (policy?.role !== role || scopeOf(policy) !== scopeOf(resource)) continue;
      for (const parent of policy.parentRoles ?? []) held.add(parent);
    }
  }
  return held;
}

/**
 * True for a policy of the key or the account, and for one that creates the scope where one of them has or inherits a
 * policy.
 */
function isPersonal(
  documents: PolicyDocuments,
  added: PolicyDocuments,
  { key, account }: PlainRequest,
  id: string,
): boolean {
  const scopes = (some: PolicyDocuments) => some.flatMap(({ principalPolicy: p }) => (p ? [scopeOf(p)] : []));
  return [key, account].some((one) => {
    if (one.id === id) return true;
    const own = scopeOf(one);
    const has = documents.some(({ principalPolicy }) => principalPolicy?.principal === one.id);
    return has && !scopes(documents).includes(own) && scopes(added).includes(own);
  });
}
