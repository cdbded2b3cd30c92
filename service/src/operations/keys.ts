/** API keys: created, read, changed, deleted. */

import { z } from "@hono/zod-openapi";
import { ApiError } from "keyward/http";
import { newSecret } from "../auth/secret.js";
import { invalidBody } from "../http/problems.js";
import { countInAccount } from "../store/accounts.js";
import { countInApi } from "../store/apis.js";
import { newId } from "../store/ids.js";
import { deleteKey as deleteRow, insertKey, type KeyRow, updateKey as updateRow } from "../store/keys.js";
import { haveWorkspaces } from "../store/workspaces.js";
import { authorize } from "./authorize.js";
import { change } from "./change.js";
import { requireMayGrant } from "./delegation.js";
import { foundApi, foundKey } from "./found.js";
import { type Change, operation } from "./operation.js";
import { apiResource, keyResource } from "./resources.js";
import * as schemas from "./schemas.js";
import { keyView } from "./views.js";

const { apiId, keyId, name, roles, permissions, workspaceIds } = schemas;

export const createKey = operation(
  {
    name: "keys.createKey",
    version: "v1",
    summary: "Creates a key in an API. Its secret is in this response and nowhere else.",
    input: z.strictObject({
      apiId,
      name,
      roles: roles.default(["custom"]),
      permissions: permissions.default([]),
      workspaceIds: workspaceIds.optional().openapi({ description: "Default: the workspace of the API." }),
      expiresAt: schemas.instant.optional(),
    }),
    output: z.strictObject({
      ...schemas.key.shape,
      key: z.string().openapi({ description: "The secret, shown once." }),
    }),
  },
  (call, input) =>
    change(call, async (inside) => {
      const { queries } = inside;
      const row = await foundApi(inside, queries, input.apiId);
      await authorize(inside, "keys.createKey", apiResource(row), row.account);
      const reach = input.workspaceIds ?? [row.api.workspaceId];
      if (!(await haveWorkspaces(queries, row.api.accountId, reach))) {
        throw new ApiError(invalidBody("workspaceIds: must be workspaces of the account"));
      }
      const { secret, prefix, hash } = newSecret();
      const made = {
        id: newId("key"),
        accountId: row.api.accountId,
        apiId: row.api.id,
        name: input.name,
        prefix,
        hash,
        roles: input.roles,
        permissions: input.permissions,
        workspaceIds: reach,
        state: "enabled",
        system: false,
        expiresAt: futureOf(input.expiresAt),
        createdAt: new Date(),
      } as const;
      requireMayGrant(inside, { key: { ...made, position: 0 }, environment: row.environment });
      const stored = await insertKey(queries, made);
      await count(inside, row.api, 1);
      return { ...keyView(stored), key: secret };
    }),
);

function futureOf(expiresAt: string | undefined): Date | null {
  if (expiresAt === undefined) return null;
  const date = new Date(expiresAt);
  if (date.getTime() <= Date.now()) throw new ApiError(invalidBody("expiresAt: must be in the future"));
  return date;
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
    const row = await foundKey(call, call.store.queries, input.keyId);
    await authorize(call, "keys.getKey", keyResource(row), row.account);
    return keyView(row.key);
  },
);

export const updateKey = operation(
  {
    name: "keys.updateKey",
    version: "v2",
    summary: "Changes a key's permissions, roles or state, from its next request on. Revoking is for good.",
    input: z
      .strictObject({
        keyId,
        roles: roles.optional(),
        permissions: permissions.optional(),
        state: schemas.keyState.optional(),
      })
      .refine(({ keyId: _, ...changes }) => Object.keys(changes).length > 0, "must have something to change"),
    output: schemas.key,
  },
  (call, input) =>
    change(call, async (inside) => {
      const row = await foundKey(inside, inside.queries, input.keyId);
      await authorize(inside, "keys.updateKey", keyResource(row), row.account);
      const given = {
        roles: input.roles ?? row.key.roles,
        permissions: input.permissions ?? row.key.permissions,
        state: input.state ?? row.key.state,
      };
      const key = { ...row.key, ...given };
      if (given.state === "enabled") {
        // To enable a key is to grant it everything that it will have.
        const before = row.key.state === "enabled" ? row : undefined;
        requireMayGrant(inside, { ...row, key }, before);
      }
      await updateRow(inside.queries, row.key.id, given);
      if (given.state === "revoked") await count(inside, { id: row.key.apiId, accountId: row.key.accountId }, -1);
      return keyView(key);
    }),
);

export const deleteKey = operation(
  {
    name: "keys.deleteKey",
    version: "v2",
    summary: "Deletes a key. A revoked one stays, as a record, for as long as its API.",
    input: z.strictObject({ keyId }),
    output: schemas.nothing,
  },
  (call, input) =>
    change(call, async (inside) => {
      const row = await foundKey(inside, inside.queries, input.keyId);
      await authorize(inside, "keys.deleteKey", keyResource(row), row.account);
      await deleteRow(inside.queries, row.key.id);
      if (counts(row.key)) await count(inside, { id: row.key.apiId, accountId: row.key.accountId }, -1);
      return {};
    }),
);

/** Whether a key counts among those of its API and account. */
function counts({ state }: KeyRow["key"]): boolean {
  return state !== "revoked";
}

async function count(
  { queries }: Change,
  api: { readonly id: string; readonly accountId: string },
  keys: 1 | -1,
): Promise<void> {
  await countInApi(queries, api.id, keys);
  await countInAccount(queries, api.accountId, { keys });
}
