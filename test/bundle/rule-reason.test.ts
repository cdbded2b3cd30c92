/** The reasons of rules without a name come from their words, not from their places. */

import fc from "fast-check";
import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { namedFiles, ruleNamings } from "../../src/audit/findings/rule-names.js";
import { reasonOf } from "../../src/engine/plan/reason.js";
import { decide } from "../../src/index.js";
import { RULE_NAME } from "../../src/policy/names.js";
import { parsePolicyFiles } from "../../src/policy/parse.js";
import { bundledSets } from "../support/bundles.js";
import { compiled } from "../support/policies.js";
import { sized } from "../support/size.js";
import "../support/seed.js";

interface RuleText {
  readonly actions: readonly string[];
  readonly roles: readonly string[];
  readonly effect: string;
  readonly condition?: { readonly match: object };
  readonly output?: object;
}

const rule = (expr?: string, more: Partial<RuleText> = {}): RuleText => ({
  ...{ actions: ["view"], roles: ["user"], effect: "EFFECT_ALLOW" },
  ...(expr === undefined ? {} : { condition: { match: { expr } } }),
  ...more,
});

const body = (rules: readonly RuleText[]) => ({
  apiVersion: "api.cerbos.dev/v1",
  resourcePolicy: { resource: "doc", version: "default", rules },
});

function modelOf(text: string) {
  const parsed = parsePolicyFiles([{ path: "doc.yaml", text }]);
  if (isLeft(parsed)) throw new Error(JSON.stringify(parsed.left));
  return parsed.right;
}

function reasons(rules: readonly RuleText[], text = JSON.stringify(body(rules))): readonly string[] {
  return modelOf(text).resourcePolicies.flatMap((policy) => policy.rules.map(reasonOf));
}

describe("words", () => {
  test.each([
    [rule(), "allow_view_for_user"],
    [rule(undefined, { actions: ["*"], roles: ["*"], effect: "EFFECT_DENY" }), "deny_any_for_any"],
    [rule(undefined, { actions: ["view:*", "a/b"], roles: ["b", "a"] }), "allow_a_b_view_for_a_b"],
    [rule("R.attr.owner == P.id"), "allow_view_for_user_if_R.attr.owner_eq_P.id"],
    [rule('!(R.attr.a in ["x y"])'), "allow_view_for_user_if_not_R.attr.a_in_x_y"],
    [
      rule("R.attr.abcdefghijklmnopqrst < R.attr.uvwxyz"),
      "allow_view_for_user_if_R.attr.abcdefghijklmnopqrst_lt_R.attr",
    ],
    [
      rule(undefined, { condition: { match: { any: { of: [{ expr: "R.attr.a" }, { expr: "R.attr.b" }] } } } }),
      "allow_view_for_user_if_any_R.attr.a_R.attr.b",
    ],
  ])("%j is %s", (one, words) => {
    const [reason = ""] = reasons([one]);
    expect(reason.replace(/_[0-9a-f]{8}$/, "")).toBe(words);
    expect(reason).toMatch(new RegExp(RULE_NAME));
  });

  test("a constant output is the reason, as it is for a rule with a name", () => {
    expect(reasons([rule(undefined, { output: { when: { ruleActivated: '"why"' } } })])).toEqual(["why"]);
  });

  test("of principal policies", () => {
    const actions = [{ action: "view", effect: "EFFECT_DENY" }];
    const principalPolicy = { principal: "p", version: "default", rules: [{ resource: "album:*", actions }] };
    const { principalPolicies } = modelOf(JSON.stringify({ apiVersion: "api.cerbos.dev/v1", principalPolicy }));
    const found = principalPolicies.flatMap((policy) => policy.rules.map(reasonOf));
    expect(found).toEqual([expect.stringMatching(/^deny_view_on_album_[0-9a-f]{8}$/)]);
  });
});

const names = fc.uniqueArray(fc.constantFrom("a", "b", "a_b", "a:*", "c"), { minLength: 1, maxLength: 3 });
const exprs = fc.constantFrom(
  "R.attr.x == 1",
  "R.attr.x == 2",
  'R.attr.x == "1"',
  "has(P.attr.y)",
  "!R.attr.z",
  undefined,
);
const rules = fc.uniqueArray(
  fc
    .tuple(names, names, exprs, fc.constantFrom("EFFECT_ALLOW", "EFFECT_DENY"))
    .map(([actions, roles, expr, effect]) => rule(expr, { actions, roles, effect })),
  {
    minLength: 1,
    maxLength: 8,
    selector: ({ actions, roles, ...rest }) => JSON.stringify([[...actions].sort(), [...roles].sort(), rest]),
  },
);

test("distinct for distinct rules, whatever other rules there are, in whatever order and format", () => {
  fc.assert(
    fc.property(rules, fc.nat(), fc.integer({ min: 0, max: 4 }), (all, at, indent) => {
      const found = reasons(all);
      expect(new Set(found).size).toBe(all.length);
      expect(reasons(all.toReversed())).toEqual(found.toReversed());
      const without = all.toSpliced(at % all.length, 1);
      if (without.length > 0) expect(reasons(without)).toEqual(found.toSpliced(at % all.length, 1));
      expect(reasons([], JSON.stringify(body(all), undefined, indent))).toEqual(found);
      const spaced = all.map(({ actions, roles, condition, ...rest }) => ({
        ...{ roles: roles.toReversed(), actions: actions.toReversed(), ...rest },
        ...(condition === undefined
          ? {}
          : { condition: JSON.parse(JSON.stringify(condition).replaceAll("==", "  ==\\n")) }),
      }));
      expect(reasons([], `# a comment\n${stringify(body(spaced))}`)).toEqual(found);
    }),
    { numRuns: sized(1_000) },
  );
});

test("written as names they are the same, in blocks, braces and JSON", () => {
  fc.assert(
    fc.property(rules, fc.constantFrom("block", "braces", "json"), fc.boolean(), (all, form, isTwice) => {
      const own = isTwice ? [...all, ...structuredClone(all)] : all;
      const text =
        form === "block"
          ? stringify(body(own))
          : form === "json"
            ? JSON.stringify(body(own), undefined, 2)
            : stringify(body(own), {
                collectionStyle: "flow",
                defaultStringType: "QUOTE_DOUBLE",
                defaultKeyType: "PLAIN",
              });
      const before = modelOf(text);
      const namings = ruleNamings(before);
      expect(namings).toHaveLength(own.length);
      const [file] = namedFiles([{ path: "doc.yaml", text }], namings);
      const after = modelOf(file?.text ?? "");
      const [named] = after.resourcePolicies;
      expect(named?.rules.every((one) => one.named)).toBe(true);
      const was = before.resourcePolicies.flatMap((policy) => policy.rules.map(reasonOf));
      expect(named?.rules.map(reasonOf).slice(0, all.length)).toEqual(was.slice(0, all.length));
      expect(namedFiles([file ?? { path: "", text: "" }], ruleNamings(after))).toEqual([]);
    }),
    { numRuns: sized(1_000) },
  );
});

test("decisions have them, in bundles too", async () => {
  const text = JSON.stringify(body([rule("R.attr.x == 1")]));
  const set = compiled([{ path: "doc.json", text }], { platform: "none" });
  const { module, text: fromText } = await bundledSets(set, { platform: "none" });
  const key = { id: "k", roles: ["user"], attr: {} };
  const request = {
    key,
    operation: "view",
    resource: { kind: "doc", id: "1", attr: { x: 1 } },
    account: { id: "a", attr: {} },
  };
  for (const one of [set, module, fromText]) {
    expect(decide(one, request).permission.reasons).toMatchObject([
      { reason: reasons([rule("R.attr.x == 1")])[0], rule: "rule-001" },
    ]);
  }
});
