/** The matchers for decisions: the decisions that they accept, and their failure messages. */

import { beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import { decide } from "../../src/index.js";
import { type DecisionMatchers, matchers } from "../../src/testing/matchers.js";
import "../../src/testing/vitest.js";
import { shipped } from "../support/policies.js";
import { ask } from "../support/requests.js";

const allowed = decide(shipped, ask("keys.createKey"));
const lacking = decide(shipped, ask("apis.deleteApi", { roles: ["viewer"] }));
const forbidden = decide(
  shipped,
  ask("keys.createKey", { account: { usage: { apis: 1, keys: 100 }, holds: ["abuse"] }, roles: ["viewer"] }),
);
const erring = decide(shipped, ask("keys.createKey", { account: { usage: { apis: 1 } } }));

test("they accept what they name", () => {
  expect(allowed).toBeAllowed();
  expect(lacking).toLackPermission();
  expect(lacking).toLackPermission("not_granted");
  expect(forbidden).toBeForbidden();
  expect(forbidden).toBeForbidden("quota_exceeded");
  expect(forbidden).toBeForbidden("platform_policy_violation");
});

test("`.not` accepts everything else", () => {
  expect(allowed).not.toBeForbidden();
  expect(allowed).not.toLackPermission();
  expect(lacking).not.toBeAllowed();
  expect(lacking).not.toLackPermission("read_only");
  expect(forbidden).not.toBeForbidden("system_resource");
  expect(forbidden).not.toLackPermission();
});

test("a fault, by its kind or any", () => {
  expect(erring).toHaveFault();
  expect(erring).toHaveFault("evaluation");
  expect(erring).not.toHaveFault("unknown_operation");
  expect(erring).toBeForbidden();
  expect(forbidden).not.toHaveFault();
  expect(failure(() => expect(forbidden).toHaveFault("evaluation"))).toBe(
    "expected the decision to have a fault of the kind evaluation\n\nit has none",
  );
  expect(failure(() => expect(erring).not.toHaveFault())).toMatch(
    /^expected the decision not to have a fault\n\nit has evaluation: /,
  );
});

test("what refuses a question that is wrong is not the refusal that was to be tested", () => {
  for (const [kind, request] of [
    ["unknown_operation", ask("keys.creatKey")],
    ["unknown_kind", Object.assign(ask("keys.createKey"), { resource: { kind: "apy", id: "a", attr: {} } })],
  ] as const) {
    const wrong = decide(shipped, request);
    expect(wrong).toHaveFault(kind);
    expect(wrong).not.toBeAllowed();
    for (const assert of [
      () => expect(wrong).toBeForbidden(),
      () => expect(wrong).not.toBeForbidden(),
      () => expect(wrong).toLackPermission(),
    ]) {
      expect(failure(assert)).toContain(`which toHaveFault("${kind}") expects: no policy`);
    }
  }
});

/** The message of a failing assertion. */
function failure(assert: () => void): string {
  try {
    assert();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error("it did not fail");
}

describe("a failure shows the outcome and both layers' reasons", () => {
  test("another outcome", () => {
    expect(failure(() => expect(forbidden).toBeAllowed())).toBe(
      [
        "expected the decision to be allow",
        "",
        "it is forbidden",
        "  permission: deny by not_granted",
        "  platform: deny by quota_exceeded (rule quota_exceeded of resource.api.vplatform), platform_policy_violation (rule platform_policy_violation of resource.api.vplatform)",
      ].join("\n"),
    );
  });

  test("another reason", () => {
    expect(failure(() => expect(forbidden).toBeForbidden("delete_protected"))).toMatch(
      /^expected the decision to be forbidden because of delete_protected\n\nit is forbidden\n.*\n.*quota_exceeded/,
    );
    expect(failure(() => expect(lacking).toLackPermission("read_only"))).toMatch(
      /insufficient_permissions because of read_only/,
    );
  });

  test("`.not`", () => {
    expect(failure(() => expect(allowed).not.toBeAllowed())).toMatch(
      /^expected any decision but allow\n\nit is allow\n {2}permission: allow by role_may_manage_keys \(rule/,
    );
  });

  test("an error of evaluation, with its place", () => {
    expect(failure(() => expect(erring).toBeAllowed())).toMatch(
      /; error in quota_exceeded at platform\/api\.yaml:\d+:\d+: /,
    );
  });
});

test.each([
  undefined,
  null,
  "allow",
  1,
  {},
  { outcome: "allow" },
  { outcome: "allow", permission: {}, platform: {} },
  Promise.resolve(allowed),
])("what is not a decision fails, also after `.not`: %s", (value) => {
  expect(failure(() => expect(value).toBeAllowed())).toMatch(/expected a decision/);
  expect(failure(() => expect(value).not.toBeAllowed())).toMatch(/expected a decision/);
});

describe("without vitest's types", () => {
  const extended: Record<string, (received: unknown, ...args: string[]) => { pass: boolean; message(): string }> = {};
  beforeAll(() => {
    // As Jest does.
    Object.assign(extended, matchers);
  });

  test("they are plain functions that need no `this`", () => {
    const { toBeForbidden, toBeAllowed } = extended;
    expect(toBeForbidden?.(forbidden, "quota_exceeded").pass).toBe(true);
    expect(toBeAllowed?.(forbidden).message()).toContain("it is forbidden");
  });
});

test("TypeScript knows them", () => {
  expectTypeOf(expect(allowed)).toExtend<DecisionMatchers<unknown>>();
  expectTypeOf(expect(allowed).toBeForbidden).parameter(0).toEqualTypeOf<string | undefined>();
});
