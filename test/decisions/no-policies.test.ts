/** The error for an argument that is not a policy set, with its advice. */

import { expect, test } from "vitest";
import { denyWithoutPolicies, isPolicySet } from "../../src/decisions/no-policies.js";
import { decisionTracer, traceDecision, traceWithout } from "../../src/decisions/trace.js";
import { refusedVerdict, unreadableVerdict } from "../../src/engine/evaluate/verdicts.js";
import { policy } from "../support/compose.js";
import { throwingProxy } from "../support/hostile.js";
import { compiled, shipped } from "../support/policies.js";
import { ask } from "../support/requests.js";

const LOAD = "`const policies = await loadPoliciesOrThrow(directory)`, of keyward/node";
const rules = ["actions: [read], roles: [user], effect: EFFECT_ALLOW"];
const ALONE = compiled([{ path: "a.yaml", text: policy({ rules }) }], { platform: "none" });
const layer = { verdict: () => undefined };

test("a set has a layer that can be asked", () => {
  expect([shipped, ALONE, { permission: layer }].map(isPolicySet)).toEqual([true, true, true]);
  const none = [
    ...[undefined, null, 1, "x", {}, [], () => shipped, Object.assign(() => 1, shipped), throwingProxy()],
    ...[null, {}, { verdict: 1 }, 1, Object.assign(() => 1, layer)].map((permission) => ({ permission })),
  ];
  expect(none.map(isPolicySet)).toEqual(none.map(() => false));
});

test.each<readonly [unknown, string]>([
  [undefined, `they are undefined. Load them first: ${LOAD}`],
  [null, `they are null. Load them first: ${LOAD}`],
  [() => shipped, `loadPolicies returns a task: run it, and check its result. Simpler is ${LOAD}`],
  ["x", `they are a string. Load them first: ${LOAD}`],
  [1, `they are a number. Load them first: ${LOAD}`],
  [Promise.resolve(shipped), `they are a promise: await it. Simplest is ${LOAD}`],
  [
    { _tag: "Left", left: [] },
    `the policies did not load, and the argument is the list of their issues. To throw them instead: ${LOAD}`,
  ],
  [
    { _tag: "Right", right: shipped },
    `they are the Either that they were loaded as, with the policies in its \`right\`. Simpler is ${LOAD}`,
  ],
  [{ _tag: "Right" }, `the argument does not come from loadPolicies or compilePolicies. ${LOAD}`],
  [{ right: 1 }, `the argument does not come from loadPolicies or compilePolicies. ${LOAD}`],
  [{ [`th${"en"}`]: 1 }, `the argument does not come from loadPolicies or compilePolicies. ${LOAD}`],
  [throwingProxy, `loadPolicies returns a task: run it, and check its result. Simpler is ${LOAD}`],
])("what was passed, %#", (given, message) => {
  const { fault, permission, platform, outcome } = denyWithoutPolicies(given);
  const expected = { kind: "invalid_policies", path: "", message: `there are no policies to ask: ${message}` };
  expect([fault, permission.fault, platform.fault, outcome]).toEqual([expected, expected, expected, "forbidden"]);
  const traced = traceWithout(given);
  expect([traced.fault, traced.permission.verdict, traced.platform.verdict]).toEqual([fault, permission, platform]);
  expect([traced.permission.version, traced.platform.version]).toEqual(["", ""]);
});

test("what cannot be looked at", () => {
  expect(denyWithoutPolicies(throwingProxy()).fault?.message).toBe(
    "there are no policies to ask: the argument cannot be read",
  );
});

test("the traces of layers have their versions; of what is not asked it is empty", () => {
  const request = ask("apis.getApi");
  const versions = (policies: typeof shipped, one: object) => {
    const { permission, platform } = traceDecision(decisionTracer(policies), Object.assign({ ...request }, one));
    return [permission.version, platform.version];
  };
  expect([versions(shipped, {}), versions(shipped, { key: null, account: null })]).toEqual(
    Array(2).fill(["default", "platform"]),
  );
  expect(versions(ALONE, {})).toEqual(["default", ""]);
  const hostile = traceDecision(decisionTracer(shipped), {
    ...request,
    key: { ...request.key, attr: throwingProxy() as never },
  });
  expect(hostile.permission.verdict).toMatchObject({
    fault: { kind: "invalid_request", path: "key", message: "invalid request: key cannot be read" },
  });
});

test("what cannot be read to its end is at fault as a whole", () => {
  const fault = {
    kind: "invalid_request",
    path: "",
    message: "the request cannot be read to its end: it has too many attributes, or is nested too deep",
  };
  expect(unreadableVerdict()).toMatchObject({ effect: "deny", policy: "NO_MATCH", fault });
  expect(refusedVerdict("m", "key").fault).toEqual({ kind: "invalid_request", path: "key", message: "m" });
});
