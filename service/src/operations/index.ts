/** Every operation of the service. */

import { createApi, deleteApi, getApi, updateApi } from "./apis.js";
import { createKey, deleteKey, getKey, updateKey } from "./keys.js";
import { listKeys } from "./list-keys.js";
import type { Operation } from "./operation.js";
import { whoami } from "./whoami.js";
import { createWorkspace } from "./workspaces.js";

export const OPERATIONS: readonly Operation[] = [
  createWorkspace,
  createApi,
  getApi,
  updateApi,
  deleteApi,
  listKeys,
  createKey,
  getKey,
  updateKey,
  deleteKey,
  whoami,
];

export function pathOf({ version, name }: Operation): string {
  return `/${version}/${name}`;
}
