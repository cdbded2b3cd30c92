/** The tests that every client of `@cerbos/core` must pass, with the policies of `STORE`. */

import type { CheckResourcesRequest, Client, Options } from "@cerbos/core";
import { expect, test, vi } from "vitest";
import type { CerbosClient } from "../../src/cerbos/client.js";
import { token } from "./store.js";

/** The copy of `@cerbos/core` that the client uses. */
export type ClientLibrary = Pick<typeof import("@cerbos/core"), "NotOK" | "Service" | "Status" | "ValidationFailed">;

export type MakeClient = (options?: Pick<Options, "onValidationError">) => Client;

export const ann = { id: "ann", roles: ["user"], attr: { level: 1 } };
export const doc = { kind: "document", id: "d1", attr: { owner: "ann", size: 3 } };

export const numbers = (count: number) => Array.from({ length: count }, (_, i) => String(i));

export async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => expect.fail(`resolved: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
}

/** The status of a promise that rejects with `NotOK`. */
export async function statusOf(
  { NotOK, Status }: Pick<ClientLibrary, "NotOK" | "Status">,
  promise: Promise<unknown>,
): Promise<number> {
  const error = await failure(promise);
  expect(error).toBeInstanceOf(NotOK);
  return error instanceof NotOK ? error.code : Status.UNKNOWN;
}

export function clientCases({ NotOK, Service, Status, ValidationFailed }: ClientLibrary, make: MakeClient): void {
  const status = (promise: Promise<unknown>) => statusOf({ NotOK, Status }, promise);

  test("isAllowed", async () => {
    const client = make();
    expect(await client.isAllowed({ principal: ann, resource: doc, action: "view" })).toBe(true);
    expect(await client.isAllowed({ principal: ann, resource: doc, action: "edit" })).toBe(true);
    expect(await client.isAllowed({ principal: { ...ann, id: "bob" }, resource: doc, action: "edit" })).toBe(false);
    expect(await client.isAllowed({ principal: { ...ann, id: "root" }, resource: doc, action: "any" })).toBe(true);
    expect(await client.isAllowed({ principal: ann, resource: { ...doc, kind: "other" }, action: "view" })).toBe(false);
  });

  test("checkResource, with metadata and outputs", async () => {
    const result = await make().checkResource({
      principal: ann,
      resource: { ...doc, attr: { ...doc.attr, size: 12 } },
      actions: ["view", "edit", "delete"],
      includeMetadata: true,
    });
    expect(result.resource).toEqual({ kind: "document", id: "d1", policyVersion: "", scope: "" });
    expect(result.actions).toEqual({ view: "EFFECT_ALLOW", edit: "EFFECT_DENY", delete: "EFFECT_DENY" });
    expect(result.validationErrors).toEqual([]);
    expect(result.metadata).toEqual({
      actions: Object.fromEntries(
        ["view", "edit", "delete"].map((action) => [
          action,
          { matchedPolicy: "resource.document.vdefault", matchedScope: "" },
        ]),
      ),
      effectiveDerivedRoles: ["owner"],
    });
    const outputs = [...result.outputs].sort((a, b) => a.source.localeCompare(b.source));
    // The server stops at the first rule that denies, so the output of an allowing rule may be missing.
    expect(outputs).toContainEqual({
      source: "resource.document.vdefault#big",
      action: "edit",
      value: { size: 12 },
      error: undefined,
    });
    expect(result.output("resource.document.vdefault#big")).toEqual({ size: 12 });
  });

  test("no metadata unless asked for", async () => {
    const result = await make().checkResource({ principal: ann, resource: doc, actions: ["view"] });
    expect(result.metadata).toBeUndefined();
  });

  test("checkResources", async () => {
    const response = await make().checkResources({
      requestId: "r1",
      principal: ann,
      resources: [
        { resource: doc, actions: ["view", "edit"] },
        { resource: { ...doc, scope: "acme" }, actions: ["view", "edit"] },
        { resource: { ...doc, scope: "." }, actions: ["view"] },
        { resource: { ...doc, policyVersion: "v9" }, actions: ["view"] },
        { resource: doc, actions: ["view"] },
      ],
    });
    expect(response.requestId).toBe("r1");
    expect(response.cerbosCallId).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    expect(response.results.map(({ actions }) => actions)).toEqual([
      { view: "EFFECT_ALLOW", edit: "EFFECT_ALLOW" },
      { view: "EFFECT_DENY", edit: "EFFECT_ALLOW" },
      { view: "EFFECT_ALLOW" },
      { view: "EFFECT_DENY" },
      { view: "EFFECT_ALLOW" },
    ]);
    expect(response.isAllowed({ resource: { ...doc, scope: "acme" }, action: "view" })).toBe(false);
    expect(response.allAllowed({ kind: "document", id: "d1" })).toBe(true);
  });

  test("planResources", async () => {
    const { cerbosCallId, ...plan } = await make().planResources({
      requestId: "r1",
      principal: ann,
      resource: { kind: "document", attr: { size: 99 }, policyVersion: "default" },
      actions: ["view", "edit"],
      includeMetadata: true,
    });
    expect(cerbosCallId).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    expect(plan).toMatchObject({ kind: "KIND_ALWAYS_DENIED", requestId: "r1", validationErrors: [] });
    const asked = { principal: ann, resource: { kind: "document" }, action: "edit", includeMetadata: true };
    const some = await make().planResources(asked);
    expect(some).toMatchObject({
      kind: "KIND_CONDITIONAL",
      condition: {
        operator: "and",
        operands: [
          { operator: "not", operands: [{ operator: "gt" }] },
          { operator: "eq", operands: [{ name: "request.resource.attr.owner" }, { value: "ann" }] },
        ],
      },
      metadata: { conditionString: expect.stringMatching(/^\(and \(not \(gt request\.resource\.attr\.size /) },
    });
    const invalid = { ...asked, resource: { kind: "document", attr: { size: -1 } } };
    const { validationErrors } = await make().planResources(invalid);
    expect(validationErrors.map(({ path, source }) => [path, source])).toEqual([["/size", "SOURCE_RESOURCE"]]);
  });

  test("withPrincipal", async () => {
    const client = make().withPrincipal(ann, { jwt: { token: token({ level: "admin", aud: "one" }) } });
    expect(await client.isAllowed({ resource: doc, action: "delete" })).toBe(true);
    expect((await client.checkResource({ resource: doc, actions: ["view"] })).allAllowed()).toBe(true);
  });

  test("values of outputs", async () => {
    const result = await make().checkResource({ principal: ann, resource: doc, actions: ["values"] });
    expect(result.outputs.map(({ value }) => value)).toEqual([[1, 2.5, "x", true, null, { a: ["ann"] }, "90s"]]);
  });

  test("tokens: claims as the server hands them out, and what is refused", async () => {
    const ask = (jwt: string, action = "delete") =>
      make().isAllowed({ principal: ann, resource: doc, action, auxData: { jwt: { token: jwt } } });
    expect(await ask(token({ level: "admin", aud: ["two", "one"] }))).toBe(true);
    expect(await ask(token({ level: "admin", aud: "two" }))).toBe(false);
    expect(await ask(token({ exp: 4_000_000_000 }), "expire")).toBe(true);
    expect(await status(ask(token({ exp: 1 })))).toBe(Status.INVALID_ARGUMENT);
    expect(await status(ask(token({ nbf: 4_000_000_000 })))).toBe(Status.INVALID_ARGUMENT);
    expect(await status(ask("a.b.c"))).toBe(Status.INVALID_ARGUMENT);
    expect(await status(ask("no token"))).toBe(Status.INVALID_ARGUMENT);
    expect(await status(ask(""))).toBe(Status.INVALID_ARGUMENT);
  });

  const broken = { ...doc, attr: { size: -1.5 } };
  const faults = [
    { path: "/", message: "missing properties: 'owner'", source: "SOURCE_RESOURCE" },
    { path: "/level", message: "expected number, but got string", source: "SOURCE_PRINCIPAL" },
    { path: "/size", message: "expected integer, but got number", source: "SOURCE_RESOURCE" },
  ];
  const invalid = { principal: { ...ann, attr: { level: "x" } }, resource: broken };
  const sorted = (errors: readonly { readonly path: string }[]) =>
    [...errors].sort((a, b) => (a.path < b.path ? -1 : 1));

  test("validation errors in the result", async () => {
    const result = await make().checkResource({ ...invalid, actions: ["view"] });
    expect(sorted(result.validationErrors)).toEqual(faults);
    expect(result.isAllowed("view")).toBe(true);
    // `peek` is exempt from the resource's schema. Its faults are ignored only if all actions are exempt.
    const peek = await make().checkResource({ ...invalid, actions: ["peek"] });
    expect(peek.validationErrors).toEqual(faults.slice(1, 2));
    expect((await make().checkResource({ ...invalid, actions: ["peek", "view"] })).validationErrors).toHaveLength(3);
  });

  test("validation errors thrown", async () => {
    const error = await failure(make({ onValidationError: "throw" }).isAllowed({ ...invalid, action: "view" }));
    expect(error).toBeInstanceOf(ValidationFailed);
    expect(sorted(error instanceof ValidationFailed ? error.validationErrors : [])).toEqual(faults);
  });

  test("validation errors to a callback", async () => {
    const callback = vi.fn();
    const client = make({ onValidationError: callback });
    expect(await client.isAllowed({ ...invalid, action: "view" })).toBe(true);
    expect(await client.isAllowed({ principal: ann, resource: doc, action: "view" })).toBe(true);
    expect(callback).toHaveBeenCalledTimes(1);
    expect(sorted(callback.mock.calls[0]?.[0])).toEqual(faults);
  });

  const resources = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ resource: { ...doc, id: `d${i}` }, actions: ["view"] }));
  const one = resources(1);
  const refused: readonly [string, CheckResourcesRequest][] = [
    ["no id", { principal: { ...ann, id: "" }, resources: one }],
    ["no roles", { principal: { ...ann, roles: [] }, resources: one }],
    ["an empty role", { principal: { ...ann, roles: [""] }, resources: one }],
    ["a role twice", { principal: { ...ann, roles: ["user", "user"] }, resources: one }],
    ["no resources", { principal: ann, resources: [] }],
    ["no actions", { principal: ann, resources: [{ resource: doc, actions: [] }] }],
    ["an empty action", { principal: ann, resources: [{ resource: doc, actions: ["view", ""] }] }],
    ["an action twice", { principal: ann, resources: [{ resource: doc, actions: ["view", "edit", "view"] }] }],
    ["no kind", { principal: ann, resources: [{ resource: { ...doc, kind: "" }, actions: ["view"] }] }],
    ["no resource id", { principal: ann, resources: [{ resource: { ...doc, id: "" }, actions: ["view"] }] }],
    ["an attribute without a name", { principal: { ...ann, attr: { "": 1 } }, resources: one }],
    ["a version", { principal: { ...ann, policyVersion: "a b" }, resources: one }],
    ["a scope", { principal: { ...ann, scope: "a..b" }, resources: one }],
    ["another scope", { principal: ann, resources: [{ resource: { ...doc, scope: ".a" }, actions: ["view"] }] }],
    ["51 resources", { principal: ann, resources: resources(51) }],
    ["51 actions", { principal: ann, resources: [{ resource: doc, actions: numbers(51) }] }],
    ["a second resource", { principal: ann, resources: [...one, { resource: doc, actions: [] }] }],
  ];

  test.each(refused)("refused: %s", async (_, request) => {
    expect(await status(make().checkResources(request))).toBe(Status.INVALID_ARGUMENT);
  });

  test("at the limits", async () => {
    const actions = numbers(50);
    const response = await make().checkResources({
      principal: ann,
      resources: resources(50).map(({ resource }) => ({ resource, actions })),
    });
    expect(response.results).toHaveLength(50);
    expect(Object.keys(response.results[49]?.actions ?? {})).toHaveLength(50);
  });

  test("hostile names are names", async () => {
    const attr = JSON.parse('{"owner": "ann", "__proto__": {"admin": true}, "constructor": {"prototype": 1}}');
    const client = make();
    expect(await client.isAllowed({ principal: ann, resource: { ...doc, attr }, action: "odd" })).toBe(true);
    for (const name of ["constructor", "toString", "hasOwnProperty", "__proto__"]) {
      expect(await client.isAllowed({ principal: ann, resource: { ...doc, kind: name }, action: "view" })).toBe(false);
      expect(await client.isAllowed({ principal: ann, resource: doc, action: name })).toBe(false);
      expect(await client.isAllowed({ principal: { ...ann, roles: [name] }, resource: doc, action: "view" })).toBe(
        false,
      );
      expect(await client.isAllowed({ principal: { ...ann, id: name }, resource: doc, action: "edit" })).toBe(false);
      if (name === "__proto__") continue;
      expect(await client.isAllowed({ principal: ann, resource: { ...doc, scope: name }, action: "view" })).toBe(false);
    }
  });

  test("nested attributes", async () => {
    let nested: object = {};
    for (let i = 0; i < 90; i++) nested = { nested };
    const attr = { owner: "ann", nested: JSON.parse(JSON.stringify(nested)) };
    expect(await make().isAllowed({ principal: ann, resource: { ...doc, attr }, action: "edit" })).toBe(true);
  });

  test("an aborted request", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    const request = { principal: ann, resource: doc, action: "view" };
    expect(await status(make().isAllowed(request, { signal }))).toBe(Status.CANCELLED);
  });

  test("headers change nothing", async () => {
    const request = { principal: ann, resource: doc, action: "view" };
    expect(await make().isAllowed(request, { headers: { "x-test": "1" } })).toBe(true);
  });

  test("health and version", async () => {
    expect(await make().checkHealth()).toEqual({ status: "SERVING" });
    expect(await make().checkHealth({ service: Service.CERBOS })).toEqual({ status: "SERVING" });
    expect(await make().checkHealth({ service: Service.ADMIN })).toEqual({ status: "DISABLED" });
    expect((await make().serverInfo()).version).not.toBe("");
  });

  test("the admin API is not there", async () => {
    expect(await status(make().listPolicies({}))).toBe(Status.UNIMPLEMENTED);
    expect(await status(make().getPolicies({ ids: ["resource.document.vdefault"] }))).toBe(Status.UNIMPLEMENTED);
    expect(await status(make().addOrUpdateSchemas({ schemas: [{ id: "x.json", definition: {} }] }))).toBe(
      Status.UNIMPLEMENTED,
    );
    expect(await status(make().reloadStore({ wait: true }))).toBe(Status.UNIMPLEMENTED);
  });
}

/** The tests of the clients that can be closed. */
export function closeCases({ NotOK, Status }: ClientLibrary, make: () => CerbosClient): void {
  const status = (promise: Promise<unknown>) => statusOf({ NotOK, Status }, promise);

  test("a closed client", async () => {
    const client = make();
    const ofAnn = client.withPrincipal(ann, { jwt: { token: token({ tenant: "acme" }) } });
    expect(client.close()).toBeUndefined();
    client.close();
    expect(await status(client.isAllowed({ principal: ann, resource: doc, action: "view" }))).toBe(Status.INTERNAL);
    expect(await status(client.planResources({ principal: ann, resource: doc, action: "view" }))).toBe(Status.INTERNAL);
    expect(await status(ofAnn.isAllowed({ resource: doc, action: "view" }))).toBe(Status.INTERNAL);
    expect(await status(client.checkHealth())).toBe(Status.INTERNAL);
    expect(await status(client.serverInfo())).toBe(Status.INTERNAL);
    expect(await make().isAllowed({ principal: ann, resource: doc, action: "view" })).toBe(true);
  });
}
