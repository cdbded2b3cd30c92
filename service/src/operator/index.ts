/** Every action of operators. */

import { ACCOUNT_ACTIONS } from "./accounts.js";
import type { OperatorAction } from "./action.js";
import { CONTAINER_ACTIONS } from "./containers.js";
import { KEY_ACTIONS } from "./keys.js";

export const ACTIONS: readonly OperatorAction[] = [...ACCOUNT_ACTIONS, ...CONTAINER_ACTIONS, ...KEY_ACTIONS];
