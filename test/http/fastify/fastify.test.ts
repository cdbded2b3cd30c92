/** `keyward/http/fastify` on Fastify. */

import { type FastifyRequest, fastify } from "fastify";
import { describe, expect, test } from "vitest";
import { authorize, decided } from "../../../src/http/fastify/index.js";
import { adapted, adapterCases, answerOf, type Incoming } from "../adapter-cases.js";
import { served } from "../over-the-wire.js";

const PATH = "/v2/apis.deleteApi";
const incoming = (request: FastifyRequest): Incoming => ({
  fields: request.raw.headersDistinct,
  body: async () => request.body,
});

describe("fastify", () => {
  adapterCases(async (options) => {
    const app = fastify();
    app.post(PATH, { preHandler: authorize(adapted(options, incoming)) }, async (request) =>
      answerOf(decided(request)),
    );
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
