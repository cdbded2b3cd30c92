/** Globals that nothing gives are unknown: what is proved holds for every value of them. */

import { afterAll, describe, expect, test } from "vitest";
import { diffPolicies, whoMay } from "../../src/audit/index.js";
import type { CompileOptions, PolicySet } from "../../src/index.js";
import { findSolver } from "../../src/solver/solver.js";
import { policy, when } from "../support/compose.js";
import { compiled } from "../support/policies.js";

const solver = findSolver({ timeLimit: 5_000 });
afterAll(() => solver?.close());

/** A permission-only set: members, or the given roles, may read, if the condition holds. */
const setOf = (condition: string, options: CompileOptions = {}, roles = "member"): PolicySet =>
  compiled(
    [
      {
        path: "doc.yaml",
        text: policy({ rules: [`actions: [read], roles: [${roles}], effect: EFFECT_ALLOW, ${when(condition)}`] }),
      },
    ],
    { ...options, platform: "none" },
  );

const NEVER = "false";

describe.each([
  "G.open == true",
  "globals.open",
  "has(G.open)",
  "G.limit > 3",
  "G.words.exists(w, w == 'x')",
  "G.map.open == true",
  "R.attr.owner == G.owner",
])("%s", (condition) => {
  test("depends on an unknown value: that nobody is allowed is not proved", async () => {
    const { changes, unproven } = await diffPolicies(setOf(NEVER), setOf(condition), solver);
    // An unknown global is absent in every decision: to read it is a fault, which is a change.
    expect(changes.filter((change) => change.class !== "fault")).toEqual([]);
    expect(unproven).toContainEqual(
      expect.objectContaining({ class: "widening", message: expect.stringMatching(/^undecided: /) }),
    );
    const who = await whoMay(setOf(condition), "read", solver);
    expect(who).toMatchObject({ operations: [{ result: "unproven" }] });
  });

  test("a change beside it is proved for every value", async () => {
    const swapped = `${condition} && R.attr.a == 1.0`;
    expect((await diffPolicies(setOf(swapped), setOf(`(${swapped}) && true`), solver)).result).toBe("equal");
  });

  test("with globals that are known to be absent nobody is allowed", async () => {
    const none = { globals: {} };
    const { changes, unproven } = await diffPolicies(setOf(NEVER, none), setOf(condition, none), solver);
    expect([...changes, ...unproven].filter((one) => one.class !== "fault")).toEqual([]);
  });
});

test("an unknown global is named, with its place and what to do", async () => {
  const { unproven } = await diffPolicies(setOf(NEVER), setOf("G.open == true"), solver);
  expect(unproven.find((one) => one.class === "widening")?.message).toMatch(
    /^undecided: it depends on G\.open \(doc\.yaml:6:\d+\), and nothing gives the value: write globals in keyward\.yaml, or use --globals$/,
  );
});

test("with known values a comparison is of that configuration", async () => {
  const [before, after] = ["member", "member, guest"].map((roles) =>
    setOf("G.maintenance != true", { globals: { maintenance: false } }, roles),
  );
  if (before === undefined || after === undefined) throw new Error("two sets");
  const { changes } = await diffPolicies(before, after, solver);
  expect(changes).toMatchObject([{ class: "widening", roles: [["guest"]] }]);
  const closed = ["member", "member, guest"].map((roles) =>
    setOf("G.maintenance != true", { globals: { maintenance: true } }, roles),
  );
  expect(await diffPolicies(closed[0] ?? before, closed[1] ?? after, solver)).toMatchObject({ result: "equal" });
  // The files are the same, the value is not.
  expect((await diffPolicies(before, closed[0] ?? before, solver)).result).toBe("changes");
});
