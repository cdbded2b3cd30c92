/** The operations that create, read, change and delete API keys. */

import { z } from "@hono/zod-openapi";
import { ApiError } from "keyward/http";
import { newPrefix, newSecret } from "../auth/secret.js";
import { invalidBody } from "../http/problems.js";
import { CREATE_KEY, DELETE_KEY, DELETE_REVOKED_KEY, REROLL_KEY, REVOKE_KEY, UPDATE_KEY } from "../store/changes.js";
import { MAX_CHAIN } from "../store/columns.js";
import { newId } from "../store/ids.js";
import type { ApiRow, ChainedKey, KeyPowers, KeyRow } from "../store/rows.js";
import { WORKSPACES } from "../store/snapshots.js";
import { aboutCredits, type CreditsInput, creditsFrom, creditsParameter } from "./credits.js";
import { linksOf } from "./delegation.js";
import { type Call, operation } from "./operation.js";
import { apiResource, keyResource, stateInForce } from "./resources.js";
import * as schemas from "./schemas.js";
import { endOf, instantOf, keyVersion, keyView } from "./views.js";

const { apiId, keyId, name, roles, permissions, workspaceIds } = schemas;

/** The operation, for policies, of deleting or reducing the last key that administers the account. */
const REMOVE_LAST_ADMIN = "keys.removeLastAdmin";

/** A new key with its secret. */
const keyWithSecret = z.strictObject({
  ...schemas.key.shape,
  key: z.string().openapi({ description: "The secret, shown once." }),
});

export const createKey = operation(
  {
    name: "keys.createKey",
    version: "v1",
    summary: "Creates a key in an API. Its secret is in this response and nowhere else.",
    creates: true,
    input: z.strictObject({
      apiId,
      name,
      roles: roles.default(["custom"]),
      permissions: permissions.default([]),
      workspaceIds: workspaceIds.optional().openapi({ description: "Default: the workspace of the API." }),
      parentId: schemas.parentId.optional().openapi({
        description: "A key that the new key never exceeds: the caller's own (default), or one below it.",
      }),
      expiresAt: schemas.instant.optional(),
      externalId: schemas.externalId.optional(),
      meta: schemas.meta.optional(),
      productPermissions: schemas.productPermissions.default([]),
      credits: schemas.newCredits.optional(),
    }),
    output: keyWithSecret,
  },
  (call, input) =>
    call.create({ operation: "keys.createKey", input, output: keyWithSecret }, async () => {
      const sight = await call.see("api", input.apiId);
      const { target } = sight;
      const change = async () => {
        call.requireKnown(input);
        const reach = await reachOf(call, target, input.workspaceIds);
        const parent = await parentOf(call, sight.caller, input.parentId);
        const { secret, prefix, hash } = newSecret(newPrefix(target.accountId));
        const { id: apiId, accountId, environment } = target;
        const { name, roles, permissions, productPermissions, externalId = null, meta = null } = input;
        const credits = creditsFrom(input.credits ?? null);
        const expiresAt = futureOf(input.expiresAt);
        const createdAt = Date.now();
        const containerSuspended = stateInForce(target) === "suspended";
        const made = {
          id: newId("key"),
          accountId,
          apiId,
          parentId: parent.id,
          name,
          roles,
          permissions,
          workspaceIds: reach,
          expiresAt,
          externalId,
          meta,
          productPermissions,
          credits,
        };
        const until = endOf(made);
        return {
          statement: CREATE_KEY,
          values: [
            made.id,
            apiId,
            name,
            prefix,
            hash,
            roles,
            permissions,
            reach,
            until,
            instantOf(createdAt),
            parent.id,
            externalId,
            meta === null ? null : JSON.stringify(meta),
            creditsParameter(input.credits),
            productPermissions,
          ],
          output: {
            ...keyView({ ...made, state: "enabled", containerSuspended, system: false, createdAt }),
            key: secret,
          },
          grants: { after: { ...made, environment } },
          about: {
            keyId: made.id,
            parentId: parent.id,
            roles,
            permissions,
            productPermissions,
            workspaceIds: reach,
            expiresAt: until,
            ...aboutCredits(input.credits),
          },
        };
      };
      return { sight, operation: "keys.createKey", resource: apiResource(target), change };
    }),
);

/** The workspaces that a key can reach. Throws 400 unless they belong to the account. */
async function reachOf(
  call: Call,
  { accountId, workspaceId }: Pick<ApiRow, "accountId" | "workspaceId">,
  asked: readonly string[] | undefined,
): Promise<readonly string[]> {
  if (asked === undefined) return [workspaceId];
  const named = asked.filter((id) => id !== "*" && id !== workspaceId);
  if (named.length > 0 && (await call.store.run(WORKSPACES, [accountId, named])).length < named.length) {
    throw new ApiError(invalidBody("workspaceIds: must be workspaces of the account"));
  }
  return asked;
}

/**
 * The key above a new key. Throws 400 unless it is the maker, or a key of the account below the maker, with a chain that
 * leaves room for one more key. Parents never change, so there are no cycles.
 */
async function parentOf(call: Call, maker: ChainedKey, asked: string | undefined): Promise<ChainedKey> {
  const parent = asked === undefined || asked === maker.id ? maker : await call.chainedKey(maker.accountId, asked);
  if (parent === undefined || !linksOf(parent).some(({ id }) => id === maker.id)) {
    throw new ApiError(invalidBody("parentId: must be the key that makes the request, or a key below it"));
  }
  if (linksOf(parent).length >= MAX_CHAIN) {
    throw new ApiError(invalidBody(`parentId: has too many keys above it; a chain has at most ${MAX_CHAIN} keys`));
  }
  return parent;
}

function futureOf(expiresAt: string | undefined): number | null {
  if (expiresAt === undefined) return null;
  const time = Date.parse(expiresAt);
  if (time <= Date.now()) throw new ApiError(invalidBody("expiresAt: must be in the future"));
  return time;
}

export const getKey = operation(
  {
    name: "keys.getKey",
    version: "v2",
    summary: "Reads a key, without its secret.",
    tagged: true,
    cached: true,
    input: z.strictObject({ keyId }),
    output: schemas.key,
  },
  async (call, input) => {
    const sight = await call.see("key", input.keyId);
    await call.authorize({ sight, operation: "keys.getKey", resource: keyResource(sight.target) });
    const view = keyView(sight.target);
    return call.tagged(view, keyVersion(view));
  },
);

/** The statement that updates a key. A key that it revokes is subtracted from the counters. */
function written(before: KeyRow, after: KeyRow, credits?: CreditsInput) {
  const { id, apiId, name, roles, permissions, workspaceIds, state, externalId, meta, productPermissions } = after;
  const expiresAt = endOf(after);
  const values = [
    ...[roles, permissions, state, id, name, workspaceIds, expiresAt],
    ...[externalId, meta === null ? null : JSON.stringify(meta), creditsParameter(credits), productPermissions],
  ];
  return state === "revoked" && before.state !== "revoked"
    ? { statement: REVOKE_KEY, values: [...values, apiId] }
    : { statement: UPDATE_KEY, values };
}

/** True if a change gives a disabled or expired key its powers back. */
function isRevived(before: KeyRow, after: KeyRow): boolean {
  if (after.state !== "enabled") return false;
  return before.state !== "enabled" || (!before.usable && after.expiresAt !== before.expiresAt);
}

/** The roles and permissions that a change grants. Reviving a key grants all its roles and permissions. */
function newlyGranted(before: KeyRow, after: KeyRow): Pick<KeyRow, "roles" | "permissions"> {
  if (isRevived(before, after)) return after;
  return {
    roles: after.roles.filter((role) => !before.roles.includes(role)),
    permissions: after.permissions.filter((permission) => !before.permissions.includes(permission)),
  };
}

const changesOfKey = schemas.changes({
  keyId,
  name: name.optional(),
  roles: roles.optional(),
  permissions: permissions.optional(),
  workspaceIds: workspaceIds.optional(),
  state: schemas.keyState.optional(),
  expiresAt: schemas.instant.nullable().optional().openapi({ description: "`null`: the key does not expire." }),
  externalId: schemas.externalId.nullable().optional(),
  meta: schemas.meta.nullable().optional().openapi({ description: "Replaces all of it." }),
  productPermissions: schemas.productPermissions.optional(),
  credits: schemas.newCredits.nullable().optional().openapi({ description: "`null`: the use is not limited." }),
});

/** The key after a change. Throws 400 for workspaces of another account, and for a time that has passed. */
async function changedKey(call: Call, target: KeyRow, input: z.output<typeof changesOfKey>): Promise<KeyRow> {
  const { keyId: _, workspaceIds, expiresAt, credits, ...changes } = input;
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return {
    ...target,
    ...Object.fromEntries(given),
    workspaceIds: workspaceIds === undefined ? target.workspaceIds : await reachOf(call, target, workspaceIds),
    expiresAt: expiresAt === undefined ? target.expiresAt : futureOf(expiresAt ?? undefined),
    credits: credits === undefined ? target.credits : creditsFrom(credits),
  };
}

/** True if an administrator of the whole account stays one, for as long as before. */
function staysAdmin(target: KeyRow, input: z.output<typeof changesOfKey>): boolean {
  const { state = target.state, roles = target.roles, workspaceIds = target.workspaceIds, expiresAt } = input;
  const isShortened =
    typeof expiresAt === "string" && (target.expiresAt === null || Date.parse(expiresAt) < target.expiresAt);
  return state === "enabled" && roles.includes("admin") && workspaceIds.some((id) => id === "*") && !isShortened;
}

export const updateKey = operation(
  {
    name: "keys.updateKey",
    version: "v2",
    summary: "Changes a key, from its next request on. Revoking is for good.",
    tagged: true,
    conditional: true,
    input: changesOfKey,
    output: schemas.key,
  },
  async (call, input) => {
    const view = await call.change(async () => {
      const sight = await call.see("key", input.keyId);
      const { target } = sight;
      const change = async () => {
        call.requireMatch(keyVersion(keyView(target)));
        const after = await changedKey(call, target, input);
        call.requireKnown(newlyGranted(target, after));
        const granted: { readonly after: KeyPowers; readonly before?: KeyPowers } =
          target.state === "enabled" && !isRevived(target, after) ? { after, before: target } : { after };
        const { name, roles, permissions, productPermissions, workspaceIds, state, externalId } = after;
        const expiresAt = endOf(after);
        return {
          ...written(target, after, input.credits),
          output: keyView(after),
          over: target,
          ...(state === "enabled" ? { grants: granted } : {}),
          about: {
            ...{ name, roles, permissions, productPermissions, workspaceIds, state, expiresAt, externalId },
            ...aboutCredits(input.credits),
          },
        };
      };
      const operation = target.lastAdmin && !staysAdmin(target, input) ? REMOVE_LAST_ADMIN : "keys.updateKey";
      return { sight, operation, resource: keyResource(target), change };
    });
    return call.tagged(view, keyVersion(view));
  },
);

/** The longest time for which the secret before a new one works: 30 days. */
const MAX_GRACE = 2_592_000;

const rerolledKey = z.strictObject({
  ...keyWithSecret.shape,
  oldSecretUntil: schemas.instant.nullable().openapi({ description: "`null`: the old secret has ended." }),
});

export const rerollKey = operation(
  {
    name: "keys.rerollKey",
    version: "v2",
    summary: "Gives a key another secret, shown once. The old one works until the time of grace is over.",
    creates: true,
    conditional: true,
    input: z.strictObject({
      keyId,
      graceSeconds: z
        .int()
        .min(0)
        .max(MAX_GRACE)
        .default(0)
        .openapi({ description: "How long the old secret works; a secret before that one ends at once." }),
    }),
    output: rerolledKey,
  },
  (call, input) =>
    call.create({ operation: "keys.updateKey", input, output: rerolledKey }, async () => {
      const sight = await call.see("key", input.keyId);
      const { target } = sight;
      // Read later than the key: if the API has changed in between, so has the version of the key's snapshot.
      const api = (await call.see("api", target.apiId)).target;
      const change = () => {
        call.requireMatch(keyVersion(keyView(target)));
        const { secret, hash } = newSecret(target.prefix);
        const isNow = input.graceSeconds === 0;
        const oldSecretUntil = isNow ? null : instantOf(Date.now() + input.graceSeconds * 1_000);
        return {
          statement: REROLL_KEY,
          values: [hash, oldSecretUntil, target.id],
          output: { ...keyView(target), key: secret, oldSecretUntil },
          // The secret gives all powers of the key.
          over: target,
          grants: { after: target },
          needs: { operation: "keys.createKey", resource: apiResource(api) },
          about: { keyId: target.id, secret: "rerolled", oldSecretUntil },
        };
      };
      return { sight, operation: "keys.updateKey", resource: keyResource(target), change };
    }),
);

export const revokeKey = operation(
  {
    name: "keys.revokeKey",
    version: "v2",
    summary: "Revokes a key, for good, whatever the state of the key or its account; again, it changes nothing.",
    input: z.strictObject({ keyId }),
    output: schemas.key,
  },
  (call, input) =>
    call.change(async () => {
      const sight = await call.see("key", input.keyId);
      const { target } = sight;
      const change = () => {
        const after = { ...target, state: "revoked" } as const;
        return { ...written(target, after), output: keyView(after), over: target, about: { state: "revoked" } };
      };
      return { sight, operation: "keys.revokeKey", resource: keyResource(target), change };
    }),
);

/** The operation, for policies, of deleting a key. */
export function deletionOf({ lastAdmin }: Pick<KeyRow, "lastAdmin">): string {
  return lastAdmin ? REMOVE_LAST_ADMIN : "keys.deleteKey";
}

export const deleteKey = operation(
  {
    name: "keys.deleteKey",
    version: "v2",
    summary: "Deletes a key. A revoked one stays, as a record, for as long as its API.",
    conditional: true,
    input: z.strictObject({ keyId }),
    output: schemas.nothing,
  },
  (call, input) =>
    call.change(async () => {
      const sight = await call.see("key", input.keyId);
      const { id, apiId, state } = sight.target;
      const change = () => {
        call.requireMatch(keyVersion(keyView(sight.target)));
        return {
          ...(state === "revoked"
            ? { statement: DELETE_REVOKED_KEY, values: [id] }
            : { statement: DELETE_KEY, values: [id, apiId] }),
          output: {},
          over: sight.target,
          about: {},
        };
      };
      return { sight, operation: deletionOf(sight.target), resource: keyResource(sight.target), change };
    }),
);
