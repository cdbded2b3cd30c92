/** A decision with a fault is another decision than a refusal: `diff` compares both. */

import { afterAll, describe, expect, test } from "vitest";
import { diffPolicies, diffText, searchDecisionChanges } from "../../src/audit/index.js";
import { decideAny } from "../../src/decisions/decide.js";
import type { PolicySet } from "../../src/index.js";
import { findSolver } from "../../src/solver/solver.js";
import { requestOf } from "../../src/space/draft.js";
import { permissions, policy, when } from "../support/compose.js";

const solver = findSolver();
afterAll(() => solver?.close());

const rule = (effect: string, roles: string, expr: string) =>
  `actions: [read], roles: [${roles}], effect: EFFECT_${effect}, ${when(expr)}`;

const setOf = (...rules: readonly string[]): PolicySet =>
  permissions({ "doc.yaml": policy({ rules: rules.map((one, i) => `name: r${i}, ${one}`) }) });

const GUARDED = rule("ALLOW", "user", "has(R.attr.shared) && P.id in R.attr.shared");
const BARE = rule("ALLOW", "user", "P.id in R.attr.shared");
const SHUT = rule("DENY", '"*"', "R.attr.shut == true");

const CHANGED: readonly (readonly [what: string, before: PolicySet, after: PolicySet])[] = [
  ["a guard is dropped", setOf(GUARDED), setOf(BARE)],
  ["a guard is added", setOf(BARE), setOf(GUARDED)],
  [
    "in a rule of another role",
    setOf(GUARDED, rule("ALLOW", "admin", "false")),
    setOf(BARE, rule("ALLOW", "admin", "false")),
  ],
];

describe("a refusal that becomes a fault, or the other way round", () => {
  test.each(CHANGED)("%s", async (_what, before, after) => {
    for (const diff of [searchDecisionChanges(before, after), await diffPolicies(before, after, solver)]) {
      const [change, ...others] = diff.changes;
      expect([diff.result, change?.class, others]).toEqual(["changes", "fault", []]);
      const request = change && requestOf(change.request);
      const faults = request && [before, after].map((set) => decideAny(set, request).fault !== undefined);
      expect(faults?.filter((one) => one).length).toBe(1);
      expect([change?.before, change?.after].map((side) => side?.fault !== undefined)).toEqual(faults);
      expect(diffText(diff)).toContain("evaluation: ");
    }
  });

  test("its extent is exact: the causes of the fault", async () => {
    const { changes } = await diffPolicies(setOf(GUARDED, SHUT), setOf(BARE, SHUT), solver);
    const [change] = changes.filter((one) => one.class === "fault");
    expect([change?.extent, change?.ways.map(({ when }) => when.map(({ text }) => text).toSorted())]).toEqual([
      "exact",
      [
        [
          "the key has the role `user`",
          "the resource has no scope",
          "the resource's `shared` is not given",
          "the resource's `shut` is not `true`",
        ],
      ],
    ]);
  });

  test("a DENY that holds decides: an error beside it is no fault", async () => {
    const always = rule("DENY", '"*"', "true");
    const { result } = await diffPolicies(setOf(GUARDED, always), setOf(BARE, always), solver);
    expect(result).toBe("equal");
  });

  test("an equivalent condition that errs where the other does is proved to change nothing", async () => {
    const after = setOf(rule("ALLOW", "user", "R.attr.shared.exists(x, x == P.id)"), SHUT);
    const turned = setOf(rule("ALLOW", "user", "R.attr.n > 5.0"), rule("DENY", '"*"', "true == R.attr.shut"));
    const before = setOf(rule("ALLOW", "user", "5.0 < R.attr.n"), SHUT);
    expect((await diffPolicies(before, turned, solver)).result).toBe("equal");
    expect((await diffPolicies(after, after, solver)).result).toBe("equal");
  });

  test("an operation that no policy names any more: refusals become faults", async () => {
    const other = rule("ALLOW", "user", "true").replace("[read]", "[write]");
    const { changes } = await diffPolicies(setOf(GUARDED, other), setOf(other), solver);
    expect(changes.map((change) => change.class).toSorted()).toEqual(["fault", "narrowing"]);
  });
});
