/** Expressions that cannot be intended, by the types that schemas declare. */

import { describe, expect, test } from "vitest";
import { findingsOf } from "../../../src/audit/findings/findings.js";
import { policy, when } from "../../support/compose.js";
import { compiled } from "../../support/policies.js";

const SCHEMA = JSON.stringify({
  type: "object",
  properties: {
    state: { enum: ["draft", "sent", "paid"] },
    owner: { type: "string" },
    frozen: { type: "boolean" },
    used: { type: "integer", minimum: 0 },
    limit: { type: "number" },
    nickname: { type: ["string", "null"] },
    tags: { type: "array", items: { enum: ["red", "green"] } },
    place: { type: "object", properties: { city: { type: "string" } } },
    anything: {},
  },
});
const SCHEMAS = `schemas:
  resourceSchema: {ref: "cerbos:///doc.json"}
  principalSchema: {ref: "cerbos:///doc.json"}
constants: {local: {max: 10, states: [draft, sent]}}
variables: {local: {count: R.attr.used, is_owner: R.attr.owner == P.id, level: '"high"'}}`;

/** Findings for a condition of a platform rule, as `column code: message (hint)`. */
function found(expr: string): string[] {
  const rule = `name: odd, actions: [read], roles: [account], effect: EFFECT_DENY, ${when(expr)}, output: {when: {ruleActivated: '"odd"'}}`;
  const supported = "name: supported, actions: [read], roles: [account], effect: EFFECT_ALLOW";
  const set = compiled([
    { path: "p.yaml", text: policy({ version: "platform", body: SCHEMAS, rules: [supported, rule] }) },
    { path: "a.yaml", text: policy({ rules: ["name: a, actions: [read], roles: [user], effect: EFFECT_ALLOW"] }) },
    { path: "_schemas/doc.json", text: SCHEMA },
  ]);
  return findingsOf(set)
    .filter(({ code }) => !code.startsWith("unused"))
    .map(({ code, severity, message, hint }) => `${severity} ${code}: ${message} (${hint})`);
}

describe("is reported", () => {
  test.each([
    [
      "R.attr.used + 1 > 3",
      /^error always_errs: \+ does not accept these values.* \(numbers in requests have decimals \(type double\): write 1\.0\)$/,
    ],
    ["R.attr.anything + 1 > 3", /^error always_errs: .*R\.attr\.anything is a value of a request/],
    ["V.count + 1 > 3", /^error always_errs: .*V\.count is a number by cerbos:\/\/\/doc\.json/],
    ["C.max + 1 > 3", /^error always_errs: .*write 1\.0/],
    ["R.attr.used % 2 == 0", /^error always_errs: .*int\(…\) % n/],
    ['R.attr.owner + R.attr.used == "a1"', /^error always_errs: .*string\(…\)/],
    ["R.attr.owner > 5", /^error always_errs: > does not accept these values/],
    ['R.attr.used.startsWith("1")', /^error always_errs: startsWith\(\) does not accept these values/],
    [
      '"a" in R.attr.owner',
      /^error always_errs: .*did you mean "a" == R\.attr\.owner, or R\.attr\.owner\.contains\("a"\)\?/,
    ],
    ["R.attr.owner.exists(x, x == R.id)", /^error always_errs: R\.attr\.owner is a text .*exists\(\) needs a list/],
    ['R.attr.owner.name == "a"', /^error always_errs: R\.attr\.owner is a text .*has no field name/],
    ["size(R.attr.frozen) > 1", /^error always_errs: size\(\)/],
    ["hasIntersection(R.attr.owner, ['a'])", /^error always_errs: hasIntersection\(\)/],
    ["timestamp(R.attr.frozen) < now()", /^error always_errs: timestamp\(\)/],
    ['R.attr.tags.contains("red")', /^error always_errs: .*did you mean "red" in R\.attr\.tags\?/],
    ["now() - R.attr.owner > duration('1h')", /^error always_errs: .*write timestamp\(R\.attr\.owner\)/],
    ['"true"', /^error not_boolean: .*\(did you mean true\?\)/],
    ["R.attr.owner", /^error not_boolean: R\.attr\.owner is a text .*\(write a comparison: R\.attr\.owner == "…"\)/],
    ["V.level", /^error not_boolean: V\.level is a text/],
    ["size(R.attr.tags)", /^error not_boolean: .*an int/],
    ["V.is_owner && R.attr.tags", /^error not_boolean: R\.attr\.tags is a list/],
    ["!R.attr.used", /^error not_boolean: R\.attr\.used is a number/],
    [
      'R.attr.frozen == "true"',
      /^warning impossible_comparison: .*this comparison is never true \(did you mean true\?\)/,
    ],
    [
      'R.attr.frozen != "false"',
      /^warning impossible_comparison: .*this comparison is always true \(did you mean false\?\)/,
    ],
    ['R.attr.used == "5"', /^warning impossible_comparison: .*did you mean 5\?/],
    ["R.attr.owner == 5", /^warning impossible_comparison: .*did you mean "5"\?/],
    ['R.attr.tags == "red"', /^warning impossible_comparison: .*did you mean "red" in R\.attr\.tags\?/],
    ["R.attr.used == R.attr.owner", /^warning impossible_comparison: .*compare values of the same type/],
    ['R.attr.used in ["1", "2"]', /^warning impossible_comparison: R\.attr\.used is never "1"/],
    [
      'R.attr.state == "darft"',
      /^warning impossible_value: .*this comparison is never true \(did you mean "draft"\?\)/,
    ],
    [
      'R.attr.state != "closed"',
      /^warning impossible_value: .*this comparison is always true \(it may be "draft", "sent", "paid"\)/,
    ],
    ['R.attr.state in ["draft", "payed"]', /^warning impossible_value: R\.attr\.state is never "payed".*"paid"/],
    ['"blue" in R.attr.tags', /^warning impossible_value: "blue" is never in R\.attr\.tags/],
    ["hasIntersection(R.attr.tags, ['red', 'gren'])", /^warning impossible_value: 'gren' is never in .*"green"/],
    ['R.attr.tags.exists(t, t == "gren")', /^warning impossible_value: t is never "gren"/],
    ['"owner" in P.roles', /^warning impossible_value: "owner" is never in P\.roles, by the platform layer/],
    ['"edtior" in runtime.effectiveDerivedRoles', /^warning impossible_value: .*is never in runtime/],
    ['R.kind == "page"', /^warning impossible_value: R\.kind is never "page" in a policy for another kind/],
    [
      "R.attr.ownr == P.id",
      /^error undeclared_attribute: this rule reads R\.attr\.ownr, .* DENY rule .*did you mean "owner"\?/,
    ],
    ["R.attr.place.town == R.id", /^error undeclared_attribute: this rule reads R\.attr\.place\.town,/],
  ])("%s", (expr, expected) => {
    const findings = found(expr);
    expect(findings).toContainEqual(expect.stringMatching(expected));
    // Each mistake is reported once, apart from its effect on the whole condition.
    expect(findings.filter((one) => !/contradictory|tautological/.test(one)).length).toBeLessThanOrEqual(2);
  });
});

describe("nothing is said of", () => {
  test.each([
    ["R.attr.used + 1.0 > 3"],
    ["R.attr.used >= 3 && C.max > R.attr.used"],
    ["int(R.attr.used) % 2 == 0"],
    ["R.attr.limit - R.attr.used <= 0.0"],
    ["R.attr.owner + string(R.attr.used) == P.id"],
    ["R.attr.state in C.states"],
    ['R.attr.state in ["draft", "sent", "paid"]'],
    ['R.attr.tags.exists(t, t == "red")'],
    ["R.attr.tags == []"],
    ["R.attr.owner == null || R.attr.nickname == null"],
    ['R.attr.nickname == "a" || R.attr.nickname != null'],
    ["R.attr.anything == 1 || R.attr.anything == 'a' || R.attr.anything + 1.0 > 2"],
    ["R.attr.anything && R.attr.anything.x.y"],
    ['has(R.attr.place.city) && R.attr.place["city"] == "Rome"'],
    ['R.attr.?owner.orValue("") == P.id'],
    ['"account" in P.roles && R.kind == "doc"'],
    ["R.attr.frozen == true ? V.is_owner : R.attr.used == 0"],
    ["cel.bind(x, R.attr.used, x > 1)"],
    ['R.attr.owner.matches("^a") && size(R.attr.owner) > 2'],
    ["R.attr.tags[0] == 'red' && R.attr.used == 5 && R.attr.used == 5.0"],
    ["timestamp(R.attr.owner) < now() && R.attr.tags.all(t, t in ['red'])"],
    ["hierarchy(R.attr.owner) == hierarchy(P.id)"],
    ["R.attr.used > 3u"],
  ])("%s", (expr) => {
    expect(found(expr)).toEqual([]);
  });
});
