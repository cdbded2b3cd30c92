/** The operations that create, read, change and delete APIs. */

import { z } from "@hono/zod-openapi";
import { CREATE_API, DELETE_API, UPDATE_API } from "../store/changes.js";
import { newId } from "../store/ids.js";
import { operation } from "./operation.js";
import { apiResource, workspaceResource } from "./resources.js";
import * as schemas from "./schemas.js";
import { apiView, instantOf } from "./views.js";

const { apiId, workspaceId, name } = schemas;
/** The states that callers can give an API. Only the platform sets `deleting`. */
const state = schemas.apiState.exclude(["deleting"]);

export const createApi = operation(
  {
    name: "apis.createApi",
    version: "v2",
    summary: "Creates an API in a workspace. It starts as a draft, which has no keys.",
    creates: true,
    input: z.strictObject({
      workspaceId,
      name,
      state: state.exclude(["suspended"]).default("draft"),
      deleteProtection: z.boolean().default(false),
    }),
    output: schemas.api,
  },
  (call, input) =>
    call.create({ operation: "apis.createApi", input, output: schemas.api }, async () => {
      const sight = await call.see("workspace", input.workspaceId);
      const { target } = sight;
      const change = () => {
        const { accountId, environment } = target;
        const createdAt = Date.now();
        const own = { id: newId("api"), accountId, environment, system: false, keyCount: 0, createdAt };
        const made = { ...input, ...own, containerSuspended: target.state === "suspended" };
        const { id, state, deleteProtection } = made;
        return {
          statement: CREATE_API,
          values: [id, target.id, input.name, state, deleteProtection, instantOf(createdAt)],
          output: apiView(made),
          about: { apiId: id, state, deleteProtection },
        };
      };
      return { sight, operation: "apis.createApi", resource: workspaceResource(target), change };
    }),
);

export const getApi = operation(
  {
    name: "apis.getApi",
    version: "v2",
    summary: "Reads an API.",
    tagged: true,
    input: z.strictObject({ apiId }),
    output: schemas.api,
  },
  async (call, input) => {
    const sight = await call.see("api", input.apiId);
    await call.authorize({ sight, operation: "apis.getApi", resource: apiResource(sight.target) });
    return call.tagged(apiView(sight.target));
  },
);

export const updateApi = operation(
  {
    name: "apis.updateApi",
    version: "v2",
    summary: "Changes an API's state or delete protection. Only the platform lifts a suspension.",
    tagged: true,
    conditional: true,
    input: schemas.changes({ apiId, state: state.optional(), deleteProtection: z.boolean().optional() }),
    output: schemas.api,
  },
  async (call, input) => {
    const view = await call.change(async () => {
      const sight = await call.see("api", input.apiId);
      const { target } = sight;
      const change = () => {
        call.requireMatch(apiView(target));
        const { state = target.state, deleteProtection = target.deleteProtection } = input;
        return {
          statement: UPDATE_API,
          values: [state, deleteProtection, target.id],
          output: apiView({ ...target, state, deleteProtection }),
          about: { state, deleteProtection },
        };
      };
      return { sight, operation: "apis.updateApi", resource: apiResource(target), change };
    });
    return call.tagged(view);
  },
);

export const deleteApi = operation(
  {
    name: "apis.deleteApi",
    version: "v2",
    summary: "Deletes an API that has no keys, and the records of revoked ones.",
    conditional: true,
    input: z.strictObject({ apiId }),
    output: schemas.nothing,
  },
  (call, input) =>
    call.change(async () => {
      const sight = await call.see("api", input.apiId);
      const change = () => {
        call.requireMatch(apiView(sight.target));
        return { statement: DELETE_API, values: [sight.target.id], output: {}, about: {} };
      };
      return { sight, operation: "apis.deleteApi", resource: apiResource(sight.target), change };
    }),
);
