/** A PDP that does not answer is left alone for a while. */

import { expect, test } from "vitest";
import { withBreaker } from "../src/policies/breaker.js";
import { type Decided, NoDecision } from "../src/policies/decider.js";

const verdict = {
  effect: "allow",
  policy: "",
  scope: "",
  reasons: [],
  errors: [],
  outputs: [],
  derivedRoles: [],
} as const;
const ALLOWED: Decided = {
  decision: { outcome: "allow", permission: verdict, platform: verdict },
  policySetHash: "",
};
const REQUEST = {
  key: { id: "k", roles: [] },
  operation: "o",
  resource: { kind: "api", id: "a" },
  account: { id: "acc" },
};

test("after so many failures it is not asked, then by one, and after a success by all", async () => {
  let now = 0;
  let asked = 0;
  let answer: () => Promise<Decided> = () => Promise.reject(new NoDecision("timeout"));
  const decider = withBreaker(
    {
      description: "",
      decide: () => {
        asked++;
        return answer();
      },
      ping: async () => {},
      close: () => {},
    },
    { failures: 3, pauseMs: 1_000, now: () => now },
  );
  const ask = () =>
    decider.decide(REQUEST, "req_1").then(
      () => "answered",
      (error: Error) => error.name,
    );
  for (let i = 0; i < 10; i++) expect(await ask()).toBe("NoDecision");
  expect(asked).toBe(3);
  now = 1_000;
  // One of those that come at once tries.
  expect(await Promise.all([ask(), ask(), ask()])).toEqual(["NoDecision", "NoDecision", "NoDecision"]);
  expect(asked).toBe(4);
  expect(await ask()).toBe("NoDecision");
  expect(asked).toBe(4);
  now = 2_000;
  answer = async () => ALLOWED;
  expect(await ask()).toBe("answered");
  expect(await Promise.all([ask(), ask()])).toEqual(["answered", "answered"]);
  expect(asked).toBe(7);
});
