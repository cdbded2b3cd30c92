/** `keyward check-resources`: answers CheckResources requests as the Cerbos server's HTTP API does. */

import { CheckResourcesRequestSchema } from "@cerbos/api/cerbos/request/v1/request_pb";
import * as E from "fp-ts/lib/Either.js";
import { checkResourcesJson } from "../cerbos/check-resources.js";
import { requestFault } from "../cerbos/request-faults.js";
import { type ApiMethod, apiCommand } from "./api-command.js";
import { CHECK_RESOURCES } from "./api-usage.js";
import type { ExitCode, Streams } from "./exit.js";

const METHOD: ApiMethod<typeof CheckResourcesRequestSchema> = {
  usage: CHECK_RESOURCES,
  request: CheckResourcesRequestSchema,
  fault: requestFault,
  auxData: ({ auxData }) => auxData,
  answer: (engine, request, context) => E.right(checkResourcesJson(engine, request, context)),
};

export async function checkResourcesCommand(args: readonly string[], streams: Streams): Promise<ExitCode> {
  return await apiCommand(METHOD, args, streams);
}
