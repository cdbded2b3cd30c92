/**
 * Formulas agree with evaluation on each row, or leave the value open; the decided rows are recorded.
 *
 * @module-tag long
 */

import { afterAll, expect, test } from "vitest";
import { roleClassesOf } from "../../../src/engine/formula/plan-formulas.js";
import { decide } from "../../../src/index.js";
import { Asked, newCounts } from "../formula/asked.js";
import { corpus, KEY, NOW, RESOURCES, requestOf } from "./corpus.js";
import { PARTS, recordingOf } from "./recorded.js";

const recording = recordingOf("formulas");
afterAll(() => recording.close());

test.each(PARTS)("%s and the like", (_, expressions) => {
  const policies = corpus(expressions, false);
  const roles = roleClassesOf([policies]) ?? [];
  const found = expressions.map((expression, action) => {
    const asked = new Asked(policies, roles, [{ kind: "doc", action: `a${action}` }], true);
    const wrong: string[] = [];
    const letters = RESOURCES.map((resource) => {
      const counts = newCounts();
      const account = { id: "a1", attr: {} };
      asked.check({ key: KEY, account, resource, operation: `a${action}`, now: NOW }, counts, wrong);
      const { effect, errors } = decide(policies, requestOf(action, resource)).permission;
      const letter = effect === "allow" ? "t" : errors.length > 0 ? "e" : "f";
      if (counts.known !== counts.knownVerdicts) return `${letter}(${counts.known}${counts.knownVerdicts})`;
      return counts.known > 0 ? letter.toUpperCase() : letter;
    });
    expect(wrong).toEqual([]);
    return [expression, letters.join("")] as const;
  });
  expect(found).toEqual(found.map(([expression, now]) => [expression, recording.of(expression, now)]));
});
