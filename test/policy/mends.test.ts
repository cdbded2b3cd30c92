/** Suggested fixes in the loader's messages, for habits from other languages and for wrong indentation. */

import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { parsePolicyFiles } from "../../src/policy/parse.js";

const policy = (expr: string) => `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: doc
  version: default
  constants: {local: {limit: 3}}
  variables: {local: {is_owner: R.attr.owner == P.id}}
  rules:
    - name: reader
      actions: [read]
      roles: [user]
      effect: EFFECT_ALLOW
      condition:
        match:
          expr: ${expr}
`;

/** The first issue, as `line code (hint)`. */
function mend(text: string): string {
  const parsed = parsePolicyFiles([{ path: "a.yaml", text }]);
  const [issue] = isLeft(parsed) ? parsed.left : parsed.right.warnings;
  return `${issue?.line} ${issue?.code} (${issue?.hint})`;
}

describe("expressions", () => {
  test.each([
    ["R.attr.a & R.attr.b", "expression (did you mean `&&`?)"],
    ["R.attr.a and R.attr.b", "expression (did you mean `&&`?)"],
    ["R.attr.a | R.attr.b", "expression (did you mean `||`?)"],
    ["R.attr.a OR R.attr.b", "expression (did you mean `||`?)"],
    ["not R.attr.a", "expression (did you mean `!`?)"],
    ["R.attr.a === 1", "expression (did you mean `==`?)"],
    ["R.attr.a !== 1", "expression (did you mean `!=`?)"],
    ["R.attr.a <> 1", "expression (did you mean `!=`?)"],
    ["R.attr.a = 1", "expression (did you mean `==`?)"],
    ["R.attr.a is 1", "expression (did you mean `==`?)"],
    ["R.attr.a not in [1]", "expression (did you mean `!(x in list)`?)"],
    ["R.attr.a in (1, 2)", "expression (did you mean `in [a, b]`? A list has square brackets)"],
    ["R.attr.a &&", "expression (an operand must follow)"],
    ["R.attr.a == True", "expression_type (did you mean `true`?)"],
    [
      "account.attr.plan == 'a'",
      "expression_type (did you mean `P`, the principal: the key, and in the platform layer the account?)",
    ],
    ["resource.attr.a", "expression_type (did you mean `R`?)"],
    [
      "state == 'a'",
      "expression_type (attributes are read as `R.attr.state` and `P.attr.state`, variables as `V.state`, texts stand in quotes)",
    ],
    ["R.state == 'a'", "expression_type (did you mean `attr.state`?)"],
    ["R.attributes.a", "expression_type (did you mean `attr`?)"],
    ["V.is_ownr", "undefined_variable (did you mean `is_owner`?)"],
    ["C.limits == 3", "undefined_constant (did you mean `limit`?)"],
    ["R.attr.a.includes('x')", "unknown_function (did you mean `contains`?)"],
    ['"admin" == P.roles', "expression_type (did you mean `x in list`?)"],
    ["len(R.attr.a) > 1", "unknown_function (did you mean `size`?)"],
  ])("%s", (expr, expected) => {
    expect(mend(policy(JSON.stringify(expr)))).toBe(`14 ${expected}`);
  });

  test.each([["R.attr.a R.attr.b"], ["R.attr.a == )"], ["R.attr.'a'"]])("no mend for %s", (expr) => {
    expect(mend(policy(JSON.stringify(expr)))).toBe("14 expression (undefined)");
  });
});

describe("YAML and fields", () => {
  const good = policy("R.attr.a");
  const COLUMN = "begin the lines of one mapping, or of one list, in the same column";

  test.each([
    ["EFFECT_ALLOW", "DENY", '11 shape (did you mean "EFFECT_DENY"?)'],
    ["EFFECT_ALLOW", "allow", '11 shape (did you mean "EFFECT_ALLOW"?)'],
    ["      actions", "     actions", `9 yaml (the indentation is off: ${COLUMN})`],
    ["      actions", "        actions", `8 yaml (the next line is indented deeper than this one: ${COLUMN})`],
    ["      effect", "    effect", `11 yaml (the indentation is off: ${COLUMN})`],
    ["      actions", "\tactions", "9 yaml (indent with spaces)"],
    ["        match:", "      match:", '12 shape (the value of "condition" must be indented deeper than the field)'],
    ["  rules:", "rules:", "7 shape (it belongs to the policy: indent it like the entries there)"],
    ["version: default", "version:default", "4 yaml (write a colon and a space behind each key: `key: value`)"],
    ["R.attr.a\n", "R.attr.a ? 'b: c' : 'd'\n", "14 yaml (quote the value: '…'; it has a colon and a space in it)"],
    ["R.attr.a\n", '"x" == R.attr.a\n', "14 yaml (quote the whole of the value: '…')"],
    ["R.attr.a\n", "!R.attr.a\n", "14 unsupported (quote the value: '…'; YAML takes a ! at its beginning for a tag)"],
  ])("%j for %j", (from, to, expected) => {
    expect(good).toContain(from);
    expect(mend(good.replace(from, () => to))).toBe(expected);
  });

  test.each([
    "R.attr.x in [1, 2]",
    'R.attr["x"] == 1',
    'R.attr.x == 1 && R.attr.y in ["a"]',
    'P.attr.m == {"a": 1}',
    "P.attr.m in [",
  ])("an expression within braces that has to be quoted: %s", (expr) => {
    const braces = good.replace("match:\n          expr: R.attr.a\n", () => `match: {expr: ${expr}}\n`);
    expect(mend(braces)).toBe(
      "13 yaml (quote the whole of the value: '…'; within { } or [ ], a bracket ends an unquoted value)",
    );
    const quoted = `match: {expr: '${expr}'}\n`;
    const right = parsePolicyFiles([
      { path: "a.yaml", text: good.replace("match:\n          expr: R.attr.a\n", () => quoted) },
    ]);
    expect(isLeft(right) && right.left.some(({ code }) => code === "yaml")).toBe(false);
  });
});
