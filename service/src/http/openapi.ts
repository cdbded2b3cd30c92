/** The service's API as an OpenAPI 3.1 document, made from the operations and schemas that serve it. */

import { OpenAPIHono, z } from "@hono/zod-openapi";
import { errorBody } from "keyward";
import { OPERATIONS, pathOf } from "../operations/index.js";
import { IDEMPOTENCY_KEY } from "./idempotency.js";

const json = <Schema extends z.ZodType>(schema: Schema) => ({ "application/json": { schema } });

const requestId = z
  .string()
  .regex(/^req_[\w-]+$/)
  .openapi({ description: "Also in the field x-request-id.", example: "req_5cLmnrwPsxvGnHLSl2XbG1" });
const meta = z.strictObject({ requestId }).openapi("Meta");

const errorEnvelope = z
  .strictObject({
    meta,
    error: z.strictObject({
      detail: z.string(),
      status: z.int().min(400).max(599),
      title: z.string(),
      type: z.url(),
    }),
  })
  .openapi("Error");

const readiness = z
  .strictObject({
    status: z.enum(["ready", "not ready", "shutting down"]),
    policies: z.strictObject({
      hash: z.string().openapi({ description: "Names the policies in force, as in decision records." }),
      refused: z.boolean().openapi({ description: "Whether the files are others by now, and were not taken over." }),
      pdp: z.enum(["unknown", "agree", "differ"]).optional().openapi({
        description: "Where a PDP decides: whether it has decided otherwise than these policies would.",
      }),
    }),
  })
  .openapi("Readiness");

const repeatable = z.object({
  "Idempotency-Key": z.string().regex(IDEMPOTENCY_KEY).optional().openapi({
    description:
      "For 24 hours, a request of the same key with the same value and the same body gets the answer of the first one, with the field `idempotent-replayed`.",
    example: "8e03978e-40d5-43dd-bc93-6894a57f9324",
  }),
});

const conditional = z.object({
  "If-Match": z.string().optional().openapi({
    description: "The `etag` of the version to change; 412 if there is another one by now.",
    example: '"3f0a1b7c9d2e4f5061728394a5b6c7d8"',
  }),
});

const tagged = z.object({
  etag: z.string().openapi({ description: "The version of what was read, for `If-Match`." }),
});

const ERRORS: { readonly [status: number]: string } = {
  400: "The body, or a field of the header, is not what the operation takes.",
  401: "The API key is missing, malformed, unknown, expired, disabled or revoked: the body is the same.",
  403: "Refused. `error.type` ends in `insufficient_permissions` (another key can do it) or `forbidden` (no key can).",
  404: "There is no such thing in the caller's account.",
  405: "The method is not POST.",
  408: "The request did not arrive in time.",
  409: "The name is in use.",
  412: "What `If-Match` names has changed.",
  413: "The body is too large.",
  415: "The body is not `application/json`.",
  422: "The `Idempotency-Key` came with another request before.",
  429: "The API key, its account or the address makes too many requests; `retry-after` says when to come back.",
  431: "The header fields are too large.",
  500: "A fault of the service.",
  503: "The service cannot decide or store at present; `retry-after` says when to come back.",
};

export function openApiDocument(docsUrl: string) {
  const document = new OpenAPIHono();
  const registry = document.openAPIRegistry;
  registry.registerComponent("securitySchemes", "apiKey", { type: "http", scheme: "bearer" });
  const errors = Object.fromEntries(
    Object.entries(ERRORS).map(([status, description]) => [status, { description, content: json(errorEnvelope) }]),
  );
  const refusal = {
    description: ERRORS[403] ?? "",
    content: { "application/json": { schema: errorEnvelope, examples: refusals(docsUrl) } },
  };
  for (const operation of OPERATIONS) {
    const { 403: _, 412: changed, 422: reused, ...others } = errors;
    const { creates = false } = operation;
    const fields = {
      ...(creates ? repeatable.shape : {}),
      ...(operation.conditional === true ? conditional.shape : {}),
    };
    registry.registerPath({
      method: "post",
      path: pathOf(operation),
      operationId: operation.name,
      summary: operation.summary,
      security: [{ apiKey: [] }],
      request: {
        body: { required: true, content: json(operation.input) },
        ...(Object.keys(fields).length > 0 && { headers: z.object(fields) }),
      },
      responses: {
        200: {
          description: "Done.",
          content: json(z.strictObject({ meta, data: operation.output })),
          ...(operation.tagged === true && { headers: tagged }),
        },
        ...others,
        ...(operation.conditional && changed && { 412: changed }),
        ...(creates && reused && { 422: reused }),
        ...(UNDECIDED.has(operation.name) ? {} : { 403: refusal }),
      },
    });
  }
  for (const [path, summary] of [
    ["/healthz", "Whether the process runs."],
    ["/readyz", "Whether it can serve: there is a store, and somebody to decide."],
  ] as const) {
    const status = json(path === "/readyz" ? readiness : z.strictObject({ status: z.string() }));
    const unready = path === "/readyz" ? { 503: { description: "Not now.", content: status } } : {};
    registry.registerPath({
      method: "get",
      path,
      operationId: path.slice(1),
      summary,
      security: [],
      responses: {
        200: { description: "Yes.", content: status },
        405: { description: "The method is not GET or HEAD.", content: json(errorEnvelope) },
        ...unready,
      },
    });
  }
  return document.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Key-management service",
      version: "1",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
      description: `API keys and the APIs that they belong to. Errors are described under https://${docsUrl}/api-reference/errors-v2/service/.`,
    },
    // Relative to the URL of the document.
    servers: [{ url: "/" }],
  });
}

/** Operations that are never refused, as they involve no decision. */
const UNDECIDED: ReadonlySet<string> = new Set(["keys.whoami", "workspaces.listWorkspaces"]);

/** Examples of both kinds of refusal (docs/contract.md §7.2). */
function refusals(docsUrl: string) {
  const requestId = "req_5cLmnrwPsxvGnHLSl2XbG1";
  const example = (outcome: "insufficient_permissions" | "forbidden", summary: string) => ({
    summary,
    value: errorBody({ outcome }, { requestId, docsUrl }),
  });
  return {
    insufficient_permissions: example("insufficient_permissions", "Another key can do it."),
    forbidden: example("forbidden", "No key can do it, as things are."),
  };
}
