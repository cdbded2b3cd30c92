/** APIs: created, read, changed, deleted. */

import { z } from "@hono/zod-openapi";
import { countInAccount } from "../store/accounts.js";
import { deleteApi as deleteRow, insertApi, updateApi as updateRow } from "../store/apis.js";
import { newId } from "../store/ids.js";
import { authorize } from "./authorize.js";
import { change } from "./change.js";
import { foundApi, foundWorkspace } from "./found.js";
import { operation } from "./operation.js";
import { apiResource, workspaceResource } from "./resources.js";
import * as schemas from "./schemas.js";
import { apiView } from "./views.js";

const { apiId, workspaceId, name } = schemas;
/** The states that callers give an API. `deleting` is the platform's. */
const state = schemas.apiState.exclude(["deleting"]);

export const createApi = operation(
  {
    name: "apis.createApi",
    version: "v2",
    summary: "Creates an API in a workspace. It starts as a draft, which has no keys.",
    input: z.strictObject({
      workspaceId,
      name,
      state: state.exclude(["suspended"]).default("draft"),
      deleteProtection: z.boolean().default(false),
    }),
    output: schemas.api,
  },
  (call, input) =>
    change(call, async (inside) => {
      const { queries } = inside;
      const row = await foundWorkspace(inside, queries, input.workspaceId);
      await authorize(inside, "apis.createApi", workspaceResource(row), row.account);
      const { accountId } = row.workspace;
      const id = newId("api");
      await insertApi(queries, { ...input, id, accountId });
      await countInAccount(queries, accountId, { apis: 1 });
      return apiView(await foundApi(inside, queries, id));
    }),
);

export const getApi = operation(
  {
    name: "apis.getApi",
    version: "v2",
    summary: "Reads an API.",
    input: z.strictObject({ apiId }),
    output: schemas.api,
  },
  async (call, input) => {
    const row = await foundApi(call, call.store.queries, input.apiId);
    await authorize(call, "apis.getApi", apiResource(row), row.account);
    return apiView(row);
  },
);

export const updateApi = operation(
  {
    name: "apis.updateApi",
    version: "v2",
    summary: "Changes an API's state or delete protection. Only the platform lifts a suspension.",
    input: z
      .strictObject({ apiId, state: state.optional(), deleteProtection: z.boolean().optional() })
      .refine(({ apiId: _, ...changes }) => Object.keys(changes).length > 0, "must have something to change"),
    output: schemas.api,
  },
  (call, { apiId: id, ...changes }) =>
    change(call, async (inside) => {
      const row = await foundApi(inside, inside.queries, id);
      await authorize(inside, "apis.updateApi", apiResource(row), row.account);
      const given = {
        state: changes.state ?? row.api.state,
        deleteProtection: changes.deleteProtection ?? row.api.deleteProtection,
      };
      await updateRow(inside.queries, id, given);
      return apiView({ ...row, api: { ...row.api, ...given } });
    }),
);

export const deleteApi = operation(
  {
    name: "apis.deleteApi",
    version: "v2",
    summary: "Deletes an API that has no keys, and the records of revoked ones.",
    input: z.strictObject({ apiId }),
    output: schemas.nothing,
  },
  (call, input) =>
    change(call, async (inside) => {
      const row = await foundApi(inside, inside.queries, input.apiId);
      await authorize(inside, "apis.deleteApi", apiResource(row), row.account);
      await deleteRow(inside.queries, row.api.id);
      await countInAccount(inside.queries, row.api.accountId, { apis: -1 });
      return {};
    }),
);
