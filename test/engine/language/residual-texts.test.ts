/**
 * What is left of expressions where the row is not known is put down: of the tree, of the filter before values are in it,
 * and what was asked of the values that are known.
 */

import { afterAll, expect, test } from "vitest";
import { Timestamp } from "../../../src/cel/values.js";
import { allowedRows } from "../../../src/engine/residual/allowed.js";
import { Residuals } from "../../../src/engine/residual/conditions.js";
import { Given } from "../../../src/engine/residual/given.js";
import { Inquiry, LayerInquiry } from "../../../src/engine/residual/inquiry.js";
import { Knowledge, type Known } from "../../../src/engine/residual/knowledge.js";
import { rowPlan } from "../../../src/engine/residual/rows.js";
import type { PolicySet } from "../../../src/index.js";
import { corpus, KEY, NOW } from "./corpus.js";
import { PARTS, Recording } from "./recorded.js";
import { residualText } from "./texts.js";

const recording = new Recording("residual-texts");
afterAll(() => recording.close());

const now = new Timestamp(NOW.getTime() / 1000, 0);
const row = (attr: Known["resource"]["attr"]) => ({ kind: "doc", id: "d1", scope: "", attr });

/** What is known of a request; and whether it is, of all rows. */
const ASKED: readonly (readonly [attr: typeof KEY.attr | object, known: Known])[] = [
  [KEY.attr, { resource: row({}), knowsId: false, now }],
  [
    { team: "k", rank: 1.5, groups: ["red", 1, null], profile: { k: 1 } },
    { resource: row({ x: "red", s: "k", n: 1.5, l: ["red", null], m: { z: { deep: 1 } } }), knowsId: true, now },
  ],
  [{}, { resource: row({ tags: ["red", "x"], rows: [{ k: "red", n: 1 }], y: false }), knowsId: false, now: undefined }],
];

test.each(PARTS)("%s and the like", (_, expressions) => {
  const sets = [corpus(expressions, false), corpus(expressions, false, true)];
  const found = expressions.map((expression, action) => {
    const texts = sets.flatMap((policies) =>
      ASKED.flatMap(([attr, known]) => textsOf(policies, `a${action}`, { ...KEY, attr }, known)),
    );
    return [expression, ...recording.ofTexts(expression, texts)] as const;
  });
  expect(found.map(([expression, now]) => [expression, now])).toEqual(
    found.map(([expression, , then]) => [expression, then]),
  );
});

function textsOf({ permission }: PolicySet, action: string, key: object, known: Known): readonly string[] {
  const principal = { id: "u1", roles: ["user"], attr: {}, scope: "", ...key };
  const { plan } = permission.planned(principal, known.resource, action).cell;
  const { evaluator } = rowPlan(permission, plan);
  const given = new Given([new Knowledge(principal, known, evaluator)]);
  const inquiry = new Inquiry(given);
  const about = new LayerInquiry(inquiry, 0);
  const { outline, best, open, readsClock } = allowedRows(plan, "default", about);
  const answers = inquiry.asked?.map(({ answer }) => answer);
  given.end();
  const again = new Given([new Knowledge(principal, known, evaluator)]);
  const [rule] = plan.rules;
  const [step] = plan.roles[0]?.steps ?? [];
  if (rule === undefined || step === undefined) throw new Error("no rule");
  const tree = new Residuals(new LayerInquiry(new Inquiry(again), 0)).condition(rule, step);
  again.end();
  return [outline, tree, { answers, best, open: open.map(({ name }) => name), readsClock }].map(residualText);
}
