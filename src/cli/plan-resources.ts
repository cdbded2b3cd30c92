/** `keyward plan-resources`: answers PlanResources requests as the Cerbos server's HTTP API does. */

import { PLAN_METHOD } from "../cerbos/json-api.js";
import { apiCommand } from "./api-command.js";
import { PLAN_RESOURCES } from "./api-usage.js";
import type { ExitCode, Streams } from "./exit.js";

export async function planResourcesCommand(args: readonly string[], streams: Streams): Promise<ExitCode> {
  return await apiCommand(PLAN_RESOURCES, PLAN_METHOD, args, streams);
}
