/** Every operation of the service. */

import { createApi, deleteApi, getApi, updateApi } from "./apis.js";
import { createKey, deleteKey, getKey, rerollKey, revokeKey, updateKey } from "./keys.js";
import { listApis } from "./list-apis.js";
import { listKeys } from "./list-keys.js";
import type { Operation } from "./operation.js";
import { verifyKey } from "./verify-key.js";
import { whoami } from "./whoami.js";
import { createWorkspace, deleteWorkspace, getWorkspace, listWorkspaces } from "./workspaces.js";

export const OPERATIONS: readonly Operation[] = [
  createWorkspace,
  getWorkspace,
  listWorkspaces,
  deleteWorkspace,
  createApi,
  listApis,
  getApi,
  updateApi,
  deleteApi,
  listKeys,
  createKey,
  getKey,
  updateKey,
  rerollKey,
  revokeKey,
  deleteKey,
  verifyKey,
  whoami,
];

export function pathOf({ version, name }: Operation): string {
  return `/${version}/${name}`;
}
