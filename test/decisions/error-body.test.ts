/** The error body of a refusal, letter for letter (docs/contract.md §7.1 and §7.2). */

import { describe, expect, test } from "vitest";
import { decide, decideAll, decideEach, errorBody, outcomeOf, requestId } from "../../src/index.js";
import { shipped } from "../support/policies.js";
import { ask } from "../support/requests.js";

const options = { requestId: "req_01HXYZ", docsUrl: "docs.example.com" };
const INSUFFICIENT = decide(shipped, ask("keys.createKey", { roles: ["viewer"] }));
const FORBIDDEN = decide(shipped, ask("apis.deleteApi", { resource: { system: true } }));

describe("§7.1 the envelope, and §7.2 its texts", () => {
  test("§7.2 insufficient_permissions", () => {
    expect(errorBody(INSUFFICIENT, options)).toStrictEqual({
      meta: { requestId: "req_01HXYZ" },
      error: {
        detail: "The authenticated API key does not have permission to perform this operation",
        status: 403,
        title: "Forbidden",
        type: "https://docs.example.com/api-reference/errors-v2/service/authorization/insufficient_permissions",
      },
    });
  });

  test("§7.2 forbidden", () => {
    expect(errorBody(FORBIDDEN, options)).toStrictEqual({
      meta: { requestId: "req_01HXYZ" },
      error: {
        detail: "This operation is not allowed",
        status: 403,
        title: "Forbidden",
        type: "https://docs.example.com/api-reference/errors-v2/service/authorization/forbidden",
      },
    });
  });

  test.each([
    ["insufficient_permissions", INSUFFICIENT],
    ["forbidden", FORBIDDEN],
  ])("§7.1 the JSON of %s has these fields, in this order, and no other", (outcome, decision) => {
    expect(decision.outcome).toBe(outcome);
    const json = JSON.stringify(errorBody(decision, options));
    const names = [...json.matchAll(/"(\w+)":/g)].map(([, name]) => name);
    expect(names).toEqual(["meta", "requestId", "error", "detail", "status", "title", "type"]);
  });

  test("§7.1 nothing of the decision is in it: two refusals for different reasons have one body", () => {
    const others = [
      decide(shipped, ask("apis.deleteApi", { resource: { keyCount: 3 }, account: { holds: ["secret"] } })),
      decide(shipped, ask("apis.deleteApi", { resource: { keyCount: null } })),
      decide(shipped, ask("nothing")),
    ];
    for (const other of others) expect(errorBody(other, options)).toStrictEqual(errorBody(FORBIDDEN, options));
  });

  test.each(["", "deny", "toString", "__proto__"])("what has the outcome %o is no decision", (outcome) => {
    expect(() => Reflect.apply(errorBody, undefined, [{ outcome }, options])).toThrow("the decision has no outcome");
  });

  test("allow has no error body, whatever the options", () => {
    const decision = decide(shipped, ask("apis.getApi"));
    expect(decision.outcome).toBe("allow");
    expect(errorBody(decision, options)).toBeUndefined();
  });
});

describe("§7.1 error.type: the address of the error's description", () => {
  test.each(["docs.example.com", "example.com/docs", "localhost:8080", "a", "127.0.0.1", "docs.example.com/v2/en"])(
    "%s stands for {docs_url}",
    (docsUrl) => {
      const body = errorBody(FORBIDDEN, { ...options, docsUrl });
      expect(body?.error.type).toBe(`https://${docsUrl}/api-reference/errors-v2/service/authorization/forbidden`);
      expect(URL.canParse(body?.error.type ?? "")).toBe(true);
    },
  );

  test.each([
    "",
    "https://docs.example.com",
    "//docs.example.com",
    "docs.example.com/",
    "docs.example.com//x",
    "docs example.com",
    "docs.example.com?x=1",
    "docs.example.com#x",
    "user@docs.example.com",
    "docs.example.com\n",
    'docs.example.com/"',
    ".docs.example.com",
    "docs.example.com:http",
    "{docs_url}",
  ])("%j does not", (docsUrl) => {
    expect(() => errorBody(FORBIDDEN, { ...options, docsUrl })).toThrow(TypeError);
  });
});

test.each([undefined, null, 5, ["docs.example.com"]])("%j is no host", (docsUrl) => {
  const given = Object.assign({ requestId: "req_1", docsUrl: "" }, { docsUrl });
  expect(() => errorBody(FORBIDDEN, given)).toThrow(
    new TypeError("docsUrl must be a host, and path if any, without a scheme or final /"),
  );
});

describe("§7.1 meta.requestId: req_ and an opaque string", () => {
  test.each(["req_1", "req_a-b_C", requestId()])("%s is one", (id) => {
    expect(errorBody(FORBIDDEN, { ...options, requestId: id })?.meta.requestId).toBe(id);
  });

  test.each(["", "req_", "req-1", "REQ_1", "1", "req_1 ", "req_1\n", "xreq_1", 'req_"', "req_é", "req_<b>"])(
    "%j is not",
    (id) => {
      expect(() => errorBody(FORBIDDEN, { ...options, requestId: id })).toThrow(TypeError);
    },
  );

  test("requestId makes them, each another", () => {
    const ids = Array.from({ length: 20_000 }, requestId);
    for (const id of ids) if (!/^req_[0-9A-Za-z]{22}$/.test(id)) expect(id).toMatch(/^req_[0-9A-Za-z]{22}$/);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("… of all its letters, about equally often", () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 5_000; i++) {
      for (const char of requestId().slice(4)) counts.set(char, (counts.get(char) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    // 110,000 letters: 1,774 of each are expected, with a standard deviation of 42.
    expect(Math.min(...counts.values())).toBeGreaterThan(1_774 - 8 * 42);
    expect(Math.max(...counts.values())).toBeLessThan(1_774 + 8 * 42);
  });
});

describe("outcomes", () => {
  const { permission: denies } = INSUFFICIENT;
  const { platform: allows } = INSUFFICIENT;

  test.each([
    ["the platform denies", allows, denies, "forbidden"],
    ["both deny", denies, denies, "forbidden"],
    ["the permission layer denies", denies, allows, "insufficient_permissions"],
    ["none denies", allows, allows, "allow"],
  ] as const)("%s", (_, permission, platform, outcome) => {
    expect(outcomeOf(permission, platform)).toBe(outcome);
  });
});

describe("another service's addresses", () => {
  test("the service and the category are the service's own words", () => {
    const body = errorBody(FORBIDDEN, { ...options, service: "billing", category: "access_control" });
    expect(body?.error.type).toBe("https://docs.example.com/api-reference/errors-v2/billing/access_control/forbidden");
    const given = { ...options, service: undefined, category: undefined };
    expect(errorBody(FORBIDDEN, given)).toEqual(errorBody(FORBIDDEN, options));
  });

  test.each(["", "Billing", "a/b", "a b", "-a", "a-", "é", "..", "a?b"])("%j is no word", (word) => {
    expect(() => errorBody(FORBIDDEN, { ...options, service: word })).toThrow(/^service must be/);
    expect(() => errorBody(FORBIDDEN, { ...options, category: word })).toThrow(/^category and code must be/);
  });
});

describe("decideAll", () => {
  const { resource: _, ...request } = ask("keys.getKey", { key: { workspaceIds: ["ws_1"] } });
  const resources = ["ws_1", "ws_2", "ws_1"].flatMap((workspaceId) => [
    ask("keys.getKey", { resource: { workspaceId } }).resource,
    ask("apis.getApi", { resource: { workspaceId } }).resource,
  ]);

  test("decides each resource as decide does, in their order", () => {
    const each = resources.map((resource) => decide(shipped, { ...request, resource }));
    expect(decideAll(shipped, request, resources)).toEqual(each);
    expect(new Set(each.map(({ outcome }) => outcome)).size).toBe(3);
  });

  test("of nothing is nothing", () => {
    expect(decideAll(shipped, request, [])).toEqual([]);
  });
});

describe("decideEach", () => {
  const { resource: _, ...request } = ask("apis.deleteApi");
  const resources = Array.from(
    { length: 6 },
    (_, i) => ask("apis.deleteApi", { resource: { system: i % 2 === 1 } }).resource,
  );
  const expected = resources.map((resource) => ({ resource, decision: decide(shipped, { ...request, resource }) }));

  test("decides as decide does, and gives the resource itself", () => {
    const found = [...decideEach(shipped, request, resources)];
    expect(found).toEqual(expected);
    expect(found.map(({ resource }) => resource)).toEqual(resources);
  });

  test("takes no more resources than are asked for, and closes their source", () => {
    const taken: number[] = [];
    let closed = false;
    function* rows() {
      try {
        for (const [i, resource] of resources.entries()) {
          taken.push(i);
          yield resource;
        }
      } finally {
        closed = true;
      }
    }
    const page: string[] = [];
    for (const { decision } of decideEach(shipped, request, rows())) {
      if (decision.outcome === "allow") page.push(decision.outcome);
      if (page.length === 2) break;
    }
    expect([page.length, taken, closed]).toEqual([2, [0, 1, 2], true]);
  });

  test("resources may come later, as from a cursor", async () => {
    async function* rows() {
      yield* resources;
    }
    const found = [];
    for await (const one of decideEach(shipped, request, rows())) found.push(one);
    expect(found).toEqual(expected);
  });

  test("what taking resources throws is thrown; what is wrong with one is said of that one", async () => {
    function* failing(): Generator<(typeof resources)[number]> {
      yield* resources.slice(0, 1);
      throw new Error("no connection");
    }
    const decided = decideEach(shipped, request, failing());
    expect(decided.next().value).toEqual(expected[0]);
    expect(() => decided.next()).toThrow("no connection");
    const [one, other] = Reflect.apply(decideEach, undefined, [shipped, request, [null, resources[0]]]);
    expect([one.decision.fault, other.decision.outcome]).toMatchObject([{ path: "resource" }, "allow"]);
  });
});
