/** A shadow decides as the set in force, and tells where the candidate decides otherwise. */

import { describe, expect, test, vi } from "vitest";
import { compilePoliciesOrThrow, decide, type PolicySet, shadow } from "../../src/index.js";
import { shipped, shippedFiles } from "../support/policies.js";
import { ask } from "../support/requests.js";

/** The shipped policies, but editors may do what only admins may. */
const wider = compilePoliciesOrThrow(
  shippedFiles.map(({ path, text }) => ({
    path,
    text:
      path === "permissions/api.yaml" ? text.replaceAll("roles:\n        - admin", "roles:\n        - editor") : text,
  })),
);

const EDITOR = ask("apis.deleteApi", { roles: ["editor"] });
const ADMIN = ask("apis.getApi");

test("the decision is that of the set in force, and a difference is told with both", () => {
  const onDifference = vi.fn();
  const {
    decide: decided,
    compare,
    counts,
  } = bound(shadow(shipped, { candidate: wider, budgetMs: 1_000, onDifference }));
  expect(decided(ADMIN)).toEqual(decide(shipped, ADMIN));
  expect(onDifference).not.toHaveBeenCalled();
  expect(decided(EDITOR)).toEqual(decide(shipped, EDITOR));
  const difference = { request: EDITOR, decision: decide(shipped, EDITOR), candidate: decide(wider, EDITOR) };
  expect(onDifference.mock.calls).toEqual([[difference]]);
  compare(EDITOR, decide(shipped, EDITOR));
  expect(onDifference.mock.calls).toEqual([[difference], [difference]]);
  expect(counts()).toEqual({ compared: 3, differing: 2, leftOut: 0, failed: 0 });
});

function bound(one: ReturnType<typeof shadow>) {
  return { decide: one.decide.bind(one), compare: one.compare.bind(one), counts: one.counts.bind(one) };
}

describe("a candidate or a listener that fails changes no decision", () => {
  test.each([
    ["throws", () => Promise.resolve().then(() => Promise.reject(new Error("late")))],
    [
      "rejects",
      () => {
        throw new Error("now");
      },
    ],
  ])("a listener that %s", async (_, onDifference) => {
    const one = shadow(shipped, { candidate: wider, onDifference });
    expect(one.decide(EDITOR)).toEqual(decide(shipped, EDITOR));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(one.counts()).toMatchObject({ differing: 1, failed: 1 });
  });

  test("a candidate that cannot be had", () => {
    const onDifference = vi.fn();
    const candidate = (): PolicySet => {
      throw new Error("not loaded");
    };
    const one = shadow(shipped, { candidate, onDifference });
    expect(one.decide(ADMIN)).toEqual(decide(shipped, ADMIN));
    expect(one.counts()).toMatchObject({ failed: 1 });
    const none = shadow(() => shipped, { candidate: () => undefined, onDifference });
    expect(none.decide(ADMIN)).toEqual(decide(shipped, ADMIN));
    expect(none.counts()).toMatchObject({ leftOut: 1, compared: 0 });
    expect(onDifference).not.toHaveBeenCalled();
  });

  test("a fault of the candidate alone is a difference", () => {
    const onDifference = vi.fn();
    // Stands for a set that was not loaded: no program can pass it past the types.
    const noSet: PolicySet = JSON.parse("{}");
    shadow(shipped, { candidate: noSet, onDifference }).decide(ADMIN);
    expect(onDifference.mock.calls[0]?.[0].candidate.fault.kind).toBe("invalid_policies");
  });
});

test("a request that changes while it is read is compared by the values that were read", () => {
  let reads = 0;
  const request = structuredClone(EDITOR);
  Object.defineProperty(request, "operation", {
    enumerable: true,
    get: () => (++reads === 1 ? "apis.deleteApi" : "apis.getApi"),
  });
  const onDifference = vi.fn();
  shadow(shipped, { candidate: wider, onDifference }).decide(request);
  expect([reads, onDifference.mock.calls[0]?.[0].request.operation]).toEqual([1, "apis.deleteApi"]);
});

test("a sample is spread evenly", () => {
  const one = shadow(shipped, { candidate: wider, sample: 0.25, budgetMs: 1_000, onDifference: () => {} });
  for (let i = 0; i < 100; i++) one.decide(EDITOR);
  expect(one.counts()).toEqual({ compared: 25, differing: 25, leftOut: 75, failed: 0 });
});

test("when the budget of a second is spent, requests are decided and not compared", () => {
  vi.useFakeTimers();
  try {
    const onDifference = vi.fn(() => vi.advanceTimersByTime(30));
    const one = shadow(shipped, { candidate: wider, budgetMs: 20, onDifference });
    for (let i = 0; i < 3; i++) expect(one.decide(EDITOR)).toEqual(decide(shipped, EDITOR));
    expect(one.counts()).toMatchObject({ compared: 1, leftOut: 2 });
    vi.advanceTimersByTime(1_000);
    one.decide(EDITOR);
    expect(one.counts()).toMatchObject({ compared: 2, leftOut: 2 });
  } finally {
    vi.useRealTimers();
  }
});

test.each([{ sample: 2 }, { sample: Number.NaN }, { budgetMs: 0 }, { budgetMs: 2_000 }])("%j is refused", (options) => {
  expect(() => shadow(shipped, { candidate: wider, onDifference: () => {}, ...options })).toThrow(TypeError);
});
