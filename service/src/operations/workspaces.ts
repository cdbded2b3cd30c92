/** The operations on workspaces. */

import { z } from "@hono/zod-openapi";
import { ApiError } from "keyward/http";
import { CONFLICT } from "../http/problems.js";
import { CREATE_WORKSPACE, DELETE_WORKSPACE } from "../store/changes.js";
import { newId } from "../store/ids.js";
import { WORKSPACES_OF_ACCOUNT } from "../store/lists.js";
import type { WorkspaceRow } from "../store/rows.js";
import { cursor, limit, nextCursor } from "./cursor.js";
import { operation } from "./operation.js";
import { workspaceResource } from "./resources.js";
import * as schemas from "./schemas.js";
import { instantOf, workspaceView } from "./views.js";

const CREATE = "workspaces.createWorkspace";

/** The operation, for policies, of creating a workspace in an account that has as many as it may have. */
const CREATE_BEYOND_LIMIT = "workspaces.createBeyondLimit";

export const createWorkspace = operation(
  {
    name: CREATE,
    version: "v2",
    summary: "Creates a workspace in an environment. Names are unique in an account.",
    creates: true,
    input: z.strictObject({ name: schemas.name, environment: schemas.environment }),
    output: schemas.workspace,
  },
  (call, input) =>
    call.create({ operation: CREATE, input, output: schemas.workspace }, async () => {
      const { name, environment } = input;
      const sight = await call.seeIfAny("nothing", "");
      const { account } = sight;
      // Decided on the future workspace: a key that is limited to certain workspaces does not reach it.
      const workspace = { id: newId("ws"), accountId: account.id, environment, state: "active" } as const;
      const change = () => {
        const createdAt = instantOf(Date.now());
        return {
          statement: CREATE_WORKSPACE,
          values: [workspace.id, name, environment, createdAt],
          output: { workspaceId: workspace.id, name, environment, state: workspace.state, apiCount: 0, createdAt },
          about: { environment },
          conflict: { constraint: "workspaces_name", error: new ApiError(CONFLICT) },
        };
      };
      const operation = account.usedWorkspaces < account.limitWorkspaces ? CREATE : CREATE_BEYOND_LIMIT;
      return { sight, operation, resource: workspaceResource(workspace), change };
    }),
);

/** The operation, for policies, of deleting a workspace. */
export function workspaceDeletionOf({ apiCount }: Pick<WorkspaceRow, "apiCount">): string {
  return apiCount === 0 ? "workspaces.deleteWorkspace" : "workspaces.deleteWithApis";
}

export const deleteWorkspace = operation(
  {
    name: "workspaces.deleteWorkspace",
    version: "v2",
    summary: "Deletes a workspace that has no APIs. Keys that could reach it keep their other workspaces.",
    input: z.strictObject({ workspaceId: schemas.workspaceId }),
    output: schemas.nothing,
  },
  (call, input) =>
    call.change(async () => {
      const sight = await call.see("workspace", input.workspaceId);
      const { target } = sight;
      const change = () => ({ statement: DELETE_WORKSPACE, values: [target.id], output: {}, about: {} });
      return { sight, operation: workspaceDeletionOf(target), resource: workspaceResource(target), change };
    }),
);

/** The operation, for policies, of reading a workspace: a key that may list the APIs of a workspace may see it. */
const READ_WORKSPACE = "apis.listApis";

export const getWorkspace = operation(
  {
    name: "workspaces.getWorkspace",
    version: "v2",
    summary: "Reads a workspace. Policies decide it as apis.listApis.",
    input: z.strictObject({ workspaceId: schemas.workspaceId }),
    output: schemas.workspace,
  },
  async (call, input) => {
    const sight = await call.see("workspace", input.workspaceId);
    await call.authorize({ sight, operation: READ_WORKSPACE, resource: workspaceResource(sight.target) });
    return workspaceView(sight.target);
  },
);

const place = { of: ({ id }: WorkspaceRow) => id, first: "", form: /^[\w-]{1,64}$/ };

export const listWorkspaces = operation(
  {
    name: "workspaces.listWorkspaces",
    version: "v2",
    summary:
      "Lists the workspaces that `workspaces.getWorkspace` would be allowed for. No permission is needed to ask.",
    input: z.strictObject({ limit, cursor: cursor.optional() }),
    output: z.strictObject({ workspaces: z.array(schemas.workspace), nextCursor }),
  },
  async (call, page) => {
    const sight = await call.seeIfAny("nothing", "");
    const accountId = sight.account.id;
    const listing = {
      list: WORKSPACES_OF_ACCOUNT,
      within: accountId,
      sight,
      operation: READ_WORKSPACE,
      kind: "workspace",
      common: { accountId },
      resourceOf: workspaceResource,
      place,
    };
    const { items, nextCursor } = await call.list<WorkspaceRow>(listing, page);
    return { workspaces: items.map(workspaceView), nextCursor };
  },
);
