/** Policies of whole-language sets: policies in scopes, principal policies, role policies. */

import fc from "fast-check";
import type {
  PolicyDocument,
  PrincipalRuleDocument,
  RolePolicyDocument,
  RolePolicyRuleDocument,
  ScopePermissions,
} from "../../reference/documents.js";
import type { Context } from "./context.js";
import { definitionsFor, locals } from "./definitions.js";
import { condition, outputText } from "./expressions.js";
import { type Head, type LayerParts, resourcePolicy } from "./resource-policy.js";
import { finished, match, rule } from "./rules.js";
import {
  ACTION_PATTERNS,
  API_VERSION,
  IDS,
  KINDS,
  mostly,
  OPERATIONS,
  RESTRICTED_ROLES,
  ROLES,
  SCOPES,
  VERSION,
} from "./vocabulary.js";

export type Scope = (typeof SCOPES)[number];

/** The scope permissions of each scope, the same in both layers; undefined where no policy states them. */
export type Permissions = { readonly [scope in Scope]: ScopePermissions | undefined };

const permission = fc.constantFrom<ScopePermissions | undefined>(
  undefined,
  "SCOPE_PERMISSIONS_OVERRIDE_PARENT",
  "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS",
);

export const scopePermissions: fc.Arbitrary<Permissions> = fc.record({
  acme: permission,
  "acme.eu": permission,
  "acme.us": permission,
  other: permission,
});

interface WholeParts extends LayerParts {
  /** The kinds with a policy of the layer in the root. */
  readonly kinds: readonly string[];
  readonly permissions: Permissions;
}

export function wholeDocuments(parts: WholeParts): fc.Arbitrary<PolicyDocument[]> {
  return fc
    .tuple(
      ...parts.kinds.map((resource) => scopedPolicies(parts, resource)),
      principalPolicies(parts),
      rolePolicies(parts),
    )
    .map((made) => made.flat());
}

/** A scope and all scopes between it and the root, or occasionally none. A policy needs one in each of these scopes. */
const chain: fc.Arbitrary<readonly Scope[]> = fc.constantFrom<readonly Scope[]>(
  [],
  ["acme"],
  ["acme", "acme.eu"],
  ["acme", "acme.eu"],
  ["acme", "acme.us"],
  ["other"],
);

function headAt(scope: Scope, permissions: Permissions): Head {
  const said = permissions[scope];
  return { scope, ...(said === undefined ? {} : { scopePermissions: said }) };
}

function scopedPolicies(parts: WholeParts, resource: string): fc.Arbitrary<PolicyDocument[]> {
  return chain.chain((scopes) =>
    fc.tuple(...scopes.map((scope) => resourcePolicy({ ...parts, resource, head: headAt(scope, parts.permissions) }))),
  );
}

/** Policies for up to two principals, in the root and perhaps in a scope. */
function principalPolicies(parts: WholeParts): fc.Arbitrary<PolicyDocument[]> {
  const principals = fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 2, arbitrary: fc.subarray([...IDS], { minLength: 1, maxLength: 2 }) },
  );
  return fc.tuple(principals, chain).chain(([ids, scopes]) => {
    const heads: Head[] = [{}, ...scopes.map((scope) => headAt(scope, parts.permissions))];
    return fc.tuple(...ids.flatMap((id) => heads.map((head) => principalPolicy(parts, id, head))));
  });
}

export function principalPolicy(
  { context, exported }: LayerParts,
  principal: string,
  head: Head,
): fc.Arbitrary<PolicyDocument> {
  const { layer } = context;
  const rules = fc.uniqueArray(personalRule(context), { minLength: 1, maxLength: 3, selector: (one) => one.resource });
  return fc.tuple(rules, locals(context)).map(
    ([made, own]): PolicyDocument => ({
      apiVersion: API_VERSION,
      principalPolicy: {
        principal,
        version: VERSION[layer],
        ...head,
        ...definitionsFor(layer, made, own, exported),
        rules: made,
      },
    }),
  );
}

const PERSONAL_RESOURCES = ["*", ...KINDS, "album_object", "al*", "{doc,team}*", "k*y*", "nothing"] as const;

/** A rule like those of resource policies, but without roles, and with each action listed separately. */
function personalRule(context: Context): fc.Arbitrary<PrincipalRuleDocument> {
  const one = fc.tuple(rule(context, []), action).map(([{ actions: _, roles: _roles, ...rest }, pattern]) => ({
    ...rest,
    action: pattern,
  }));
  return fc
    .tuple(fc.constantFrom(...PERSONAL_RESOURCES), fc.array(one, { minLength: 1, maxLength: 3 }))
    .map(([resource, actions]) => ({
      resource,
      actions: actions.map(({ action: pattern, ...open }, i) => {
        // A default name contains the resource and the rule's place. When actions are reordered, the old name has to be
        // written out, and a pattern is not valid in a name.
        const named = open.named || !/^[a-z]+$/.test(resource);
        const { actions: _, roles: _roles, ...rest } = finished(context.layer, { ...open, named, actions: [] }, i);
        return { action: pattern, ...rest };
      }),
    }));
}

const action = fc.oneof(fc.constantFrom<string>(...OPERATIONS), fc.constantFrom<string>(...ACTION_PATTERNS));

const NAMED_ROLES: readonly string[] = [...ROLES, ...RESTRICTED_ROLES];

/**
 * Mostly for roles that no rule names, which depend on the roles that they include; in the platform layer for the
 * account.
 */
function rolePolicies({ context }: WholeParts): fc.Arbitrary<PolicyDocument[]> {
  const isPlatform = context.layer === "platform";
  const role = isPlatform
    ? fc.constant("account")
    : fc.oneof(fc.constantFrom<string>(...RESTRICTED_ROLES), fc.constantFrom(...NAMED_ROLES));
  const policy = fc
    .tuple(role, fc.constantFrom("", "", ...SCOPES))
    .chain(([name, scope]) => rolePolicy(context, name, scope));
  const place = ({ rolePolicy: made }: PolicyDocument) => `${made?.role} ${made?.scope}`;
  return fc.uniqueArray(policy, { maxLength: isPlatform ? 1 : 4, selector: place });
}

export function rolePolicy(context: Context, role: string, scope: string): fc.Arbitrary<PolicyDocument> {
  const isPlatform = context.layer === "platform";
  return fc
    .record({
      versioned: mostly(5),
      parentRoles: isPlatform ? fc.constant<string[]>([]) : fc.subarray([...NAMED_ROLES], { maxLength: 3 }),
      // Without rules the policy restricts nothing, and only includes other roles.
      rules: fc.oneof(
        { weight: 9, arbitrary: fc.array(restriction(context), { minLength: 1, maxLength: 3 }) },
        { weight: 1, arbitrary: fc.constant([]) },
      ),
    })
    .map(({ versioned, parentRoles, rules }): PolicyDocument => {
      const made: RolePolicyDocument = {
        role,
        ...(versioned || isPlatform ? { version: VERSION[context.layer] } : {}),
        ...(scope === "" ? {} : { scope }),
        parentRoles: parentRoles.filter((parent) => parent !== role),
        ...OWN_DEFINITIONS,
        rules,
      };
      return { apiVersion: API_VERSION, rolePolicy: made };
    });
}

const RESTRICTED_RESOURCES = [
  "*",
  "*",
  "*",
  "doc",
  "album_object",
  "album:object",
  "al*",
  "key",
  "{doc,key}*",
] as const;

/** Conditions that read {@link OWN_DEFINITIONS}. */
const OWN_NAMES = [
  { expr: "V.rv_label" },
  { expr: "C.rc_word != R.attr.status" },
  { expr: "has(V.rv_label)" },
] as const;

const OWN_DEFINITIONS = {
  variables: { local: { rv_label: "R.attr.label == C.rc_word" } },
  constants: { local: { rc_word: "red" } },
} as const;

/** A role policy's rule, which lists the most that a role may do. */
function restriction(context: Context): fc.Arbitrary<RolePolicyRuleDocument> {
  const place: Context = { ...context, place: "bare" };
  const actions = fc.oneof(
    fc.constantFrom(["*"], ["doc:**", "read", "keys.*"]),
    fc.uniqueArray(action, { minLength: 2, maxLength: 4 }),
  );
  const holds = fc.oneof(
    match(place, 1),
    condition(place, 0).map((expr) => ({ expr })),
    fc.constant({ expr: 'R.attr.label != "red"' }), // sometimes the attribute is absent
  );
  return fc
    .record({
      resource: fc.constantFrom(...RESTRICTED_RESOURCES),
      allowActions: actions,
      conditional: mostly(4),
      holds: fc.oneof({ weight: 4, arbitrary: holds }, { weight: 1, arbitrary: fc.constantFrom(...OWN_NAMES) }),
      name: fc.constantFrom("", "", "limit", "own.1"),
      output: fc.option(fc.record({ ruleActivated: outputText(place), conditionNotMet: outputText(place) }), {
        freq: 3,
      }),
    })
    .map(({ conditional, holds: made, name, output, ...rest }) => ({
      ...rest,
      ...(name === "" ? {} : { name }),
      ...(conditional ? { condition: { match: made } } : {}),
      ...(output === null ? {} : { output: { when: output } }),
    }));
}
