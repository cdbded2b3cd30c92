/** `keyward/http/express` on Express. */

import express, { type Request } from "express";
import { describe, expect, test } from "vitest";
import { authorize, decided } from "../../../src/http/express/index.js";
import { adapted, adapterCases, answerOf, type Incoming } from "../adapter-cases.js";
import { served } from "../over-the-wire.js";

const PATH = "/v2/apis.deleteApi";
const incoming = (request: Request): Incoming => ({ fields: request.headersDistinct, body: async () => request.body });

describe("express", () => {
  adapterCases(async (options) => {
    const app = express();
    app.use(express.json());
    app.post(PATH, authorize(adapted(options, incoming)), (request, response) => {
      response.json(answerOf(decided(request)));
    });
    return served(app, PATH);
  });

  test("a handler that does not stand behind authorize has no decision", async () => {
    const app = express();
    app.post(PATH, (request, response) => {
      expect(() => decided(request)).toThrow("authorize");
      response.json({});
    });
    const server = await served(app, PATH);
    try {
      expect((await server.send("{}", [])).status).toBe(200);
    } finally {
      await server.stop();
    }
  });
});
