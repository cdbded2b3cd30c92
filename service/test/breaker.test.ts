/** After repeated failures of the PDP, the breaker stops asking it for a while. */

import { compilePoliciesOrThrow } from "keyward";
import { shippedPolicies } from "keyward/node";
import { expect, test } from "vitest";
import { createLogger } from "../src/observability/logger.js";
import { withAgreementCheck } from "../src/policies/agreement.js";
import { withBreaker } from "../src/policies/breaker.js";
import {
  type Decider,
  type DecisionWithPolicySet,
  embeddedDecider,
  NoDecision,
  OtherPolicies,
} from "../src/policies/decider.js";
import { openPolicies } from "../src/policies/policies.js";

const verdict = {
  effect: "allow",
  policy: "",
  scope: "",
  reasons: [],
  errors: [],
  outputs: [],
  derivedRoles: [],
} as const;
const POLICY = JSON.stringify({
  apiVersion: "api.cerbos.dev/v1",
  resourcePolicy: { resource: "api", version: "default", rules: [] },
});
const ALLOWED: DecisionWithPolicySet = {
  decision: { outcome: "allow", permission: verdict, platform: verdict },
  policies: compilePoliciesOrThrow([{ path: "api.json", text: POLICY }], { platform: "none" }),
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
  let answer: () => Promise<DecisionWithPolicySet> = () => Promise.reject(new NoDecision("timeout"));
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
  // After the pause, one of several simultaneous requests tries the PDP.
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

test("whether a PDP has the same policies is seen from what it decides", async () => {
  const lines: string[] = [];
  const logger = createLogger("info", { write: (line) => void lines.push(JSON.parse(line).msg) });
  const policies = await openPolicies(shippedPolicies, logger);
  const own = embeddedDecider(policies);
  const allowing = (): Promise<DecisionWithPolicySet> => Promise.resolve(ALLOWED);
  let answer: Decider["decide"] = own.decide;
  const decider = withBreaker(
    withAgreementCheck({ ...own, decide: (...given) => answer(...given) }, policies, logger, 3),
    {
      failures: 5,
      pauseMs: 1_000,
    },
  );
  const ask = (times: number) =>
    Promise.allSettled(Array.from({ length: times }, () => decider.decide(REQUEST, "req_1")));
  expect(decider.agreement?.()).toBe("unknown");
  await ask(1);
  expect(decider.agreement?.()).toBe("agree");
  answer = allowing;
  await ask(1);
  expect(decider.agreement?.()).toBe("differ");
  answer = own.decide;
  await ask(2);
  expect(decider.agreement?.()).toBe("differ");
  await ask(1);
  expect(decider.agreement?.()).toBe("agree");
  answer = () => Promise.reject(new OtherPolicies("it allows what is denied here"));
  await ask(1);
  expect(decider.agreement?.()).toBe("differ");
  // A timeout says nothing about the PDP's policies.
  answer = () => Promise.reject(new NoDecision("timeout"));
  await ask(1);
  expect(lines).toEqual([
    "the PDP decides as these policies do",
    "the PDP has other policies than these",
    "the PDP decides as these policies do",
    "the PDP has other policies than these",
  ]);
});
