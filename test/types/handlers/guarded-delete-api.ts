// A handler that deletes an API, with `guard`. test/types/handler-mistakes.test.ts makes mistakes in it.

import { type DecisionRequest, decide, type KeyOf, type PolicySet, type ResourceOf } from "keyward";
import { ApiError, bearerKey, guard, NOT_FOUND, UNAUTHENTICATED } from "keyward/http";
import type { Policies } from "shipped";
import type { Data } from "./delete-api.js";

/** Answers `DELETE /apis?id=ID`. */
export function deleteApi(policies: PolicySet<Policies>, data: Data): (request: Request) => Promise<Response> {
  const check = guard({
    docsUrl: "docs.example.com",
    decide: (asked: DecisionRequest<Policies>) => decide(policies, asked),
    operation: "apis.deleteApi",
    key: async (request: Request): Promise<KeyOf<Policies> | ApiError> => {
      const secret = bearerKey(request);
      const key = secret._tag === "Right" ? await data.findKey(secret.right) : undefined;
      return key ?? new ApiError(UNAUTHENTICATED);
    },
    resource: async (request, { key }): Promise<ResourceOf<Policies, "api"> | ApiError> => {
      const id = new URL(request.url).searchParams.get("id") ?? "";
      const row = await data.findApi(id, key.attr.accountId);
      return row === undefined ? new ApiError(NOT_FOUND) : { kind: "api", id: row.id, attr: row };
    },
    account: (_, { resource }) => data.findAccount(resource.attr.accountId),
    onError: (error) => data.report(error),
  });
  return async (request) => {
    const guarded = await check(request);
    if (!guarded.allowed) {
      const { status, headers, body } = guarded.reply;
      return new Response(JSON.stringify(body), { status, headers });
    }
    const { id } = guarded.decided.request.resource;
    await data.removeApi(id);
    return Response.json({ id });
  };
}
