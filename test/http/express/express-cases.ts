/** The cases of `keyward/http/express`, for each version of Express. */

import type express5 from "express";
import type { ErrorRequestHandler, Request } from "express";
import { expect, test } from "vitest";
import { answerErrors, authorize, decided, jsonBody } from "../../../src/http/express/index.js";
import { adapted, adapterCases, answerOf, BODY_LIMIT, type Incoming, THROW, thrownBy } from "../adapter-cases.js";
import { served } from "../over-the-wire.js";

const PATH = "/v2/apis.deleteApi";
const incoming = (request: Request): Incoming => ({
  fields: request,
  body: async () => jsonBody(request),
});

/** `express` is either version. The cases use only parts that have the types of version 5. */
export function expressCases(express: typeof express5, version: 4 | 5): void {
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

  /** Sends one request to a new application. */
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
    // For an unparsed body Express 4 has `{}`, so only version 5 answers 400.
    if (version === 5) expect((await answered(app, "a=1", "text/plain")).status).toBe(400);
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

  test("a path that the router cannot decode has Express's own status", async () => {
    const app = express();
    app.post("/keys/:id", (_request, response) => response.json({}));
    app.use(answerErrors({ docsUrl: "docs.example.com", onError: () => expect.unreachable() }));
    const server = await served(app, "/keys/%zz");
    const { status } = await server.send("{}", []);
    await server.stop();
    expect(status).toBe(400);
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
}
