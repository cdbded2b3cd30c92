/** The layers given a frame of the wrong part. The types of `two-layers.ts` forbid this, so the test bypasses them. */

import { describe, expect, test } from "vitest";
import { permission, platform } from "../../src/decisions/two-layers.js";
import { PlanPair } from "../../src/engine/evaluate/plan-pair.js";
import {
  type AccountFrame,
  ALL_NAMES,
  copiedPrincipal,
  type KeyFrame,
  keptFrame,
  principalFrame,
  type ResourceFrame,
  resourceFrame,
} from "../../src/engine/frame/frame.js";
import { compilePoliciesOrThrow, type PolicyFile, type PolicySet } from "../../src/index.js";

/** Both layers allow a principal with the attribute `level` 1, in the role of that layer's principals. */
function layer(version: string, role: string): PolicyFile {
  const condition = { match: { expr: "P.attr.level == 1 && R.attr.open" } };
  const rules = [{ actions: ["read"], roles: [role], effect: "EFFECT_ALLOW", condition }];
  const resourcePolicy = { resource: "cup", version, rules };
  return { path: `${version}.json`, text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", resourcePolicy }) };
}

function policies(codegen: boolean): PolicySet {
  return compilePoliciesOrThrow([layer("default", "*"), layer("platform", "*")], { codegen });
}

const ATTR = Object.freeze({ level: 1 });
const key = (): KeyFrame => principalFrame("key", "me", ["account"], ATTR, "");
const account = (): AccountFrame => principalFrame("account", "me", ["account"], ATTR, "");
const resource = (): ResourceFrame => resourceFrame("cup", "1", { open: true }, "");

/** More requests than closures decide before functions are generated. */
const MANY = 50;

describe.each([
  ["closures", false],
  ["generated code", true],
])("by %s", (_, codegen) => {
  const set = policies(codegen);
  const layers = { permission, platform };
  const plans = {
    permission: set.permission.planFor(key(), resource(), "read"),
    platform: set.platform?.planFor(account(), resource(), "read"),
  };

  test.each([
    { name: "permission", own: key, other: account, message: "the permission layer judges keys alone" },
    { name: "platform", own: account, other: key, message: "the platform layer judges accounts alone" },
  ] as const)(
    "the $name layer denies the other part, however well its attributes fit",
    ({ name, own, other, message }) => {
      const plan = plans[name];
      if (plan === undefined) throw new Error("there is no such layer");
      const pair = new PlanPair(plan, undefined);
      const judged = (frame: KeyFrame | AccountFrame, isRead: boolean) => {
        const cup = resource();
        if (isRead) {
          plan.readPrincipal(frame);
          pair.readResource(cup);
        }
        return Reflect.apply(layers[name], undefined, [plan, frame, cup, pair, undefined]);
      };
      for (let i = 0; i < MANY; i++) {
        expect(judged(own(), true).verdict).toMatchObject({ effect: "allow" });
        for (const isRead of [true, false]) {
          const { verdict, number } = judged(other(), isRead);
          expect(verdict).toMatchObject({
            effect: "deny",
            fault: { kind: "invalid_request", message },
            reasons: [{ kind: "error" }],
          });
          // The verdict is not cached for later requests.
          expect(number).toBeLessThan(0);
        }
      }
      expect(plan.functions !== undefined).toBe(codegen);
    },
  );

  test("a decision with a part in the other's place is a refusal with a fault, and is not kept", () => {
    const table = set.tables.find(key(), account(), resource(), "read");
    const decide = (...parts: readonly (KeyFrame | AccountFrame)[]) =>
      Reflect.apply(table.decide, table, [...parts, resource(), undefined]);
    for (let i = 0; i < MANY; i++) {
      expect(decide(key(), account())).toMatchObject({ outcome: "allow" });
      expect(decide(key(), key())).toMatchObject({ outcome: "forbidden", fault: { kind: "invalid_request" } });
      expect(decide(account(), account())).toMatchObject({
        outcome: "insufficient_permissions",
        fault: { kind: "invalid_request" },
      });
      expect(decide(account(), key())).toMatchObject({ outcome: "forbidden" });
    }
  });
});

describe("frames that are kept", () => {
  test("a frame is its own copy only if it is kept", () => {
    const attr = { level: 1, teams: ["a"] };
    const frame = principalFrame("key", "me", ["user"], attr, "");
    const kept = keptFrame(frame);
    expect(copiedPrincipal(kept, ALL_NAMES)).toBe(kept);
    const copy = copiedPrincipal(frame, ALL_NAMES);
    expect(copy).not.toBe(frame);
    attr.teams.push("b");
    expect(copy?.attr).toEqual({ level: 1, teams: ["a"] });
  });

  test("a kept frame is of the same part, without the values that a plan read", () => {
    const frame = account();
    const plan = policies(true).platform?.planFor(frame, resource(), "read");
    for (let i = 0; i < MANY; i++) plan?.readPrincipal(frame);
    expect(plan?.functions).toBeDefined();
    const again = keptFrame(frame);
    expect(again).toMatchObject({ part: "account", id: "me", attr: ATTR });
    expect(again.values).not.toEqual(frame.values);
  });
});
