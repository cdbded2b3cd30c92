/** The level of the policy language: what another level means otherwise is refused, with its place and a remedy. */

import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { parsePolicyFiles } from "../../src/policy/parse.js";

function issues(level: string | undefined, body: object): readonly string[] {
  const text = JSON.stringify({ apiVersion: "api.cerbos.dev/v1", ...body });
  const configuration = level === undefined ? [] : [{ path: "keyward.yaml", text: `cerbos: "${level}"\n` }];
  const parsed = parsePolicyFiles([{ path: "a.json", text }, ...configuration]);
  if (!isLeft(parsed)) return [];
  return parsed.left.map(({ code, message, hint }) => `${code}: ${message} (${hint})`);
}

function condition(expr: string) {
  const rule = { actions: ["read"], roles: ["user"], effect: "EFFECT_ALLOW", condition: { match: { expr } } };
  return { resourcePolicy: { resource: "doc", version: "default", rules: [rule] } };
}

function rolePolicy(resource: string, allowActions: readonly string[]) {
  return { rolePolicy: { role: "guest", scope: "", rules: [{ resource, allowActions }] } };
}

describe("functions", () => {
  test.each(["hasAll", "hasAny", "hasExactly", "hasOnly"])("%s is one of level 0.58", (fn) => {
    const refused = `unsupported: ${fn}() is a function of Cerbos 0.58 (write \`cerbos: "0.58"\` in keyward.yaml)`;
    const body = condition(`R.attr.list.${fn}(["a"])`);
    expect(issues(undefined, body)).toEqual([refused]);
    expect(issues("0.55", body)).toEqual([refused]);
    expect(issues("0.58", body)).toEqual([]);
  });

  test("a call that does not check is refused at either level for that alone", () => {
    const body = condition('R.attr.list.hasAny("a")');
    for (const level of ["0.55", "0.58"])
      expect(issues(level, body)[0]).toMatch(/^expression_type: .*no matching overload/);
  });

  test("pathHasPrefix means something else in 0.58", () => {
    const body = condition('pathHasPrefix(R.attr.path, "/a")');
    expect(issues("0.55", body)).toEqual([]);
    expect(issues("0.58", body)).toEqual([
      'unsupported: pathHasPrefix() has another meaning after Cerbos 0.55, which is not supported (write `cerbos: "0.55"` in keyward.yaml)',
    ]);
  });

  test("each call has an issue, in variables too", () => {
    const rule = { actions: ["read"], roles: ["user"], effect: "EFFECT_ALLOW", condition: { match: { expr: "V.v" } } };
    const variables = { local: { v: 'R.attr.a.hasAny(["x"]) || R.attr.b.hasOnly(["y"])' } };
    const found = issues("0.55", { resourcePolicy: { resource: "doc", version: "default", variables, rules: [rule] } });
    expect(found.map((issue) => issue.slice(0, 24))).toEqual(["unsupported: hasAny() is", "unsupported: hasOnly() i"]);
  });
});

describe("role policies", () => {
  test.each(["view:*", "**", "{a,b}", "[ab]"])("the pattern %s is literal in 0.58", (action) => {
    expect(issues("0.55", rolePolicy("doc", ["read", action]))).toEqual([]);
    expect(issues("0.58", rolePolicy("doc", ["read", action]))).toEqual([
      `unsupported: the pattern "${action}" has another meaning in Cerbos 0.58, which is not supported (list the actions, or write \`*\`)`,
    ]);
  });

  test("an asterisk alone means the same", () => {
    expect(issues("0.58", rolePolicy("doc", ["*"]))).toEqual([]);
  });

  test("kinds with special characters are matched in 0.58", () => {
    expect(issues("0.55", rolePolicy("doc:sub-x", ["read"]))).toEqual([]);
    expect(issues("0.58", rolePolicy("doc:sub-x", ["read"]))).toEqual([
      'unsupported: "doc:sub-x" in a role policy has another meaning in Cerbos 0.58, which is not supported (use a kind of letters, digits and _)',
    ]);
  });
});
