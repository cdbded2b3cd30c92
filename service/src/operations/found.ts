/** Look-ups. What is not in the caller's account is not found, whether or not it exists. */

import { ApiError, NOT_FOUND } from "keyward/http";
import { type ApiRow, findApi } from "../store/apis.js";
import { findKey, type KeyRow } from "../store/keys.js";
import type { Queries } from "../store/store.js";
import { findWorkspace, type WorkspaceRow } from "../store/workspaces.js";
import type { Call } from "./operation.js";

type Find<Row> = (queries: Queries, accountId: string, id: string) => Promise<Row | undefined>;

function found<Row>(find: Find<Row>) {
  return async ({ caller }: Call, queries: Queries, id: string): Promise<Row> => {
    const row = await find(queries, caller.key.accountId, id);
    if (row === undefined) throw new ApiError(NOT_FOUND);
    return row;
  };
}

export const foundWorkspace = found<WorkspaceRow>(findWorkspace);
export const foundApi = found<ApiRow>(findApi);
export const foundKey = found<KeyRow>(findKey);
