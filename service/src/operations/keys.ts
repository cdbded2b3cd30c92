/** The operations that create, read, change and delete API keys. */

import { z } from "@hono/zod-openapi";
import { ApiError } from "keyward/http";
import { newSecret } from "../auth/secret.js";
import { invalidBody } from "../http/problems.js";
import { newId } from "../store/ids.js";
import type { ApiRow, ChainedKey, KeyPowers, KeyRow } from "../store/rows.js";
import {
  CREATE_KEY,
  DELETE_KEY,
  DELETE_REVOKED_KEY,
  MAX_CHAIN,
  REVOKE_KEY,
  UPDATE_KEY,
  WORKSPACES,
} from "../store/statements.js";
import { linksOf } from "./delegation.js";
import { type Call, operation } from "./operation.js";
import { apiResource, keyResource, stateInForce } from "./resources.js";
import * as schemas from "./schemas.js";
import { instantOf, keyView } from "./views.js";

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
    }),
    output: keyWithSecret,
  },
  (call, input) =>
    call.create({ input, output: keyWithSecret }, async () => {
      const sight = await call.see("api", input.apiId);
      const { target } = sight;
      const change = async () => {
        call.requireKnown(input);
        const reach = await reachOf(call, target, input.workspaceIds);
        const parent = await parentOf(call, sight.caller, input.parentId);
        const { secret, prefix, hash } = newSecret();
        const { id: apiId, accountId, environment } = target;
        const { name, roles, permissions } = input;
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
        };
        const until = expiresAt === null ? null : instantOf(expiresAt);
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
          ],
          output: {
            ...keyView({ ...made, state: "enabled", containerSuspended, system: false, createdAt }),
            key: secret,
          },
          grants: { after: { ...made, environment } },
          about: { keyId: made.id, parentId: parent.id, roles, permissions, workspaceIds: reach, expiresAt: until },
        };
      };
      return { sight, operation: "keys.createKey", resource: apiResource(target), change };
    }),
);

/** The workspaces that a new key can reach. Throws 400 unless they belong to the account. */
async function reachOf(call: Call, api: ApiRow, asked: readonly string[] | undefined): Promise<readonly string[]> {
  if (asked === undefined) return [api.workspaceId];
  const named = asked.filter((id) => id !== "*" && id !== api.workspaceId);
  if (named.length > 0 && (await call.store.run(WORKSPACES, [api.accountId, named])).length < named.length) {
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
    input: z.strictObject({ keyId }),
    output: schemas.key,
  },
  async (call, input) => {
    const sight = await call.see("key", input.keyId);
    await call.authorize({ sight, operation: "keys.getKey", resource: keyResource(sight.target) });
    return keyView(sight.target);
  },
);

/** The statement that updates a key. A key that it revokes is subtracted from the counters. */
function written(before: KeyRow, { id, apiId, roles, permissions, state }: KeyRow) {
  const values = [roles, permissions, state, id];
  return state === "revoked" && before.state !== "revoked"
    ? { statement: REVOKE_KEY, values: [...values, apiId] }
    : { statement: UPDATE_KEY, values };
}

/** The roles and permissions that a change grants. Enabling a key grants all its roles and permissions. */
function newlyGranted(before: KeyRow, after: KeyRow): Pick<KeyRow, "roles" | "permissions"> {
  if (after.state === "enabled" && before.state !== "enabled") return after;
  return {
    roles: after.roles.filter((role) => !before.roles.includes(role)),
    permissions: after.permissions.filter((permission) => !before.permissions.includes(permission)),
  };
}

export const updateKey = operation(
  {
    name: "keys.updateKey",
    version: "v2",
    summary: "Changes a key's permissions, roles or state, from its next request on. Revoking is for good.",
    input: schemas.changes({
      keyId,
      roles: roles.optional(),
      permissions: permissions.optional(),
      state: schemas.keyState.optional(),
    }),
    output: schemas.key,
  },
  (call, input) =>
    call.change(async () => {
      const sight = await call.see("key", input.keyId);
      const { target } = sight;
      const change = () => {
        const { roles = target.roles, permissions = target.permissions, state = target.state } = input;
        const after = { ...target, roles, permissions, state };
        call.requireKnown(newlyGranted(target, after));
        // Enabling a key grants all its powers, since a key that is not enabled has none.
        const enabled: { readonly after: KeyPowers; readonly before?: KeyPowers } =
          target.state === "enabled" ? { after, before: target } : { after };
        return {
          ...written(target, after),
          output: keyView(after),
          over: target,
          ...(state === "enabled" ? { grants: enabled } : {}),
          about: { roles, permissions, state },
        };
      };
      const { state = target.state, roles = target.roles } = input;
      const stays = state === "enabled" && roles.includes("admin");
      const operation = target.lastAdmin && !stays ? REMOVE_LAST_ADMIN : "keys.updateKey";
      return { sight, operation, resource: keyResource(target), change };
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
    input: z.strictObject({ keyId }),
    output: schemas.nothing,
  },
  (call, input) =>
    call.change(async () => {
      const sight = await call.see("key", input.keyId);
      const { id, apiId, state } = sight.target;
      const change = () => ({
        ...(state === "revoked"
          ? { statement: DELETE_REVOKED_KEY, values: [id] }
          : { statement: DELETE_KEY, values: [id, apiId] }),
        output: {},
        over: sight.target,
        about: {},
      });
      return { sight, operation: deletionOf(sight.target), resource: keyResource(sight.target), change };
    }),
);
