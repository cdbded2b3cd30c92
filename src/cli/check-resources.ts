/** `keyward check-resources`: answers CheckResources requests as the Cerbos server's HTTP API does. */

import { CHECK_METHOD } from "../cerbos/json-api.js";
import { apiCommand } from "./api-command.js";
import { CHECK_RESOURCES } from "./api-usage.js";
import type { ExitCode, Streams } from "./exit.js";

export async function checkResourcesCommand(args: readonly string[], streams: Streams): Promise<ExitCode> {
  return await apiCommand(CHECK_RESOURCES, CHECK_METHOD, args, streams);
}
