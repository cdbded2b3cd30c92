/** The pieces of code in which the frameworks differ. */

export const FRAMEWORKS = ["fastify", "express", "hono"] as const;

export type Framework = (typeof FRAMEWORKS)[number];

interface FrameworkCode {
  readonly imports: string;
  /** The type of the program. */
  readonly app: string;
  /** The type of a request. */
  readonly request: string;
  /** The header fields of `request`. */
  readonly fields: string;
  /** The import that gives a handler the decision, if it needs one. */
  readonly decided: readonly string[];
  readonly create: string;
  /** A guarded route, up to the work; then the work and the response. */
  readonly routeStart: string;
  readonly routeEnd: string;
  /** The route of a list, up to its query; then its response. */
  readonly listStart: string;
  readonly listEnd: string;
  /** After all routes. */
  readonly end: string;
}

export const FRAMEWORK_CODE: { readonly [framework in Framework]: FrameworkCode } = {
  fastify: {
    imports: 'import { type FastifyInstance, type FastifyRequest, fastify } from "fastify";\n',
    app: "FastifyInstance",
    request: "FastifyRequest",
    fields: "request",
    decided: ["decided"],
    create: `  const app = fastify({ bodyLimit: 100_000 });
  app.setErrorHandler(answerErrors({ docsUrl, onError }));
`,
    routeStart: `app.post(\`/v1/\${operation}\`, { preHandler: allowed }, async (request) => {`,
    routeEnd:
      "return await service.perform[operation](decided<Policies>(request).request.resource, jsonBody(request));",
    listStart: `app.post(\`/v1/\${operation}\`, async (request) => {`,
    listEnd: "return { resources };",
    end: "",
  },
  express: {
    imports: 'import express, { type Express, type Request } from "express";\n',
    app: "Express",
    request: "Request",
    fields: "request",
    decided: ["decided"],
    create: `  const app = express().use(express.json({ limit: 100_000 }));
`,
    routeStart: `app.post(\`/v1/\${operation}\`, allowed, async (request: Request, response) => {`,
    routeEnd:
      "response.json(await service.perform[operation](decided<Policies>(request).request.resource, jsonBody(request)));",
    listStart: `app.post(\`/v1/\${operation}\`, async (request, response) => {`,
    listEnd: "response.json({ resources });",
    end: "  app.use(answerErrors({ docsUrl, onError }));\n",
  },
  hono: {
    imports: `import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
`,
    app: "Hono",
    request: "Context",
    fields: "request.req",
    decided: [],
    create: `  const app = new Hono();
  app.use(bodyLimit({ maxSize: 100_000 }));
  app.onError(answerErrors({ docsUrl, onError }));
`,
    routeStart: `app.post(\`/v1/\${operation}\`, allowed, async (c) => {`,
    routeEnd: "return c.json(await service.perform[operation](c.var.decided.request.resource, await jsonBody(c)));",
    listStart: `app.post(\`/v1/\${operation}\`, async (request) => {`,
    listEnd: "return request.json({ resources });",
    end: "",
  },
};
