/** Decisions for a key and its ancestors. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ChainDecision, type DecisionRequest, decide, decideChain } from "../../src/index.js";
import { permissions, policy } from "../support/compose.js";
import { HOSTILE_KEYS, throwingProxy } from "../support/hostile.js";
import { compiled, shipped } from "../support/policies.js";
import { ask, holder } from "../support/requests.js";
import { sized } from "../support/size.js";

type Key = DecisionRequest["key"];

const target = (operation: string, changes: Parameters<typeof ask>[1] = {}) => {
  const { key: _, ...rest } = ask(operation, changes);
  return rest;
};
const key = (...granted: readonly string[]): Key => ask("apis.getApi", holder(...granted)).key;
const admin = ask("apis.getApi").key;

/** `decideChain` with any values as its arguments. */
const chained = (links: unknown, request: unknown, set: unknown = shipped): ChainDecision =>
  Reflect.apply(decideChain, undefined, [set, links, request]);

describe("the outcome of a chain", () => {
  const read = key("api.*.read_api");
  const create = key("api.*.create_key");

  test("is allow if every link is allowed", () => {
    const decision = decideChain(shipped, [read, admin, read], target("apis.getApi"));
    expect(decision).toEqual(decide(shipped, { ...target("apis.getApi"), key: read }));
    expect(decision.outcome).toBe("allow");
  });

  test.each([
    [[create, admin], 0],
    [[admin, create], 1],
    [[admin, read, create, create], 2],
  ])("names the first link that refuses", (links, link) => {
    const asked = target("apis.getApi");
    expect(decideChain(shipped, links, asked)).toEqual({
      ...decide(shipped, { ...asked, key: create }),
      outcome: "insufficient_permissions",
      link,
    });
  });

  test("is forbidden where the platform forbids, whatever the links may do", () => {
    const asked = target("apis.deleteApi", { resource: { system: true } });
    const decision = decideChain(shipped, [create, admin], asked);
    expect(decision).toEqual(decide(shipped, { ...asked, key: create }));
    expect([decision.outcome, decision.link]).toEqual(["forbidden", undefined]);
  });

  test("is that of decide, for one link", () => {
    for (const one of [read, create, admin]) {
      const asked = target("apis.getApi");
      const { link, ...decision } = decideChain(shipped, [one], asked);
      expect(decision).toEqual(decide(shipped, { ...asked, key: one }));
      expect(link).toBe(decision.outcome === "allow" ? undefined : 0);
    }
  });

  test("is the AND of the decisions on its links, in any order", () => {
    const keys = fc.array(
      fc.record({
        roles: fc.subarray(["viewer", "editor", "admin", "custom"], { minLength: 1 }),
        granted: fc.subarray(["api.*.read_api", "api.api_1.create_key", "api.*.delete_api"]),
      }),
      { minLength: 1, maxLength: 5 },
    );
    const operations = fc.constantFrom("apis.getApi", "keys.createKey", "apis.deleteApi");
    fc.assert(
      fc.property(keys, operations, fc.boolean(), (links, operation, system) => {
        const asked = target(operation, { resource: { system } });
        const chain = links.map(({ roles, granted }) => ask(operation, { roles, key: { permissions: granted } }).key);
        const each = chain.map((one) => decide(shipped, { ...asked, key: one }).outcome);
        const expected =
          each.find((outcome) => outcome === "forbidden") ?? each.find((one) => one !== "allow") ?? "allow";
        expect(decideChain(shipped, chain, asked).outcome).toBe(expected);
        expect(decideChain(shipped, chain.toReversed(), asked).outcome).toBe(expected);
      }),
      { numRuns: sized(5_000) },
    );
  });
});

describe("a chain that is none allows nothing", () => {
  const asked = target("apis.getApi");
  // biome-ignore lint/suspicious/noSparseArray: a hole is what is tested.
  const holes = [admin, , admin];

  test.each([
    ["no links", [], "is missing: the chain has no links"],
    ["no list", undefined, "is missing: the chain must be a list"],
    ["a key", admin, "is missing: the chain must be a list"],
    ["a set of keys", new Set([admin]), "is missing: the chain must be a list"],
    ["too many links", Array.from({ length: 17 }, () => admin), "has too many ancestors: a chain has at most 16 links"],
    ["a hole", holes, "key"],
    ["a proxy", throwingProxy(), "is missing: the chain must be a list"],
    ["a list that cannot be read", new Proxy([admin], { get: () => expect.fail("hostile") }), "cannot be read"],
  ])("%s", (_, links, message) => {
    const decision = chained(links, asked);
    expect(decision.outcome).toBe("insufficient_permissions");
    expect(decision.fault?.kind).toBe("invalid_request");
    expect(decision.fault?.message).toContain(message);
    // The platform is asked as always.
    expect(chained(links, target("apis.deleteApi", { resource: { system: true } })).outcome).toBe("forbidden");
  });

  test("16 links are not too many", () => {
    expect(
      chained(
        Array.from({ length: 16 }, () => admin),
        asked,
      ).outcome,
    ).toBe("allow");
  });

  test("a link that is no key, at any place", () => {
    for (const make of HOSTILE_KEYS) {
      for (const links of [[make()], [admin, make()], [make(), admin], [admin, make(), admin]]) {
        expect(chained(links, asked).outcome).not.toBe("allow");
      }
    }
  });

  test("a hole is the link that refuses", () => {
    expect(chained(holes, asked).link).toBe(1);
  });
});

describe("a request", () => {
  const asked = target("apis.getApi");

  test.each([
    undefined,
    null,
    7,
    "x",
    [],
    {},
    { ...asked, operation: 7 },
    { ...asked, resource: null },
    throwingProxy(),
  ])("that is none is not allowed: %#", (request) => expect(chained([admin], request).outcome).not.toBe("allow"));

  test("with a key of its own is at fault, unless it is the first link", () => {
    expect(chained([admin, admin], { ...asked, key: key() }).fault?.message).toContain("must be absent");
    expect(chained([admin, admin], { ...asked, key: admin }).outcome).toBe("allow");
  });

  test("is read once for all links", () => {
    let reads = 0;
    const attr = { ...asked.resource.attr };
    const resource = Object.defineProperty({ ...asked.resource, attr }, "attr", {
      enumerable: true,
      get: () => (reads++ === 0 ? attr : { ...attr, accountId: "another" }),
    });
    expect(chained([admin, admin, admin], { ...asked, resource }).outcome).toBe("allow");
    expect(reads).toBe(1);
  });

  test("by no policy set is forbidden, with the fault", () => {
    expect(chained([admin], asked, null).fault?.kind).toBe("invalid_policies");
    expect(chained([], asked, {}).fault?.kind).toBe("invalid_policies");
  });

  test("to a permission-only set needs no account", () => {
    const files = { "doc.yaml": policy({ rules: ["name: a, actions: [read], roles: [user], effect: EFFECT_ALLOW"] }) };
    const set = compiled(
      Object.entries(files).map(([path, text]) => ({ path, text })),
      { platform: "none" },
    );
    const user = { id: "u", roles: ["user"], attr: {} };
    const request = { operation: "read", resource: { kind: "doc", id: "1", attr: {} } };
    expect(chained([user, user], request, set).outcome).toBe("allow");
    expect(chained([user, { ...user, roles: ["other"] }], request, set)).toMatchObject({ link: 1 });
    expect(chained([], request, set).outcome).toBe("insufficient_permissions");
    expect(permissions(files).warnings).toEqual([]);
  });
});
