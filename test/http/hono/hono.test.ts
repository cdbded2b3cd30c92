/** `keyward/http/hono` on Hono. */

import { type Context, Hono } from "hono";
import { describe } from "vitest";
import { authorize, type DecidedEnv } from "../../../src/http/hono/index.js";
import { adapted, adapterCases, answerOf, type Incoming } from "../adapter-cases.js";

const incoming = (c: Context<DecidedEnv>): Incoming => ({ fields: c.req.raw.headers, body: () => c.req.json() });

describe("hono", () => {
  adapterCases(async (options) => {
    const app = new Hono();
    // The handler reads the body again.
    app.post("/v2/apis.deleteApi", authorize(adapted(options, incoming)), async (c) => {
      await c.req.json();
      return c.json(answerOf(c.var.decided));
    });
    return {
      send: async (body, fields) => {
        const headers = new Headers();
        for (const [name, value] of fields) headers.append(name, value);
        return app.request("/v2/apis.deleteApi", { method: "POST", body, headers });
      },
      stop: async () => {},
    };
  });
});
