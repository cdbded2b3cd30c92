/** The operator's actions on workspaces and APIs: suspensions by the platform. */

import { z } from "zod";
import { apiView, workspaceView } from "../operations/views.js";
import type { ApiRow, WorkspaceRow } from "../store/rows.js";
import { ActionRefused, changed, changing, id } from "./action.js";
import { listOf } from "./listing.js";
import { CHANGES } from "./statements.js";

function ownWorkspaceView(row: WorkspaceRow) {
  const { workspaceId, ...view } = workspaceView(row);
  return { workspaceId, accountId: row.accountId, ...view };
}

/** `state` is the API's own, and `stateInForce` is also suspended while its workspace is. */
function ownApiView(row: ApiRow) {
  const { state: stateInForce, ...view } = apiView(row);
  return { ...view, accountId: row.accountId, state: row.state, stateInForce };
}

type WorkspaceState = WorkspaceRow["state"];
type ApiState = ApiRow["state"];

const workspaceState = (name: string, summary: string, state: WorkspaceState) =>
  changing({ name, summary, input: { id } }, async (store, { id }, by) => {
    const { isChanged, target } = await changed<WorkspaceRow>(store, { kind: "workspace", id, by }, (workspace) => {
      if (workspace.state === state) return undefined;
      const before = { state: workspace.state };
      return { statement: CHANGES.workspaceState, values: [id, state], before, change: { state } };
    });
    return { changed: isChanged, workspace: ownWorkspaceView(target) };
  });

/** Sets the state of an API; `next` returns undefined if the state stays. */
async function setApi(
  store: Parameters<typeof changed>[0],
  about: { readonly id: string; readonly by: Parameters<typeof changed>[1]["by"] },
  next: (state: ApiState) => ApiState | undefined,
): Promise<object> {
  const { isChanged, target } = await changed<ApiRow>(store, { kind: "api", ...about }, (api) => {
    const state = next(api.state);
    if (state === undefined) return undefined;
    return { statement: CHANGES.apiState, values: [about.id, state], before: { state: api.state }, change: { state } };
  });
  return { changed: isChanged, api: ownApiView(target) };
}

export const CONTAINER_ACTIONS = [
  listOf("workspaces", "workspaces", ownWorkspaceView),
  workspaceState("workspaces.suspend", "suspends a workspace, with its APIs and their keys", "suspended"),
  workspaceState("workspaces.lift", "lifts the suspension of a workspace", "active"),
  listOf("apis", "APIs", ownApiView),
  changing({ name: "apis.suspend", summary: "suspends an API, with its keys", input: { id } }, (store, { id }, by) =>
    setApi(store, { id, by }, (state) => {
      if (state === "deleting") throw new ActionRefused("the API is being deleted");
      return state === "suspended" ? undefined : "suspended";
    }),
  ),
  changing(
    {
      name: "apis.lift",
      summary: "lifts the suspension of an API, which is active (the default) or a draft then",
      input: { id, state: z.enum(["active", "draft"]).default("active") },
    },
    (store, { id, state }, by) => setApi(store, { id, by }, (own) => (own === "suspended" ? state : undefined)),
  ),
];
