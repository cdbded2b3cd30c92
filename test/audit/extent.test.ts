/** The extent of a change: exactly the requests that change, or an example that is called one. */

import { afterAll, expect, test, vi } from "vitest";
import { QuestionDiff } from "../../src/audit/diff/question-diff.js";
import { type DecisionChange, diffPolicies, diffText, searchDecisionChanges } from "../../src/audit/index.js";
import type { PolicySet } from "../../src/index.js";
import type { Ways } from "../../src/proof/ways/minimal-grants.js";
import { findSolver } from "../../src/solver/solver.js";
import { permissions, policy, when } from "../support/compose.js";

const solver = findSolver();
afterAll(() => solver?.close());

const ALLOW = "actions: [read], effect: EFFECT_ALLOW, roles:";
const DENY = "actions: [read], effect: EFFECT_DENY, roles:";
const setOf = (...rules: readonly string[]): PolicySet =>
  permissions({ "doc.yaml": policy({ rules: rules.map((one, i) => `name: r${i}, ${one}`) }) });

async function widened(before: PolicySet, after: PolicySet): Promise<DecisionChange | undefined> {
  const { changes } = await diffPolicies(before, after, solver);
  const found = changes.filter((change) => change.class === "widening");
  expect(found.length).toBe(1);
  return found[0];
}

const waysIn = (change: DecisionChange | undefined) =>
  change?.ways.map((way) => way.when.map(({ text }) => text).toSorted()).toSorted();

const ROOT = "the resource has no scope";
const USER = "the key has the role `user`";

test("a bound that is moved: between the old and the new one", async () => {
  const change = await widened(
    setOf(`${ALLOW} [user], ${when("R.attr.count == 0")}`),
    setOf(`${ALLOW} [user], ${when("R.attr.count <= 3.0")}`),
  );
  expect(change?.extent).toBe("exact");
  expect(waysIn(change)).toEqual([
    [USER, "the resource's `count` is at most `3.0`", "the resource's `count` is not `0`", ROOT].toSorted(),
  ]);
});

test("a DENY that is dropped: where it held, or erred", async () => {
  const shut = `${DENY} ["*"], ${when("R.attr.shut")}`;
  const change = await widened(setOf(`${ALLOW} [user]`, shut), setOf(`${ALLOW} [user]`));
  expect(change?.extent).toBe("exact");
  expect(change?.ways.length).toBe(1);
  expect(
    waysIn(change)
      ?.flat()
      .filter((text) => text.includes("causes an error")).length,
  ).toBe(1);
});

test("one more role, unless another allows already: each way has a request", async () => {
  const change = await widened(setOf(`${ALLOW} [user]`), setOf(`${ALLOW} [user, guest]`));
  expect(waysIn(change)).toEqual([
    ["the key does not have the role `user`", "the key has the role `guest`", ROOT].toSorted(),
  ]);
  expect(change?.ways.map(({ request }) => request.key.roles)).toEqual([["guest"]]);
});

test("in text, the conditions that all ways share stand first", async () => {
  const either = when('R.attr.kind == "x" || R.attr.n > 3.0');
  const diff = await diffPolicies(
    setOf(`${ALLOW} [guest]`),
    setOf(`${ALLOW} [guest]`, `${ALLOW} [user], ${either}`),
    solver,
  );
  const lines = diffText(diff).split("\n");
  const start = lines.indexOf("      when     all of");
  const shown = lines.slice(
    start,
    lines.findIndex((line) => line.startsWith("      because")),
  );
  expect(shown.filter((line) => !line.startsWith("               - "))).toEqual([
    "      when     all of",
    "      and      all of",
    "      or       all of",
  ]);
  for (const shared of [USER, ROOT]) expect(shown.filter((line) => line.includes(shared)).length).toBe(1);
  const own = shown.slice(shown.indexOf("      and      all of"));
  expect(own.filter((line) => /`kind` is `"x"`|`n` is more than/.test(line)).length).toBeGreaterThan(1);
});

test("without a proof the values are called an example", () => {
  const diff = searchDecisionChanges(
    setOf(`${ALLOW} [user], ${when("R.attr.count == 0")}`),
    setOf(`${ALLOW} [user], ${when("R.attr.count <= 3.0")}`),
  );
  expect(diff.changes.map(({ extent, ways }) => [extent, ways.length])).toContainEqual(["example", 0]);
  expect(diffText(diff)).toContain("for example");
});

test("the search for ways ends at the first one that no request shows", async () => {
  const unknown = (name: string) => `${ALLOW} [user], ${when(`R.attr.${name}.matches("^x{3}y$")`)}`;
  const ways = vi.spyOn(QuestionDiff.prototype, "ways");
  const open = `${ALLOW} [user], ${when("R.attr.open")}`;
  const change = await widened(setOf(unknown("c")), setOf(unknown("c"), open, unknown("a"), unknown("b")));
  const calls = ways.mock.results.filter((_, i) => ways.mock.calls[i]?.[0] === "widening");
  const found: readonly Ways[] = await Promise.all(calls.map(({ value }) => value));
  ways.mockRestore();
  expect(change?.extent).toBe("example");
  expect(found.map(({ unshown, why }) => [unshown.length, why === unshown[0]?.why])).toEqual([[1, true]]);
});
