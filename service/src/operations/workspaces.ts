/** The operation that creates a workspace. */

import { z } from "@hono/zod-openapi";
import { ApiError } from "keyward/http";
import { CONFLICT } from "../http/problems.js";
import { newId } from "../store/ids.js";
import { CREATE_WORKSPACE } from "../store/statements.js";
import { operation } from "./operation.js";
import { workspaceResource } from "./resources.js";
import * as schemas from "./schemas.js";
import { instantOf } from "./views.js";

export const createWorkspace = operation(
  {
    name: "workspaces.createWorkspace",
    version: "v2",
    summary: "Creates a workspace in an environment. Names are unique in an account.",
    creates: true,
    input: z.strictObject({ name: schemas.name, environment: schemas.environment }),
    output: schemas.workspace,
  },
  (call, input) =>
    call.create({ input, output: schemas.workspace }, async () => {
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
          output: { workspaceId: workspace.id, name, environment, state: workspace.state, createdAt },
          about: { environment },
          conflict: { constraint: "workspaces_name", error: new ApiError(CONFLICT) },
        };
      };
      return { sight, operation: "workspaces.createWorkspace", resource: workspaceResource(workspace), change };
    }),
);
