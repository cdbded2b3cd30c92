/** Limits on the roles and the names of a request: no request makes the search for the rules about it expensive. */

import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { planDecisions } from "../../src/decisions/plan-decisions.js";
import { decisionTracer, traceDecision } from "../../src/decisions/trace.js";
import { check } from "../../src/engine/evaluate/check.js";
import { compileCheckEngine } from "../../src/engine/evaluate/compile-check-engine.js";
import { TOO_MANY_ROWS, TOO_MANY_STEPS } from "../../src/engine/plan/limits.js";
import { decide, deciderFor } from "../../src/index.js";
import { MAX_MATCHING_STEPS, MAX_ROWS } from "../../src/limits.js";
import { policy, supportAll } from "../support/compose.js";
import { compiled } from "../support/policies.js";

const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const rule = (action: string, roles: readonly string[]) =>
  `actions: ["${action}"], roles: ${JSON.stringify(roles)}, effect: EFFECT_ALLOW`;

const text = policy({
  rules: [
    rule(
      "read",
      times(1_001, (i) => `r${i}`),
    ),
    ...times(200, (i) => rule("many", [`*`, `r${i}`])),
    ...times(1_200, (i) => rule(`*a*b*${i}`, ["user"])),
    ...times(100, (i) => rule("matched", [`*a*b*c*${i}`])),
  ],
});
const set = compiled([{ path: "doc.yaml", text }, ...supportAll("doc")]);

const LONG_ROLES = times(20, (i) => `${"abc".repeat(1_300)}x${i}`);

const engine = compileCheckEngine([{ path: "doc.yaml", text }]);

const request = (operation: string, roles: readonly string[]) => ({
  key: { id: "k", roles, attr: {} },
  operation,
  resource: { kind: "doc", id: "d", attr: {} },
  account: { id: "a", attr: {} },
});

/** The effect and the errors of Cerbos's own question. */
function checked(operation: string, roles: readonly string[]) {
  if (isLeft(engine)) throw new Error(JSON.stringify(engine.left));
  const { policies, options } = engine.right;
  const place = { policyVersion: "", scope: "" };
  const input = {
    actions: [operation],
    principal: { id: "k", roles, attr: {}, ...place },
    resource: { kind: "doc", id: "d", attr: {}, ...place },
    jwt: {},
    now: undefined,
  };
  const { actions, errors } = check(policies, input, options);
  return { effect: actions.get(operation)?.effect, errors };
}

describe("the number of roles", () => {
  test("1,000 are decided on, 1,001 are malformed", () => {
    const roles = times(1_001, (i) => `r${i}`);
    expect(decide(set, request("read", roles.slice(1))).outcome).toBe("allow");
    const { outcome, fault } = decide(set, request("read", roles));
    expect(outcome).toBe("insufficient_permissions");
    expect(fault).toMatchObject({ kind: "invalid_request", path: "key.roles" });
  });
});

describe.each([
  ["a long operation against many patterns", "ab".repeat(2_000), ["user"], TOO_MANY_STEPS],
  ["long roles against many patterns", "matched", LONG_ROLES, TOO_MANY_STEPS],
  ["many rules for many roles", "many", times(1_000, (i) => `r${i}`), TOO_MANY_ROWS],
])("%s", (_, operation, roles, message) => {
  const asked = request(operation, roles);
  const fault = { kind: "invalid_request", path: "", message };

  test("is refused, with the limit as its fault", () => {
    const decision = decide(set, asked);
    expect(decision.outcome).toBe("insufficient_permissions");
    expect(decision.fault).toEqual(fault);
    expect(decide(set, asked)).toEqual(decision);
  });

  test("by every way of asking", () => {
    const { key, account, resource } = asked;
    expect(deciderFor(set, { key, account }).decide({ operation, resource })).toEqual(decide(set, asked));
    expect(planDecisions(set, { key, operation, kind: "doc", account }).outcome).toBe("none");
    const error = { policy: "", rule: "", expression: "", message, position: "" };
    expect(checked(operation, roles)).toEqual({ effect: "deny", errors: [error] });
  });
});

test("a trace is of the same decision", () => {
  const asked = request("matched", LONG_ROLES);
  const { outcome, fault } = decide(set, asked);
  expect(traceDecision(decisionTracer(set), asked)).toMatchObject({ outcome, fault });
});

describe("within the limits", () => {
  test.each([
    ["an operation", "xaxbx7", ["user"]],
    ["a role", "matched", ["xaxbxcx7"]],
    ["many roles of which one has a rule", "many", ["nobody", "r7"]],
  ])("%s is found by its pattern", (_, operation, roles) => {
    expect(decide(set, request(operation, roles)).outcome).toBe("allow");
    expect(checked(operation, roles)).toEqual({ effect: "allow", errors: [] });
  });
});

test("the limits are those of the documents", () => {
  expect([MAX_MATCHING_STEPS, MAX_ROWS]).toEqual([200_000, 10_000]);
});
