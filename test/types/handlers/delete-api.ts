// A handler that deletes an API, by the steps of docs/embedding.md. test/types/handler-mistakes.test.ts makes mistakes in it.

import { type AccountOf, decide, type KeyOf, type PolicySet } from "keyward";
import {
  bearerKey,
  errorResponse,
  INTERNAL_ERROR,
  NOT_FOUND,
  refusalResponse,
  requestIdFrom,
  UNAUTHENTICATED,
} from "keyward/http";
import type { ApiAttributes, Policies } from "shipped";

export interface ApiRow extends ApiAttributes {
  readonly id: string;
  readonly createdAt: Date;
}

export interface Data {
  findKey(secret: string): Promise<KeyOf<Policies> | undefined>;
  /** The API, if it belongs to the account. */
  findApi(id: string, accountId: string): Promise<ApiRow | undefined>;
  findAccount(id: string): Promise<AccountOf<Policies>>;
  removeApi(id: string): Promise<void>;
  report(error: unknown): void;
}

/** Answers `DELETE /apis?id=ID`. */
export function deleteApi(policies: PolicySet<Policies>, data: Data): (request: Request) => Promise<Response> {
  return async (request) => {
    const options = { requestId: requestIdFrom(request.headers), docsUrl: "docs.example.com" };
    const secret = bearerKey(request);
    if (secret._tag === "Left") return errorResponse(UNAUTHENTICATED, options);
    const key = await data.findKey(secret.right);
    if (key === undefined) return errorResponse(UNAUTHENTICATED, options);
    const id = new URL(request.url).searchParams.get("id") ?? "";
    const row = await data.findApi(id, key.attr.accountId);
    if (row === undefined) return errorResponse(NOT_FOUND, options);
    const account = await data.findAccount(row.accountId);
    const resource = { kind: "api", id: row.id, attr: row } as const;
    const decision = decide(policies, { key, operation: "apis.deleteApi", resource, account });
    if (decision.fault !== undefined) {
      data.report(decision.fault);
      return errorResponse(INTERNAL_ERROR, options);
    }
    const refusal = refusalResponse(decision, options);
    if (refusal !== undefined) return refusal;
    await data.removeApi(row.id);
    return Response.json({ id: row.id });
  };
}
