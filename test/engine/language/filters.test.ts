/** A row passes the plan's filter if and only if `decide` allows it; the filter itself is recorded. */

import { afterAll, expect, test } from "vitest";
import { decide, matches, planDecisions } from "../../../src/index.js";
import { corpus, KEY, NOW, RESOURCES, requestOf } from "./corpus.js";
import { PARTS, recordingOf } from "./recorded.js";

const recording = recordingOf("filters");
afterAll(() => recording.close());

/** The known part of the resource: none, or these attributes. */
const GIVEN = [{}, { attr: { x: 1, s: "red", n: 2, l: [1, 2], m: { z: 1 }, y: true } }] as const;

test.each(PARTS)("%s and the like", (_, expressions) => {
  const policies = corpus(expressions, false);
  const found = expressions.map((expression, i) => {
    const plans = GIVEN.map((resource) => {
      const asked = { key: KEY, account: { id: "a1" }, operation: `a${i}`, kind: "doc", now: NOW };
      const { outcome, filter, isExact, reasons, fault } = planDecisions(policies, { ...asked, resource });
      const wrong = RESOURCES.filter((row) => {
        const known = { ...row, attr: { ...row.attr, ...("attr" in resource ? resource.attr : {}) } };
        const isAllowed = decide(policies, requestOf(i, known)).outcome === "allow";
        const isIn = matches(filter, known);
        return isExact ? isIn !== isAllowed : isAllowed && !isIn;
      });
      expect(wrong).toEqual([]);
      const said = reasons.map(({ kind }) => kind).join("+");
      return `${outcome}${isExact ? "" : " at most"} by ${said}${fault === undefined ? "" : `, ${fault.kind}`}: ${text(filter)}`;
    });
    return [expression, plans.join(" | ")] as const;
  });
  expect(found).toEqual(found.map(([expression, now]) => [expression, recording.of(expression, now)]));
});

/** A filter on one line. */
function text(filter: unknown): string {
  return JSON.stringify(filter).replaceAll(/"(\w+)":/g, "$1:");
}
