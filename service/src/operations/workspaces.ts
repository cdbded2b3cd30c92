/** Workspaces. */

import { z } from "@hono/zod-openapi";
import { ApiError } from "keyward/http";
import { CONFLICT } from "../http/problems.js";
import { findAccount } from "../store/accounts.js";
import { violates } from "../store/faults.js";
import { newId } from "../store/ids.js";
import { insertWorkspace, WORKSPACE_NAME } from "../store/workspaces.js";
import { authorize } from "./authorize.js";
import { change } from "./change.js";
import { operation } from "./operation.js";
import { workspaceResource } from "./resources.js";
import * as schemas from "./schemas.js";

export const createWorkspace = operation(
  {
    name: "workspaces.createWorkspace",
    version: "v2",
    summary: "Creates a workspace in an environment. Names are unique in an account.",
    input: z.strictObject({ name: schemas.name, environment: schemas.environment }),
    output: schemas.workspace,
  },
  (call, { name, environment }) =>
    change(call, async (inside) => {
      const { queries, caller } = inside;
      const account = await findAccount(queries, caller.key.accountId);
      // Decided on as it would be: a key that is limited to certain workspaces does not reach a new one.
      const workspace = {
        id: newId("ws"),
        accountId: account.id,
        name,
        environment,
        state: "active",
        createdAt: new Date(),
      } as const;
      await authorize(inside, "workspaces.createWorkspace", workspaceResource({ workspace }), account);
      await insertWorkspace(queries, workspace).catch((error: unknown) => {
        throw violates(error, WORKSPACE_NAME) ? new ApiError(CONFLICT, { cause: error }) : error;
      });
      const { id, state, createdAt } = workspace;
      return { workspaceId: id, name, environment, state, createdAt: createdAt.toISOString() };
    }),
);
