/**
 * The work of finding mistakes grows with the number of operations, not with that of their pairs.
 *
 * @module-tag long
 */

import { expect, test } from "vitest";
import { findingsOf } from "../../../src/audit/findings/findings.js";
import { policy } from "../../support/compose.js";
import { compiled } from "../../support/policies.js";
import { sized } from "../../support/size.js";
import { callsOf } from "../../support/work.js";

/** Names too different to be typos of each other. */
const nameOf = (i: number) => `${["alpha", "beta", "gamma", "delta"][i % 4]}.operation${i}`;

/** Rules for this many operations, `each` of them in one rule. */
function rules(operations: number, each: number, name: string, rest: string): readonly string[] {
  return Array.from({ length: Math.ceil(operations / each) }, (_, i) => {
    const length = Math.min(each, operations - i * each);
    const names = Array.from({ length }, (_, at) => nameOf(i * each + at));
    return `name: ${name}${i}, actions: [${names.join(", ")}], ${rest}`;
  });
}

function made(operations: number, each: number) {
  const allowed = rules(operations, each, "may", 'roles: ["*"], effect: EFFECT_ALLOW');
  const denied = rules(operations, each, "not", "roles: [guest], effect: EFFECT_DENY");
  const supported = rules(operations, each, "can", "roles: [account], effect: EFFECT_ALLOW");
  return compiled([
    { path: "a.yaml", text: policy({ rules: [...allowed, ...denied] }) },
    { path: "b.yaml", text: policy({ version: "platform", rules: supported }) },
  ]);
}

const FEW = sized(1_000, 80);

test.each([
  ["in a rule of its own", 1],
  ["twenty to a rule", 20],
  ["all in one rule", 10 * FEW],
])("operations, each %s", (_, each) => {
  const calls = (operations: number) => {
    const policies = made(operations, each);
    return callsOf(() => expect(findingsOf(policies)).toEqual([]));
  };
  // Warm-up, so that one-time compilation is not in the first count.
  calls(FEW);
  expect(calls(FEW * 4) / calls(FEW)).toBeLessThan(4.8);
});
