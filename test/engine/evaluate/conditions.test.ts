/** The conditions of a plan, numbered. */

import { expect, test } from "vitest";
import { conditionsOf } from "../../../src/engine/evaluate/conditions.js";
import { planOf, role, row, rule, SOME, step } from "../plan/parts.js";

const [a, b, c] = ["a", "b", "c"].map((name) => rule(name, { condition: SOME }));
const always = rule("always");
const guard = role("guard");
const open = role("open", { condition: undefined });

function listed(...given: Parameters<typeof planOf>) {
  return conditionsOf(planOf(...given)).map(({ what, step: { scope } }) =>
    "name" in what ? `${what.name} ${scope}` : "",
  );
}

test("each once, at the step that it is reached at first: personal ones, then role by role", () => {
  if (a === undefined || b === undefined || c === undefined) throw new Error("no rules");
  const [inner, root] = [step([row(b), row(a)], { scope: "inner" }), step([row(a), row(c)], { depth: 1 })];
  expect(listed([[inner, root], [root]])).toEqual(["b inner", "a inner", "c "]);
  const personal = [step([row(c)], { scope: "own" })];
  expect(listed([[inner, root]], { personal })).toEqual(["c own", "b inner", "a inner"]);
});

test("a derived role comes before the rule that lists it; what always holds is not among them", () => {
  if (a === undefined || b === undefined) throw new Error("no rules");
  expect(listed([[step([row(a, guard), row(b, guard), row(always), row(always, guard)])]])).toEqual([
    "guard ",
    "a ",
    "b ",
  ]);
  expect(listed([[step([row(a, open), row(always, open)])]])).toEqual(["a "]);
  expect(listed([])).toEqual([]);
});
