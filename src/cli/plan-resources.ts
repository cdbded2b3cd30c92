/** `keyward plan-resources`: answers PlanResources requests as the Cerbos server's HTTP API does. */

import { toJson } from "@bufbuild/protobuf";
import { PlanResourcesRequestSchema } from "@cerbos/api/cerbos/request/v1/request_pb";
import { PlanResourcesResponseSchema } from "@cerbos/api/cerbos/response/v1/response_pb";
import * as E from "fp-ts/lib/Either.js";
import { planRequestFault } from "../cerbos/plan-request-faults.js";
import { planResources } from "../cerbos/plan-resources.js";
import { type ApiMethod, apiCommand } from "./api-command.js";
import { PLAN_RESOURCES } from "./api-usage.js";
import type { ExitCode, Streams } from "./exit.js";

const METHOD: ApiMethod<typeof PlanResourcesRequestSchema> = {
  usage: PLAN_RESOURCES,
  request: PlanResourcesRequestSchema,
  fault: planRequestFault,
  auxData: ({ auxData }) => auxData,
  answer: (engine, request, context) => {
    const response = planResources(engine, request, context);
    if ("fault" in response) return E.left(`there is no query plan: ${response.fault}`);
    return E.right(toJson(PlanResourcesResponseSchema, response));
  },
};

export async function planResourcesCommand(args: readonly string[], streams: Streams): Promise<ExitCode> {
  return await apiCommand(METHOD, args, streams);
}
