import fc from "fast-check";
import { expect, test } from "vitest";
import { RulesByAction } from "../../../src/audit/operations/rules-by-action.js";
import { countEntries, matchers } from "../../../src/engine/plan/actions.js";
import { isGlob } from "../../../src/policy/glob.js";
import { exampleOf } from "../../../src/policy/glob-classes.js";
import { sized } from "../../support/size.js";
import "../../support/seed.js";

const action = fc.constantFrom(
  "api:read",
  "api:write",
  "read",
  "write",
  "*",
  "api:*",
  "*:read",
  "re*",
  "[r]*",
  "{api}:*",
);

test("rules about an action are those that list it or a pattern that it matches, in their order", () => {
  const asked = { name: 0, pattern: 0 };
  const runs = sized(5_000);
  fc.assert(
    fc.property(
      fc.array(fc.record({ actions: fc.array(action, { maxLength: 3 }) }), { maxLength: 6 }),
      action,
      (rules, one) => {
        const found = new RulesByAction(rules).about(one).map(({ i }) => i);
        const all = [...rules.keys()];
        const example = isGlob(one) ? (exampleOf(one) ?? "") : one;
        const about = all.filter((i) => {
          const { actions = [] } = rules[i] ?? {};
          return actions.includes(one) || countEntries(matchers(actions), example) > 0;
        });
        expect(found).toEqual(about);
        if (found.length > 0) asked[isGlob(one) ? "pattern" : "name"] += 1;
      },
    ),
    { numRuns: runs },
  );
  expect(asked.name).toBeGreaterThan(runs / 5);
  expect(asked.pattern).toBeGreaterThan(runs / 5);
});
