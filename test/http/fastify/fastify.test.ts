/** `keyward/http/fastify` on Fastify. */

import { type FastifyRequest, fastify } from "fastify";
import { left, right } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { answerErrors, authorize, decided, jsonBody } from "../../../src/http/fastify/index.js";
import { bearerKey } from "../../../src/http/index.js";
import { adapted, adapterCases, answerOf, BODY_LIMIT, type Incoming, THROW, thrownBy } from "../adapter-cases.js";
import { served } from "../over-the-wire.js";

const PATH = "/v2/apis.deleteApi";
const incoming = (request: FastifyRequest): Incoming => ({
  fields: request,
  body: async () => jsonBody(request),
});

describe("fastify", () => {
  adapterCases(async (options) => {
    const app = fastify({ bodyLimit: BODY_LIMIT });
    const { docsUrl, service } = options;
    app.setErrorHandler(
      answerErrors({
        docsUrl,
        service,
        onError: (error, request, id) => options.onError(error, incoming(request), id),
      }),
    );
    app.post(PATH, { preHandler: authorize(adapted(options, incoming)) }, async (request) => {
      const what = request.headers[THROW];
      if (what !== undefined) throw thrownBy(String(what));
      return answerOf(decided(request));
    });
    await app.ready();
    const server = await served((request, response) => app.routing(request, response), PATH);
    return {
      send: server.send,
      stop: async () => {
        await server.stop();
        await app.close();
      },
    };
  });

  test("a type that no parser takes is 415, and what another plugin exposes is told as Fastify tells it", async () => {
    const app = fastify();
    app.setErrorHandler(answerErrors({ docsUrl: "docs.example.com", onError: () => expect.unreachable() }));
    app.post("/", async (request) => jsonBody(request));
    app.get("/", async () => {
      throw Object.assign(new Error("slow down"), { statusCode: 429, code: "FST_LIMIT" });
    });
    const headers = { "content-type": "application/xml" };
    const refused = await app.inject({ method: "POST", url: "/", payload: "<a/>", headers });
    expect([refused.statusCode, refused.json().error.type]).toEqual([
      415,
      "https://docs.example.com/api-reference/errors-v2/service/request/unsupported_media_type",
    ]);
    const told = await app.inject("/");
    expect([told.statusCode, told.json().message]).toEqual([429, "slow down"]);
    await app.close();
  });

  test("a plugin's 403 is the envelope's, and its 5xx a fault", async () => {
    const app = fastify();
    const errors: unknown[] = [];
    app.setErrorHandler(answerErrors({ docsUrl: "docs.example.com", onError: (error) => errors.push(error) }));
    const codes = { 403: "FST_CSRF_INVALID_TOKEN", 503: "FST_UNDER_PRESSURE" };
    const thrown = Object.entries(codes).map(([status, code]) =>
      Object.assign(new Error("hunter2"), { statusCode: Number(status), code }),
    );
    app.get("/:i", async (request) => {
      throw thrown[Number(Object(request.params).i)];
    });
    const answers = [await app.inject("/0"), await app.inject("/1")].map((one) => [one.statusCode, one.json().error]);
    expect(answers).toMatchObject([
      [403, { type: expect.stringMatching(/authorization\/forbidden$/), detail: "This operation is not allowed" }],
      [500, { type: expect.stringMatching(/server\/internal_error$/) }],
    ]);
    expect(errors).toEqual(thrown);
    await app.close();
  });

  test("what requestId throws is not told", async () => {
    const app = fastify();
    const errors: unknown[] = [];
    const fault = new Error("hunter2");
    app.setErrorHandler(
      answerErrors({
        docsUrl: "docs.example.com",
        requestId: ({ url }) => {
          if (url === "/") throw fault;
          return "no id: hunter2";
        },
        onError: (error) => errors.push(error),
      }),
    );
    app.get("/*", async () => {
      throw new Error("first");
    });
    for (const url of ["/", "/malformed"]) {
      const { statusCode, payload } = await app.inject(url);
      expect([statusCode, payload.includes("hunter2")]).toEqual([500, false]);
    }
    expect(errors).toMatchObject([fault, { message: "first" }, { name: "TypeError" }, { message: "first" }]);
    await app.close();
  });

  test("the key is found under inject, and of two none is", async () => {
    const app = fastify();
    app.get("/", async (request) => bearerKey(request));
    const ask = async (headers: object) => (await app.inject({ url: "/", headers: { ...headers } })).json();
    expect(await ask({ authorization: "Bearer kw_abc" })).toEqual(right("kw_abc"));
    expect(await ask({ authorization: ["Bearer a", "Bearer b"] })).toEqual(left("several"));
    expect(await ask({})).toEqual(left("missing"));
    await app.close();
  });

  test("a handler that does not stand behind authorize has no decision", async () => {
    const app = fastify();
    app.get("/", async (request) => {
      expect(() => decided(request)).toThrow("authorize");
      return {};
    });
    expect((await app.inject("/")).statusCode).toBe(200);
    await app.close();
  });
});
