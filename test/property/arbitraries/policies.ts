/** Complete policy sets: both layers, with derived roles, variables, constants, outputs, and files without effect. */

import fc from "fast-check";
import type { DerivedRoleDocument, PolicyDocument, PolicyDocuments } from "../../reference/documents.js";
import { type Context, isWhole, type Profile } from "./context.js";
import { definitionsFor, exportedVariables, type Locals, locals } from "./definitions.js";
import { resourcePolicy } from "./resource-policy.js";
import { finished, match, rule } from "./rules.js";
import { withSchemas } from "./schemas.js";
import {
  API_VERSION,
  IDS,
  KINDS,
  type Layer,
  mostly,
  NUMBERS,
  PREFIX,
  RESTRICTED_ROLES,
  ROLES,
  VERSION,
} from "./vocabulary.js";
import { type Permissions, scopePermissions, wholeDocuments } from "./whole.js";

export interface PolicySetOptions {
  /** Default: `any`. */
  readonly profile?: Profile;
  /** Do JSON Schemas declare the attributes? Default: in every other set. */
  readonly declared?: boolean;
}

export function policySet({ profile = "any", declared }: PolicySetOptions = {}): fc.Arbitrary<PolicyDocuments> {
  const hasSchemas = declared === undefined ? fc.boolean() : fc.constant(declared);
  return fc
    .tuple(documentsOf(profile), hasSchemas)
    .map(([documents, has]) => (has ? withSchemas(documents) : documents));
}

function documentsOf(profile: Profile): fc.Arbitrary<PolicyDocuments> {
  return fc
    .tuple(fc.subarray([...KINDS], { minLength: 1 }), isWhole(profile) ? scopePermissions : fc.constant(undefined))
    .chain(([kinds, permissions]) =>
      fc.tuple(
        layerDocuments("permission", profile, kinds, permissions),
        layerDocuments("platform", profile, kinds, permissions),
        fc.uniqueArray(bystander(profile), {
          maxLength: 2,
          selector: (document) => JSON.stringify(identity(document)),
        }),
      ),
    )
    .map((parts) => parts.flat());
}

function identity({ resourcePolicy, disabled }: PolicyDocument): unknown {
  return [resourcePolicy?.resource, resourcePolicy?.version, disabled];
}

/** A disabled policy, or one of another version, for an existing kind: it must have no effect. */
function bystander(profile: Profile): fc.Arbitrary<PolicyDocument> {
  const which = fc.tuple(fc.constantFrom<Layer>("permission", "platform"), fc.constantFrom(...KINDS), fc.boolean());
  return which.chain(([layer, kind, disabled]) =>
    rule({ layer, profile, place: "bare" }, []).map((only) => ({
      apiVersion: API_VERSION,
      ...(disabled ? { disabled } : {}),
      resourcePolicy: {
        resource: kind,
        version: disabled ? VERSION[layer] : `legacy_${PREFIX[layer]}`,
        rules: [finished(layer, only, 0)],
      },
    })),
  );
}

/** Documents of a layer. If scope permissions are given, also with scopes, principal policies and role policies. */
function layerDocuments(
  layer: Layer,
  profile: Profile,
  kinds: readonly string[],
  permissions: Permissions | undefined,
): fc.Arbitrary<PolicyDocument[]> {
  const context: Context = { layer, profile, place: "rule" };
  const [firstKind = "doc", ...otherKinds] = kinds;
  const present = otherKinds.map(() => fc.nat({ max: 19 }).map((roll) => roll > 0));
  const prefix = PREFIX[layer];
  return fc
    .record({
      variables: exportedVariables(context),
      constants: fc.record({ k_id: fc.constantFrom(...IDS), k_num: fc.constantFrom(...NUMBERS) }),
      roles: derivedRoles(context),
      kinds: fc.tuple(...present).map((there) => [firstKind, ...otherKinds.filter((_, i) => there[i])]),
    })
    .chain(({ variables, constants, roles, kinds: chosen }) => {
      const roleNames = roles.definitions.map((role) => role.name);
      const parts = { context, roleNames, exported: variables };
      const policies = fc.tuple(...chosen.map((resource) => resourcePolicy({ ...parts, resource })));
      const more = permissions === undefined ? [] : [wholeDocuments({ ...parts, kinds: chosen, permissions })];
      return fc.tuple(policies, ...more).map((made): PolicyDocument[] => {
        const set = { name: `${prefix}_roles`, definitions: roles.definitions };
        return [
          ...made.flat(),
          { apiVersion: API_VERSION, derivedRoles: { ...set, ...definitionsFor(layer, set, roles.locals, variables) } },
          { apiVersion: API_VERSION, exportVariables: { name: `${prefix}_vars`, definitions: variables } },
          { apiVersion: API_VERSION, exportConstants: { name: `${prefix}_consts`, definitions: constants } },
        ];
      });
    });
}

interface Roles {
  readonly definitions: readonly DerivedRoleDocument[];
  readonly locals: Locals;
}

function derivedRoles(context: Context): fc.Arbitrary<Roles> {
  const { layer, profile } = context;
  const roles: string[] = [...ROLES, ...(isWhole(profile) ? RESTRICTED_ROLES : [])];
  const parents =
    layer === "platform"
      ? fc.constantFrom(["account"], ["*"])
      : fc.oneof(fc.subarray(roles, { minLength: 1 }), fc.constant<string[]>(["*"]));
  const role = fc.record({ parentRoles: parents, conditional: mostly(9), holds: match(context, 1) });
  const definitions = fc.array(role, { minLength: 1, maxLength: 3 }).map((made) =>
    made.map(({ parentRoles, conditional, holds }, i) => ({
      name: `${PREFIX[layer]}_role_${i + 1}`,
      parentRoles,
      ...(conditional ? { condition: { match: holds } } : {}),
    })),
  );
  return fc.record({ definitions, locals: locals(context) });
}
