/** For a question, the values to try lie on both sides of every distinction made by its conditions. */

import { describe, expect, test } from "vitest";
import { decideAny } from "../../src/decisions/decide.js";
import { choicesFor } from "../../src/space/dimension-choices.js";
import { startOf } from "../../src/space/starting-request.js";
import { permissions, policy, when } from "../support/compose.js";

const QUESTION = { kind: "doc", operation: "read" };

/** The outcomes of all combinations of the values to try, limited to `limit` combinations. */
function outcomes(condition: string, limit = 20_000): ReadonlySet<string> {
  const rule = `name: read, actions: [read], roles: ["*"], effect: EFFECT_ALLOW, ${when(condition)}`;
  const set = permissions({ "doc.yaml": policy({ rules: [rule] }) });
  const { draft, asked } = startOf([set], QUESTION);
  const choices = choicesFor(asked.permission, draft);
  expect(choices.length).toBeGreaterThan(0);
  const total = choices.reduce((product, { values, broken }) => product * (values.length + broken.length), 1);
  expect(total).toBeLessThanOrEqual(limit);
  const found = new Set<string>();
  for (let i = 0; i < total; i++) {
    const request = draft.copy();
    let rest = i;
    for (const { dimension, values, broken } of choices) {
      const all = [...values, ...broken];
      request.set(dimension, all[rest % all.length]);
      rest = Math.floor(rest / all.length);
    }
    found.add(decideAny(set, request.toRequest()).outcome);
  }
  return found;
}

describe("each condition holds for one combination and fails for another", () => {
  test.each([
    "R.attr.state == 'open'",
    "R.attr.state != 'open'",
    "R.attr.state in ['open', 'draft']",
    "!(R.attr.state in ['open', 'draft'])",
    "R.attr.count > 3.0",
    "R.attr.count >= 3.0 && R.attr.count <= 3.0",
    "R.attr.count == 7.5",
    "R.attr.limit - R.attr.used <= 0.0",
    "R.attr.open",
    "R.attr.owner == P.id",
    "R.attr.owner == P.attr.boss",
    "R.attr.owner != P.attr.boss && R.attr.owner != P.id",
    "P.attr.team in R.attr.teams",
    "'core' in P.attr.teams",
    "hasIntersection(['*', R.attr.team], P.attr.teams)",
    "P.attr.teams.exists(t, t == R.attr.team)",
    "P.attr.teams.all(t, t != 'core')",
    "size(P.attr.teams) == 2",
    "size(R.attr.name) > 3",
    "has(R.attr.owner)",
    "!has(R.attr.owner)",
    "R.attr.a.b.c == 'deep'",
    "R.attr.name.startsWith('adm')",
    "R.attr.name.endsWith('min')",
    "R.attr.name.contains('dmi')",
    "timestamp(R.attr.until) > timestamp('2025-01-01T00:00:00Z')",
    "timestamp(R.attr.until) > now()",
    "R.attr.kind == 'a' ? P.attr.a == '1' : P.attr.b == '2'",
    "R.attr.path == 'doc/' + R.id",
    "P.attr.grants.exists(g, g == 'read:' + R.id)",
    "R.attr.x == null",
    "R.attr.__proto__ == 'x'",
    "R.attr['odd name'] == 'x'",
  ])("%s", (condition) => {
    expect(outcomes(condition)).toEqual(new Set(["allow", "insufficient_permissions"]));
  });
});

test("nothing is tried that no condition reads", () => {
  const rule = `actions: [read], roles: ["*"], effect: EFFECT_ALLOW, ${when("R.attr.state == 'open'")}`;
  const other = `actions: [write], roles: ["*"], effect: EFFECT_ALLOW, ${when("R.attr.secret == 'x'")}`;
  const set = permissions({ "doc.yaml": policy({ rules: [rule, other] }) });
  const { draft, asked } = startOf([set], QUESTION);
  expect(choicesFor(asked.permission, draft).map(({ dimension }) => dimension.id)).toEqual(["resource.attr.state"]);
});

test("values that a schema refuses are apart from those that it takes", () => {
  const rule = `actions: [read], roles: ["*"], effect: EFFECT_ALLOW, ${when("R.attr.state == 'open'")}`;
  const body = "schemas: { resourceSchema: { ref: cerbos:///doc.json } }";
  const schema = { type: "object", properties: { state: { enum: ["open", "shut"] } }, required: ["state"] };
  const set = permissions({ "doc.yaml": policy({ body, rules: [rule] }), "_schemas/doc.json": JSON.stringify(schema) });
  const { draft, asked } = startOf([set], QUESTION);
  const [choice] = choicesFor(asked.permission, draft);
  expect(choice?.values).toEqual(["open", "shut"]);
  expect(choice?.broken.length).toBeGreaterThan(1);
  expect(choice?.broken.filter((value) => value === "open" || value === "shut")).toEqual([]);
});
