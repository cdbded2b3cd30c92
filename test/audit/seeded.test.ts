/** Every seeded change of the shipped policies is found and shown by a request; no rewriting is reported. */

import { describe, expect, test } from "vitest";
import { type PolicyDiff, searchDecisionChanges } from "../../src/audit/index.js";
import { decideAny } from "../../src/decisions/decide.js";
import type { PolicySet } from "../../src/index.js";
import { requestOf } from "../../src/space/draft.js";
import { compiled, shipped } from "../support/policies.js";
import { IS_WHOLE } from "../support/size.js";
import { changed, REWRITINGS, SEEDS } from "./seeds.js";

/** Each seed takes a second or more, so a short run tests one in five. */
const some = <T>(all: readonly T[]): T[] => all.filter((_, i) => IS_WHOLE || i % 5 === 0);

/** Each change is shown by its request. */
function expectShown(before: PolicySet, after: PolicySet, { changes }: PolicyDiff): void {
  for (const { request, from, to, operation, kind, roles } of changes) {
    expect(decideAny(before, requestOf(request)).outcome).toBe(from);
    expect(decideAny(after, requestOf(request)).outcome).toBe(to);
    expect([request.operation, request.resource.kind]).toEqual([operation, kind]);
    expect(roles).toContainEqual(request.key.roles);
  }
}

describe("changes", { tags: "long" }, () => {
  test("there are at least thirty", () => {
    expect(SEEDS.length).toBeGreaterThanOrEqual(30);
  });

  test.each(some(SEEDS))("$name", ({ path, from, to, operations, class: kind }) => {
    const after = compiled(changed(path, from, to));
    const diff = searchDecisionChanges(shipped, after);
    // The search alone skips combinations if there are many; expects no other gap.
    expect(diff.gaps.filter(({ message }) => !message.includes("combinations of values were tried"))).toEqual([]);
    expect([...new Set(diff.changes.map(({ operation }) => operation))].sort()).toEqual([...operations].sort());
    expect(diff.changes[0]?.class).toBe(kind);
    expectShown(shipped, after, diff);
  });

  test.each(some(SEEDS.filter((_, i) => i % 4 === 0)))(
    "$name, the other way round",
    ({ path, from, to, class: kind }) => {
      const diff = searchDecisionChanges(compiled(changed(path, from, to)), shipped);
      const flipped = { widening: "narrowing", narrowing: "widening", refusal: "refusal" } as const;
      expect(diff.changes.map((change) => change.class)).toContain(flipped[kind]);
      expectShown(compiled(changed(path, from, to)), shipped, diff);
    },
  );
});

test("widenings come first", () => {
  const after = compiled(changed("platform/api.yaml", "R.attr.keyCount == 0", "R.attr.keyCount == 1"));
  const classes = searchDecisionChanges(shipped, after).changes.map((change) => change.class);
  // A refusal with a missing attribute is a fault where the attribute was not read before.
  expect(new Set(classes)).toEqual(new Set(["widening", "narrowing", "fault"]));
  expect(classes.lastIndexOf("widening")).toBeLessThan(classes.indexOf("narrowing"));
});

describe("rewritings", { tags: "long" }, () => {
  test("there are at least ten", () => {
    expect(REWRITINGS.length).toBeGreaterThanOrEqual(10);
  });

  test.each(some(REWRITINGS))("$name", ({ files }) => {
    const after = compiled(files());
    expect(searchDecisionChanges(shipped, after)).toMatchObject({ changes: [], gaps: [] });
  });
});
