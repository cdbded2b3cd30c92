/** `keyward/http/express` on Express, of both versions. */

import { createRequire } from "node:module";
import express5, { type ErrorRequestHandler, type Request } from "express";
import { describe, expect, test } from "vitest";
import { answerErrors, authorize, decided, jsonBody } from "../../../src/http/express/index.js";
import { adapted, adapterCases, answerOf, BODY_LIMIT, type Incoming, THROW, thrownBy } from "../adapter-cases.js";
import { served } from "../over-the-wire.js";

const PATH = "/v2/apis.deleteApi";
const incoming = (request: Request): Incoming => ({
  fields: request,
  body: async () => jsonBody(request),
});

/** The two have the same types as far as they are used here. */
const express4: typeof express5 = createRequire(import.meta.url)("express-4");

test("these are two versions", () => {
  expect([express4, express5].map((express) => express.application !== undefined)).toEqual([true, true]);
  expect(express4).not.toBe(express5);
});

describe.each([
  ["4", express4],
  ["5", express5],
])("express %s", (_, express) => {
  adapterCases(async (options) => {
    const app = express();
    app.use(express.json({ limit: BODY_LIMIT, strict: false }));
    app.post(PATH, authorize(adapted(options, incoming)), (request, response) => {
      const what = request.header(THROW);
      if (what !== undefined) throw thrownBy(what);
      response.json(answerOf(decided(request)));
    });
    const { docsUrl, service } = options;
    app.use(
      answerErrors({
        docsUrl,
        service,
        onError: (error, request, id) => options.onError(error, incoming(request), id),
      }),
    );
    return served(app, PATH);
  });

  /** One request to an application of its own. */
  async function answered(app: ReturnType<typeof express>, body = "{}", type = "application/json") {
    const server = await served(app, PATH);
    try {
      const response = await server.send(body, [["content-type", type]]);
      return { status: response.status, text: await response.text() };
    } finally {
      await server.stop();
    }
  }

  test("a handler that does not stand behind authorize has no decision", async () => {
    const app = express();
    app.post(PATH, (request, response) => {
      expect(() => decided(request)).toThrow("authorize");
      response.json({});
    });
    expect((await answered(app)).status).toBe(200);
  });

  test("a body that no parser took is 400, and one in a character set that there is not 415", async () => {
    const app = express();
    app.use(express.json());
    app.post(PATH, (request, response) => response.json(jsonBody(request)));
    app.use(answerErrors({ docsUrl: "docs.example.com", onError: () => {} }));
    expect((await answered(app, '{"a":1}')).text).toBe('{"a":1}');
    expect((await answered(app, '{"a":1}', "application/json; charset=klingon")).status).toBe(415);
    // Express 4 has an empty body where there is none.
    if (express === express5) expect((await answered(app, "a=1", "text/plain")).status).toBe(400);
  });

  test("what another middleware exposes is told as Express tells it", async () => {
    const app = express();
    app.post(PATH, () => {
      throw Object.assign(new Error("slow down"), { status: 429, expose: true });
    });
    app.use(answerErrors({ docsUrl: "docs.example.com", onError: () => expect.unreachable() }));
    const told: ErrorRequestHandler = (error, _request, response, _next) => response.status(error.status).end("told");
    app.use(told);
    expect(await answered(app)).toEqual({ status: 429, text: "told" });
  });

  test("a response that is under way when the decision comes ends in Express's error handler", async () => {
    const app = express();
    const errors: unknown[] = [];
    app.post(
      PATH,
      (_request, response, next) => {
        response.write("late");
        next();
      },
      authorize({
        docsUrl: "docs.example.com",
        decide: () => expect.unreachable(),
        key: () => expect.unreachable(),
        operation: "a",
        resource: () => expect.unreachable(),
        account: () => expect.unreachable(),
        onError: () => {},
      }),
    );
    const last: ErrorRequestHandler = (error, _request, response, _next) => {
      errors.push(error);
      response.end();
    };
    app.use(last);
    await answered(app);
    expect(errors).toMatchObject([{ code: "ERR_HTTP_HEADERS_SENT" }]);
  });
});
