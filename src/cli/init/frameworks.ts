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
  /** The imports of the test, between those of `node:assert` and `node:test`. */
  readonly testImports: string;
  /** Starts `app`, and defines `send(path, init)`, a function that gives its responses. */
  readonly start: string;
  /** Stops the server of `start`. */
  readonly stop: string;
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
    testImports: "",
    start: `  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const send = (path: string, init: RequestInit) => fetch(url + path, init);
`,
    stop: "await app.close();",
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
    testImports: `import { once } from "node:events";
import type { AddressInfo } from "node:net";
`,
    start: `  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const send = (path: string, init: RequestInit) => fetch(\`http://127.0.0.1:\${port}\${path}\`, init);
`,
    stop: "server.close();",
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
    testImports: "",
    start: `  const send = async (path: string, init: RequestInit) => await app.request(path, init);
`,
    stop: "",
  },
};
