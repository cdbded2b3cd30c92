/** Hints on the shipped policies: the examples of docs/ask-or-stop.md, and the laws on random requests. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide, type Hint, hintsOf } from "../../src/index.js";
import { type PlainRequest, shippedRequest } from "../property/arbitraries/index.js";
import { bundledSets } from "../support/bundles.js";
import { hostileKey } from "../support/hostile.js";
import { shipped } from "../support/policies.js";
import { ask, holder, KINDS } from "../support/requests.js";
import { say } from "../support/seed.js";
import { sized } from "../support/size.js";
import { expectLeastFirst, expectUseful, hintsFor } from "./hint-laws.js";

const permission = (...permissions: string[]): Hint => ({ permissions });
const role = (name: string): Hint => ({ permissions: [], roles: [name] });

describe("the hints for one request", () => {
  test.each<[string, PlainRequest, readonly Hint[]]>([
    [
      "of a viewer that deletes an API",
      ask("apis.deleteApi", { roles: ["viewer"] }),
      [permission("api.api_1.delete_api"), permission("api.*.delete_api"), role("admin")],
    ],
    [
      "of a key that reads a key: not by the API of that key",
      ask("keys.getKey", holder("api.api_2.read_key")),
      [
        permission("key.key_1.read_key"),
        permission("key.*.read_key"),
        permission("api.*.read_key"),
        role("viewer"),
        role("editor"),
        role("admin"),
      ],
    ],
    [
      "of a viewer that creates an API",
      ask("apis.createApi", { roles: ["viewer"] }),
      [
        permission("workspace.ws_1.create_api"),
        permission("api.*.create_api"),
        permission("workspace.*.create_api"),
        role("admin"),
      ],
    ],
    [
      "of a viewer that deletes an API with the id *",
      ask("apis.deleteApi", { roles: ["viewer"], resourceId: "*" }),
      [permission("api.*.delete_api"), role("admin")],
    ],
    ["of a key that is allowed", ask("apis.deleteApi"), []],
    ["of a forbidden operation", ask("apis.deleteApi", { roles: ["viewer"], resource: { system: true } }), []],
    ["of a key of another account", ask("apis.deleteApi", { roles: ["viewer"], key: { accountId: "acc_2" } }), []],
    ["of a key of another environment", ask("apis.deleteApi", { key: { environment: "development" } }), []],
    ["of a key of another workspace", ask("apis.deleteApi", { key: { workspaceIds: ["ws_2"] } }), []],
    [
      "of a key without a list of permissions",
      ask("apis.deleteApi", { roles: ["viewer"], key: { permissions: 1 } }),
      [],
    ],
    ["of an operation that no policy knows", ask("apis.renameApi", { roles: ["viewer"] }), []],
  ])("%s", (_, request, hints) => {
    expect(hintsFor(shipped, request)).toEqual(hints);
  });

  test("three, if no limit is given", () => {
    const request = ask("keys.getKey", holder());
    const decision = decide(shipped, request);
    const all = hintsFor(shipped, request);
    expect(hintsOf(shipped, decision, request)).toEqual(all.slice(0, 3));
    for (const limit of [0, 1, 2, 5])
      expect(hintsOf(shipped, decision, request, { limit })).toEqual(all.slice(0, limit));
    for (const limit of [-1, Number.NaN, undefined]) {
      expect(hintsOf(shipped, decision, request, { limit })).toEqual(all.slice(0, 3));
    }
  });

  test("name attributes of the resource only if it may be disclosed", () => {
    const request = ask("keys.getKey", holder());
    expect(hintsFor(shipped, request, true)).toContainEqual(permission("api.api_1.read_key"));
  });
});

test("a bundle gives the hints of the set that it was built from", async () => {
  const { module, text } = await bundledSets(shipped);
  for (const [operation, kind] of Object.entries(KINDS)) {
    const request = ask(operation, holder());
    const hints = hintsFor(shipped, request);
    expect(hints.length, kind).toBeGreaterThan(0);
    for (const bundle of [module, text]) expect(hintsFor(bundle, request)).toEqual(hints);
  }
});

test("what is no request, decision or policy set has no hints, and nothing throws", () => {
  const request = ask("apis.deleteApi", { roles: ["viewer"] });
  const decision = decide(shipped, request);
  const calls: readonly (readonly unknown[])[] = [
    [],
    [undefined, undefined, undefined],
    [shipped, decision, null],
    [shipped, decision, "request"],
    [shipped, { outcome: "insufficient_permissions" }, request],
    [shipped, decision, new Proxy(request, { get: () => expect.fail() })],
    [{}, decision, request],
    [shipped, decide(shipped, ask("apis.deleteApi")), request],
    [shipped, { ...decision, fault: { kind: "evaluation", path: "", message: "" } }, request],
    [shipped, { ...decision, outcome: "forbidden" }, request],
    [shipped, decision, ask("apis.deleteApi")],
  ];
  for (const call of calls) expect(Reflect.apply(hintsOf, undefined, call)).toEqual([]);
  expect(Reflect.apply(hintsOf, undefined, [shipped, decision, request, null])).toEqual([]);
});

test("a request whose getters ask for hints of the request itself comes to an end", () => {
  const request: PlainRequest = ask("apis.deleteApi", { roles: ["viewer"] });
  const decision = decide(shipped, request);
  Object.defineProperty(request.key.attr, "accountId", {
    enumerable: true,
    get: () => {
      hintsOf(shipped, decision, request);
      return "acc_1";
    },
  });
  expect(hintsOf(shipped, decision, request)).toHaveLength(3);
});

const REQUESTS = sized(10_000, 200);

test("each hint replays and is needed, none is given for a prohibition, and the least powerful is first", () => {
  let given = 0;
  let ordered = 0;
  const others = fc.sample(shippedRequest(), { numRuns: sized(30, 8), seed: 3 });
  fc.assert(
    fc.property(shippedRequest(), (request) => {
      const before = structuredClone(request);
      const hints = hintsFor(shipped, request);
      expect(request).toEqual(before);
      expectUseful(shipped, request, hints);
      const around = others.flatMap((other) => [
        { ...other, resource: { ...other.resource, attr: { ...other.resource.attr } } },
        {
          ...other,
          resource: request.resource,
          operation: KINDS[other.operation] === request.resource.kind ? other.operation : request.operation,
        },
      ]);
      ordered += expectLeastFirst(shipped, request, hints, [request, ...around]);
      given += hints.length;
    }),
    { numRuns: REQUESTS },
  );
  say(`hints of shipped policies: ${given} hints, ${ordered} pairs of them ordered, for ${REQUESTS} requests`);
  expect(given).toBeGreaterThan(sized(4_000, 60));
  expect(ordered).toBeGreaterThan(sized(2_000, 30));
});

test("two resources that differ in their attributes alone have the same hints, or one has none", () => {
  let both = 0;
  fc.assert(
    fc.property(shippedRequest(), shippedRequest(), (request, { resource }) => {
      if (request.resource.kind !== resource.kind) return;
      const { accountId = null, environment = null, workspaceId = null } = request.resource.attr;
      const place =
        request.resource.attr.workspaceId === undefined
          ? { accountId, environment }
          : { accountId, environment, workspaceId };
      const other = { ...request, resource: { ...request.resource, attr: { ...resource.attr, ...place } } };
      const [one, two] = [hintsFor(shipped, request), hintsFor(shipped, other)];
      if (one.length === 0 || two.length === 0) return;
      expect(one).toEqual(two);
      both += 1;
    }),
    { numRuns: REQUESTS * 2 },
  );
  expect(both).toBeGreaterThan(sized(800, 12));
});

test("no key of any form makes it throw", () => {
  fc.assert(
    fc.property(shippedRequest(), hostileKey, (request, make) => {
      const hostile = Object.assign({ ...request }, { key: make() });
      expect(Array.isArray(hintsOf(shipped, decide(shipped, hostile), hostile))).toBe(true);
    }),
    { numRuns: sized(1_000, 60) },
  );
});
