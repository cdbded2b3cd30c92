/** Each `error.type` is the address of a page, which the service serves and the site has. */

import { fileURLToPath } from "node:url";
import * as http from "keyward/http";
import { describe, expect, test } from "vitest";
import { errorPages } from "../../site/error-pages.mjs";
import { ERROR_PAGES } from "../src/http/error-pages.js";
import * as problems from "../src/http/problems.js";
import { openNewPglite } from "./support/databases.js";
import { useService } from "./support/fixture.js";
import { answerOf, DOCS, type TestService } from "./support/service.js";
import type { World } from "./support/world.js";

describe("the pages of errors", () => {
  let service: TestService;
  let world: World;
  useService(openNewPglite, (made) => ({ service, world } = made));

  test("are at the addresses that answers name", async () => {
    const { admin, viewer, active, system } = world;
    const requests: [string | undefined, unknown][] = [
      [undefined, {}],
      [admin.secret, "{"],
      [admin.secret, '{"apiId":"a","apiId":"a"}'],
      [admin.secret, {}],
      [admin.secret, { apiId: "api_none" }],
      [admin.secret, "x".repeat(70_000)],
      [viewer.secret, { apiId: active }],
      [admin.secret, { apiId: system }],
    ];
    const seen = new Set<string>();
    for (const [key, body] of requests) {
      const { error } = (await service.call("/v2/apis.deleteApi", key, body)).body;
      seen.add(error.type);
      expect(error.type.startsWith(`https://${DOCS}/`)).toBe(true);
      const response = await service.app.request(new URL(error.type).pathname);
      expect([error.type, response.status]).toEqual([error.type, 200]);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
      const page = await response.text();
      expect(page).toContain(`<h1>${error.type.split("/").slice(-2).join("/")}</h1>`);
      if (error.status !== 400) expect(page).toContain(error.detail);
    }
    expect(seen.size).toBe(requests.length);
  });

  test("are there for every error of the service, once each", () => {
    const isDescription = (value: unknown): value is http.ErrorDescription =>
      typeof value === "object" && value !== null && "category" in value && "code" in value;
    const { NOT_FOUND, UNAUTHENTICATED, INTERNAL_ERROR, SERVICE_UNAVAILABLE, BODY_TOO_LARGE } = http;
    const all = [
      ...Object.values(problems).filter(isDescription),
      ...[NOT_FOUND, UNAUTHENTICATED, INTERNAL_ERROR, SERVICE_UNAVAILABLE, BODY_TOO_LARGE],
      ...[problems.methodNotAllowed("POST"), problems.rateLimited(1, "The account"), problems.invalidBody("x")],
    ].map(({ category, code }) => `${category}/${code}`);
    const refusals = ["authorization/insufficient_permissions", "authorization/forbidden"];
    expect(ERROR_PAGES.map(({ name }) => name).sort()).toEqual([...new Set([...all, ...refusals])].sort());
    for (const { path, name } of ERROR_PAGES) expect(path).toBe(`/api-reference/errors-v2/service/${name}`);
  });

  test("are read, and nothing else", async () => {
    const [{ path } = { path: "" }] = ERROR_PAGES;
    const posted = await service.call(path, world.admin.secret, {});
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    const none = await answerOf(await service.app.request("/api-reference/errors-v2/service/authorization/none"));
    expect(none.status).toBe(404);
    expect(none.body.error.type).toMatch(/request\/unknown_operation$/);
  });

  test("are pages of the site, too", () => {
    const root = fileURLToPath(new URL("../..", import.meta.url));
    const pages = new Map<string, string>(errorPages(root));
    for (const { path, detail } of ERROR_PAGES) expect(pages.get(`${path.slice(1)}.md`)).toContain(detail);
    expect(pages.size).toBe(ERROR_PAGES.length + 1);
    expect([...pages.values()].join("")).not.toMatch(/<[A-Z]/);
  });
});
