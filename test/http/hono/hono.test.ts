/** `keyward/http/hono` on Hono. */

import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import { describe, expect, test } from "vitest";
import { answerErrors, authorize, type DecidedEnv, jsonBody } from "../../../src/http/hono/index.js";
import { adapted, adapterCases, answerOf, BODY_LIMIT, type Incoming, THROW, thrownBy } from "../adapter-cases.js";

const incoming = (c: Context<DecidedEnv>): Incoming => ({ fields: c.req, body: () => jsonBody(c) });

describe("hono", () => {
  adapterCases(async (options) => {
    const app = new Hono<DecidedEnv>();
    const { docsUrl, service } = options;
    app.onError(answerErrors({ docsUrl, service, onError: (error, c, id) => options.onError(error, incoming(c), id) }));
    app.use(bodyLimit({ maxSize: BODY_LIMIT }));
    // The handler must be able to read the body again.
    app.post("/v2/apis.deleteApi", authorize(adapted(options, incoming)), async (c) => {
      await c.req.json();
      const what = c.req.header(THROW);
      if (what !== undefined) throw thrownBy(what);
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

  test("a body of another type is refused, as browsers send some without asking; one without a type is read", async () => {
    const app = new Hono();
    app.onError(answerErrors({ docsUrl: "docs.example.com", onError: () => expect.unreachable() }));
    app.post("/", async (c) => c.json(await jsonBody(c)));
    const statusOf = async (type: string | undefined) => {
      const headers = type === undefined ? {} : { "content-type": type };
      // Bytes have no type of their own.
      const response = await app.request("/", { method: "POST", body: new TextEncoder().encode('{"a":1}'), headers });
      return response.status;
    };
    const refused = [
      "text/plain",
      "text/plain;charset=UTF-8",
      "multipart/form-data",
      "application/x-www-form-urlencoded",
    ];
    for (const type of [...refused, "text/json", "application/jsonp", "text/plain; application/json", ""]) {
      expect([type, await statusOf(type)]).toEqual([type, type === "" ? 200 : 415]);
    }
    for (const type of [
      undefined,
      "application/json",
      "Application/JSON; charset=utf-8",
      "application/merge-patch+json",
    ]) {
      expect([type, await statusOf(type)]).toEqual([type, 200]);
    }
  });

  test("what a handler throws as Hono's own exception is answered as it says", async () => {
    const app = new Hono();
    app.onError(answerErrors({ docsUrl: "docs.example.com", onError: () => expect.unreachable() }));
    app.get("/", () => {
      throw new HTTPException(400, { message: "the name is too long" });
    });
    const response = await app.request("/");
    expect([response.status, await response.text()]).toEqual([400, "the name is too long"]);
  });

  test("a 403 of Hono's own middlewares is the envelope's, whatever they would answer", async () => {
    const app = new Hono();
    const errors: unknown[] = [];
    app.onError(
      answerErrors({
        docsUrl: "docs.example.com",
        category: "access",
        onError: (error) => errors.push(error),
      }),
    );
    const thrown = [
      new HTTPException(403, { message: "hunter2" }),
      new HTTPException(403, { res: new Response("hunter2", { headers: { "x-secret": "hunter2" } }) }),
      Object.assign(new Error("hunter2"), { getResponse: () => new Response("hunter2", { status: 403 }) }),
    ];
    app.get("/:i", (c) => {
      throw thrown[Number(c.req.param("i"))];
    });
    for (const i of thrown.keys()) {
      const response = await app.request(`/${i}`);
      expect([response.status, response.headers.get("x-secret")]).toEqual([403, null]);
      expect(await response.json()).toMatchObject({
        error: {
          type: "https://docs.example.com/api-reference/errors-v2/service/access/forbidden",
          detail: "This operation is not allowed",
        },
      });
    }
    expect(errors).toEqual(thrown);
  });
});
