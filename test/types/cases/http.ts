// `guard` and the middlewares.

import express, { type Request } from "express";
import { type FastifyRequest, fastify } from "fastify";
import { type Context, type Env, Hono } from "hono";
import { type DecisionRequest, decide, type KeyOf, type PolicySet, type ResourceOf } from "keyward";
import { type CheckClient, remoteDecider } from "keyward/cerbos";
import { ApiError, bearerKey, decisionRecord, guard, NOT_FOUND, UNAUTHENTICATED } from "keyward/http";
import { decided, jsonBody, authorize as onExpress } from "keyward/http/express";
import { jsonBody as bodyOfFastify, decided as decidedOnFastify, authorize as onFastify } from "keyward/http/fastify";
import { authorize as onHono } from "keyward/http/hono";
import type { Policies } from "shipped";

declare const policies: PolicySet<Policies>;
declare const untyped: PolicySet;
declare const client: CheckClient;

interface Caller {
  id: string;
  roles: ("viewer" | "admin")[];
  attr: KeyOf<Policies>["attr"];
  name: string;
}
interface Account {
  id: string;
  attr: { plan: "pro"; status: "active"; limits: Counts; usage: Counts; holds: string[] };
}
interface Counts {
  apis: number;
  keys: number;
}
declare const caller: Caller;
declare const owner: Account;
declare const api: ResourceOf<Policies, "api">;
declare const workspace: ResourceOf<Policies, "workspace">;
const common = { docsUrl: "docs.example.com", onError: () => {} };
const typed = (request: DecisionRequest<Policies>) => decide(policies, request);
interface Incoming {
  readonly apiId: string;
}

//! right: a guard that keeps the caller's types
{
  const check = guard({
    ...common,
    decide: (request: DecisionRequest<Policies>) => decide(policies, request),
    key: async (_: Incoming) => (Math.random() > 0.5 ? caller : new ApiError(UNAUTHENTICATED)),
    operation: "apis.deleteApi",
    resource: (_, { key }) => (key.name === "" ? new ApiError(NOT_FOUND) : api),
    account: (_, { resource }) => ({ ...owner, id: resource.attr.accountId }),
    onDecision: (one) => void decisionRecord({ ...one, policySetHash: one.request.key.name }),
  });
  check({ apiId: "a" }).then((guarded) => {
    if (guarded.allowed) String([guarded.decided.request.key.name, guarded.decided.request.resource.attr.keyCount]);
  });
}
//! right: a decider of servers
guard({
  ...common,
  decide: remoteDecider(client, policies),
  key: (_: Incoming) => caller,
  operation: "apis.createApi",
  resource: () => workspace,
  account: () => owner,
});
//! right: an operation that is found out
guard({
  ...common,
  decide: typed,
  key: (_: Incoming) => caller,
  operation: ({ apiId }) => (apiId === "" ? "apis.getApi" : "apis.updateApi"),
  resource: () => api,
  account: () => owner,
});
//! right: a resource in place, and a row
guard({
  ...common,
  decide: typed,
  key: (_: Incoming) => caller,
  operation: "apis.getApi",
  resource: async ({ apiId }) => ({ kind: "api", id: apiId, attr: api.attr }),
  account: () => owner,
});
//! right: untyped, with the caller's types
guard({
  ...common,
  decide: (request) => decide(untyped, request),
  key: (_: Incoming) => ({ id: "k", roles: ["whatever"], attr: owner, name: "n" }),
  operation: "x",
  resource: (_, { key }) => ({ kind: key.name, id: "y", attr: { owner: "z" } }),
  account: (_, { resource }) => ({ id: resource.attr.owner }),
});
//! right: Hono, with what it decided in the context
new Hono().post(
  "/",
  onHono({
    ...common,
    decide: typed,
    key: () => caller,
    operation: "apis.deleteApi",
    resource: async (c) => ({ ...api, id: await c.req.text() }),
    account: () => owner,
  }),
  (c) => {
    const name: string = c.var.decided.request.key.name;
    const operation: "apis.deleteApi" = c.var.decided.request.operation;
    return c.json({ name, operation });
  },
);
//! right: Express and Fastify
{
  const options = { ...common, decide: typed, operation: "apis.getApi" } as const;
  const rest = { key: () => caller, resource: () => api, account: () => owner };
  express().post("/", onExpress({ ...options, ...rest }), (request, response) => {
    const { decision } = decided<Policies>(request);
    decision.platform.reasons.some(({ reason }) => reason === "quota_exceeded");
    response.json(decided(request).requestId);
  });
  fastify().post("/", { preHandler: onFastify({ ...options, ...rest }) }, async () => "");
}

//! right: Fastify, in place, with the parameters and the body of the route
fastify().delete<{ Params: { apiId: string }; Body: { reason: string } }>(
  "/apis/:apiId",
  {
    preHandler: onFastify({
      ...common,
      decide: typed,
      key: (request) => (bearerKey(request)._tag === "Left" ? new ApiError(UNAUTHENTICATED) : caller),
      operation: "apis.deleteApi",
      resource: (request) => ({ ...api, id: request.params.apiId + request.body.reason.slice(1) }),
      account: (request) => ({ ...owner, id: request.params.apiId }),
    }),
  },
  async (request) => [request.params.apiId, decidedOnFastify(request).requestId, bodyOfFastify(request)],
);
//! right: Fastify, in a list of hooks, with a parameter that says its type
fastify().delete<{ Params: { apiId: string } }>(
  "/apis/:apiId",
  {
    preHandler: [
      onFastify({
        ...common,
        decide: typed,
        key: () => caller,
        operation: "apis.deleteApi",
        resource: ({ params }: FastifyRequest<{ Params: { apiId: string } }>) => ({ ...api, id: params.apiId }),
        account: () => owner,
      }),
    ],
  },
  async (request) => request.params.apiId,
);
//! right: Express, with the parameters of the route
express().delete(
  "/apis/:apiId",
  onExpress({
    ...common,
    decide: typed,
    key: (request) => (bearerKey(request)._tag === "Left" ? new ApiError(UNAUTHENTICATED) : caller),
    operation: "apis.deleteApi",
    resource: ({ params }: Request<{ apiId: string }>) => ({ ...api, id: params.apiId }),
    account: () => owner,
  }),
  (request, response) => {
    response.json([request.params.apiId.length, decided(request).requestId, jsonBody(request)]);
  },
);
//! right: Express, in place, with the parameters that the route states
express().delete<{ apiId: string }>(
  "/apis/:apiId",
  onExpress({
    ...common,
    decide: typed,
    key: () => caller,
    operation: "apis.deleteApi",
    resource: (request) => ({ ...api, id: request.params.apiId }),
    account: (request) => ({ ...owner, id: request.params.apiId }),
  }),
  (request, response) => {
    response.json(request.params.apiId.length);
  },
);
//! right: Express, before a handler that gets the parameters of its path, and for any route
{
  const getApi = onExpress({
    ...common,
    decide: typed,
    key: () => caller,
    operation: "apis.getApi",
    resource: ({ params }) => ({ ...api, id: String(params.apiId) }),
    account: () => owner,
  });
  express().get("/apis/:apiId", getApi, (request, response) => {
    response.json(request.params.apiId.length);
  });
  express.Router().use(getApi);
}
//! right: Hono, with the path of the route
new Hono().delete(
  "/apis/:apiId",
  onHono({
    ...common,
    decide: typed,
    key: (c) => (bearerKey(c.req)._tag === "Left" ? new ApiError(UNAUTHENTICATED) : caller),
    operation: "apis.deleteApi",
    resource: (c: Context<Env, "/apis/:apiId">) => ({ ...api, id: c.req.param("apiId") }),
    account: () => owner,
  }),
  (c) => c.json([c.req.param("apiId").length, c.var.decided.requestId]),
);
//! right: an answer of its own to a reason that a layer gives
guard({
  ...common,
  decide: typed,
  key: (_: Incoming) => caller,
  operation: "apis.deleteApi",
  resource: () => api,
  account: () => owner,
  answer: ({ platform }, { apiId }) =>
    apiId !== "" && platform.reasons.some(({ reason }) => reason === "quota_exceeded")
      ? new ApiError({ status: 402, category: "account", code: "quota", detail: "More APIs need another plan" })
      : undefined,
});

//! wrong(quota_exceded): an answer to a reason that no rule gives
guard({
  ...common,
  decide: typed,
  key: (_: Incoming) => caller,
  operation: "apis.deleteApi",
  resource: () => api,
  account: () => owner,
  answer: ({ platform }) =>
    platform.reasons.some(({ reason }) => reason === "quota_exceded") ? new ApiError(NOT_FOUND) : undefined,
});
//! wrong(boolean): an answer that would let a refusal pass
guard({
  ...common,
  decide: typed,
  key: (_: Incoming) => caller,
  operation: "apis.deleteApi",
  resource: () => api,
  account: () => owner,
  answer: () => true,
});
//! wrong(apiIdd): Fastify, a parameter that the route does not have
fastify().delete<{ Params: { apiId: string } }>(
  "/apis/:apiId",
  {
    preHandler: onFastify({
      ...common,
      decide: typed,
      key: () => caller,
      operation: "apis.deleteApi",
      resource: (request) => ({ ...api, id: request.params.apiIdd }),
      account: () => owner,
    }),
  },
  async () => "",
);
//! wrong(apiIdd): Express, a parameter that the route does not have
express().delete<{ apiId: string }>(
  "/apis/:apiId",
  onExpress({
    ...common,
    decide: typed,
    key: () => caller,
    operation: "apis.deleteApi",
    resource: (request) => ({ ...api, id: request.params.apiIdd }),
    account: () => owner,
  }),
);
//! wrong(apiIdd): Express, a parameter that the path does not have
express().get(
  "/apis/:apiId",
  onExpress({
    ...common,
    decide: typed,
    key: () => caller,
    operation: "apis.getApi",
    resource: () => api,
    account: () => owner,
  }),
  (request, response) => {
    response.json(request.params.apiIdd);
  },
);
//! wrong(undefined): Hono, a parameter that the path does not have
new Hono().delete(
  "/apis/:apiId",
  onHono({
    ...common,
    decide: typed,
    key: () => caller,
    operation: "apis.deleteApi",
    resource: (c: Context<Env, "/apis/:apiId">) => ({ ...api, id: c.req.param("apiIdd").slice(1) }),
    account: () => owner,
  }),
);
//! wrong(apis.delteApi): an operation that is misspelt
guard({
  ...common,
  decide: typed,
  key: (_: Incoming) => caller,
  operation: "apis.delteApi",
  resource: () => api,
  account: () => owner,
});
//! wrong(workspace): a resource that the operation cannot be on
guard({
  ...common,
  decide: typed,
  key: (_: Incoming) => caller,
  operation: "apis.deleteApi",
  resource: () => workspace,
  account: () => owner,
});
//! wrong(superuser): a key with a role that nobody has
guard({
  ...common,
  decide: typed,
  key: (_: Incoming) => ({ ...caller, roles: ["superuser" as const] }),
  operation: "apis.deleteApi",
  resource: () => api,
  account: () => owner,
});
//! wrong(nmae): what the caller's key does not have
guard({
  ...common,
  decide: typed,
  key: (_: Incoming) => caller,
  operation: "apis.deleteApi",
  resource: (_, { key }) => (key.nmae === "" ? new ApiError(NOT_FOUND) : api),
  account: () => owner,
});
//! wrong(undefined): a key that may not be there
guard({
  ...common,
  decide: typed,
  key: (_: Incoming) => (Math.random() > 0.5 ? caller : undefined),
  operation: "apis.deleteApi",
  resource: () => api,
  account: () => owner,
});
//! wrong(gold): an account with a plan that is none
guard({
  ...common,
  decide: typed,
  key: (_: Incoming) => caller,
  operation: "apis.deleteApi",
  resource: () => api,
  account: () => ({ id: "a", attr: { ...owner.attr, plan: "gold" as const } }),
});
//! wrong(decide): nobody decides
guard({
  ...common,
  key: (_: Incoming) => caller,
  operation: "apis.deleteApi",
  resource: () => api,
  account: () => owner,
});
//! wrong(nmae): Hono, what the key does not have
new Hono().post(
  "/",
  onHono({
    ...common,
    decide: typed,
    key: () => caller,
    operation: "apis.deleteApi",
    resource: () => api,
    account: () => owner,
  }),
  (c) => c.json({ name: c.var.decided.request.key.nmae }),
);
//! wrong(decidd): Hono, what the context does not have
new Hono().post(
  "/",
  onHono({
    ...common,
    decide: typed,
    key: () => caller,
    operation: "apis.deleteApi",
    resource: () => api,
    account: () => owner,
  }),
  (c) => c.json({ id: c.var.decidd.requestId }),
);
//! wrong(apis.delteApi): Express
onExpress({
  ...common,
  decide: typed,
  key: () => caller,
  operation: "apis.delteApi",
  resource: () => api,
  account: () => owner,
});
//! wrong(quota_exceded): Express, a reason
express().post("/", (request) => {
  decided<Policies>(request).decision.platform.reasons.some(({ reason }) => reason === "quota_exceded");
});
//! wrong(apis.delteApi): Fastify
onFastify({
  ...common,
  decide: typed,
  key: () => caller,
  operation: "apis.delteApi",
  resource: () => api,
  account: () => owner,
});
