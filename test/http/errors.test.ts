/** Error responses (docs/contract.md §7.1). */

import { describe, expect, test } from "vitest";
import {
  ApiError,
  errorEnvelope,
  errorResponse,
  INTERNAL_ERROR,
  NOT_FOUND,
  REQUEST_ID_HEADER,
  refusalResponse,
  requestIdFrom,
  SERVICE_UNAVAILABLE,
  UNAUTHENTICATED,
} from "../../src/http/index.js";
import { decide, errorBody } from "../../src/index.js";
import { shipped } from "../support/policies.js";
import { ask } from "../support/requests.js";

const options = { requestId: "req_01HXYZ", docsUrl: "docs.example.com" };

describe("§7.1 the envelope of any error", () => {
  test("its fields, in their order, and the title of the status", () => {
    const error = { status: 409, category: "state", code: "already_exists", detail: "There is such an API" };
    expect(JSON.stringify(errorEnvelope(error, options))).toBe(
      '{"meta":{"requestId":"req_01HXYZ"},"error":{"detail":"There is such an API","status":409,"title":"Conflict",' +
        '"type":"https://docs.example.com/api-reference/errors-v2/service/state/already_exists"}}',
    );
  });

  test.each([
    [400, "Bad Request"],
    [401, "Unauthorized"],
    [403, "Forbidden"],
    [404, "Not Found"],
    [405, "Method Not Allowed"],
    [409, "Conflict"],
    [413, "Content Too Large"],
    [415, "Unsupported Media Type"],
    [429, "Too Many Requests"],
    [500, "Internal Server Error"],
    [503, "Service Unavailable"],
  ])("the title of %i is %s", async (status, title) => {
    const response = errorResponse({ status, category: "some", code: "error", detail: "x" }, options);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { status, title } });
  });

  test.each([UNAUTHENTICATED, NOT_FOUND, INTERNAL_ERROR, SERVICE_UNAVAILABLE])(
    "as a response: $status",
    async (error) => {
      const response = errorResponse(error, options);
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get(REQUEST_ID_HEADER)).toBe("req_01HXYZ");
      expect(response.headers.get("www-authenticate")).toBe(error.status === 401 ? "Bearer" : null);
      expect(await response.json()).toEqual(errorEnvelope(error, options));
    },
  );

  test("further fields go with it, and none can take the place of its own", () => {
    const headers = { Allow: "POST", "Content-Type": "text/html", "X-Request-Id": "other" };
    const error = { status: 405, category: "request", code: "method_not_allowed", detail: "Use POST", headers };
    const response = errorResponse(error, options);
    expect(Object.fromEntries(response.headers)).toEqual({
      allow: "POST",
      "cache-control": "no-store",
      "content-type": "application/json",
      "x-request-id": "req_01HXYZ",
    });
  });

  const good = { status: 400, category: "request", code: "invalid", detail: "x" };
  test.each([
    ["a status that is no error", { ...good, status: 200 }],
    ["a status that is no number", { ...good, status: 400.5 }],
    ["a status without a name", { ...good, status: 499 }],
    ["a category that leads elsewhere", { ...good, category: "../other" }],
    ["a code with a query", { ...good, code: "x?y=1" }],
    ["an empty code", { ...good, code: "" }],
    ["the category of refusals", { ...good, status: 403, category: "authorization", code: "forbidden" }],
  ])("%s is refused", (_, error) => {
    expect(() => errorEnvelope(error, options)).toThrow(TypeError);
    expect(() => errorResponse(error, options)).toThrow(TypeError);
    expect(() => new ApiError(error)).toThrow(TypeError);
  });

  test("so are a request id and an address that are none", () => {
    expect(() => errorResponse(good, { ...options, requestId: "01HXYZ" })).toThrow(TypeError);
    expect(() => errorResponse(good, { ...options, docsUrl: "https://docs.example.com" })).toThrow(TypeError);
  });

  test("an error that is thrown has its message and cause for itself", async () => {
    const cause = new Error("connect ECONNREFUSED 10.0.0.5");
    const error = new ApiError({ ...good, title: "Own" }, { message: "key kw_secret", cause });
    expect([error.message, error.cause, error.name]).toEqual(["key kw_secret", cause, "ApiError"]);
    const text = await errorResponse(error, options).text();
    expect(JSON.parse(text)).toMatchObject({ error: { detail: "x", title: "Own" } });
    expect(text).not.toMatch(/secret|ECONN/);
  });
});

describe("§7.2 refusals", () => {
  test.each([
    ["insufficient_permissions", ask("keys.createKey", { roles: ["viewer"] })],
    ["forbidden", ask("apis.deleteApi", { resource: { system: true } })],
  ])("%s has the body of errorBody", async (outcome, request) => {
    const decision = decide(shipped, request);
    expect(decision.outcome).toBe(outcome);
    const response = refusalResponse(decision, options);
    expect(response?.status).toBe(403);
    expect(response?.headers.get("content-type")).toBe("application/json");
    expect(response?.headers.get(REQUEST_ID_HEADER)).toBe("req_01HXYZ");
    expect(await response?.text()).toBe(JSON.stringify(errorBody(decision, options)));
  });

  test("what is allowed has none", () => {
    expect(refusalResponse(decide(shipped, ask("apis.getApi")), options)).toBeUndefined();
  });
});

describe("the id that a request comes with", () => {
  const of = (id: string) => requestIdFrom(new Headers({ "X-Request-Id": id }));

  test.each(["req_1", "req_01HXYZ-a_b", `req_${"x".repeat(124)}`])("%s is taken over", (id) => {
    expect(of(id)).toBe(id);
  });

  test.each(["", "req_", "1", "req_a b", "req_a, req_b", "req_é", 'req_"', `req_${"x".repeat(125)}`])(
    "%j is not",
    (id) => {
      expect(of(id)).toMatch(/^req_\w{22}$/);
      expect(of(id)).not.toBe(of(id));
    },
  );

  test("without one there is a new one", () => {
    expect(requestIdFrom(new Headers())).toMatch(/^req_\w{22}$/);
  });
});
