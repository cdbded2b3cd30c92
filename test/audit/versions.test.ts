/** Every version of two sets is compared: also policies that no layer asks, for which a Cerbos server answers. */

import { afterAll, describe, expect, test } from "vitest";
import { diffPolicies, diffText, searchDecisionChanges } from "../../src/audit/index.js";
import { decideAny } from "../../src/decisions/decide.js";
import { otherVersionsOf, setOfVersion } from "../../src/decisions/other-versions.js";
import { findSolver } from "../../src/solver/solver.js";
import { requestOf } from "../../src/space/draft.js";
import { policy, when } from "../support/compose.js";
import { compiled } from "../support/policies.js";

const solver = findSolver({ timeLimit: 5_000 });
afterAll(() => solver?.close());

const OWNER = `actions: [read], roles: ["*"], effect: EFFECT_ALLOW, ${when("R.attr.owner == P.id")}`;
const ANYBODY = 'actions: [read], roles: ["*"], effect: EFFECT_ALLOW';

/** A permission-only set with two versions of one policy. */
const setOf = (main: string, v2?: string) =>
  compiled(
    [
      { path: "doc.yaml", text: policy({ rules: [main] }) },
      ...(v2 === undefined ? [] : [{ path: "doc_v2.yaml", text: policy({ version: "v2", rules: [v2] }) }]),
    ],
    { platform: "none" },
  );

describe("a change of a version that no layer asks", () => {
  const [before, after] = [setOf(OWNER, OWNER), setOf(OWNER, ANYBODY)];

  test("is found, with its version and a request that shows it", async () => {
    for (const diff of [searchDecisionChanges(before, after), await diffPolicies(before, after, undefined)]) {
      expect(diff.result).toBe("changes");
      const [change] = diff.changes;
      expect(change).toMatchObject({ class: "widening", operation: "read", kind: "doc", version: "v2" });
      if (change === undefined) continue;
      const outcomes = [before, after].map(
        (set) => decideAny(setOfVersion(set, "v2"), requestOf(change.request)).outcome,
      );
      expect(outcomes).toEqual(["insufficient_permissions", "allow"]);
    }
    expect(diffText(searchDecisionChanges(before, after))).toContain("read on doc, policies of version v2: ");
  });

  test("so is a version that is new, or gone", () => {
    expect(searchDecisionChanges(setOf(OWNER), after).changes[0]).toMatchObject({ class: "widening", version: "v2" });
    expect(searchDecisionChanges(after, setOf(OWNER)).changes[0]).toMatchObject({ class: "narrowing", version: "v2" });
  });

  test("no change of any version is proved", async () => {
    const equal = setOf(OWNER.replace("R.attr.owner == P.id", "P.id == R.attr.owner"), OWNER);
    expect(await diffPolicies(before, equal, solver)).toMatchObject({ result: "equal", changes: [] });
  });
});

test("versions beside two layers are compared as well", () => {
  const files = (v0: string) => [
    { path: "doc.yaml", text: policy({ rules: [OWNER] }) },
    { path: "old.yaml", text: policy({ version: "v0", rules: [v0] }) },
    {
      path: "rules.yaml",
      text: policy({ version: "platform", rules: ["actions: [read], roles: [account], effect: EFFECT_ALLOW"] }),
    },
  ];
  const [before, after] = [OWNER, ANYBODY].map((rule) => compiled(files(rule), { otherVersions: ["v0"] }));
  if (before === undefined || after === undefined) throw new Error("two sets");
  expect(otherVersionsOf(before)).toEqual(["v0"]);
  expect(searchDecisionChanges(before, after).changes[0]).toMatchObject({ class: "widening", version: "v0" });
});

test("the extents of changes are looked for when all versions have been compared", async () => {
  const [before, after] = [setOf(OWNER, OWNER), setOf(ANYBODY, ANYBODY)];
  const steps: string[] = [];
  const { changes } = await diffPolicies(before, after, solver, { onProgress: (what) => steps.push(what) });
  expect(changes.map(({ version, extent }) => [version, extent])).toEqual([
    [undefined, "exact"],
    ["v2", "exact"],
  ]);
  expect(steps.lastIndexOf("asked")).toBeGreaterThan(steps.indexOf("compared"));
  expect(steps.indexOf("extended")).toBeGreaterThan(steps.lastIndexOf("asked"));
});
