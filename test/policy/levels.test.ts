/** The level of the policy language: each level has its own functions, and role policies mean something else. */

import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { decide } from "../../src/index.js";
import { parsePolicyFiles } from "../../src/policy/parse.js";
import { compiled } from "../support/policies.js";

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

const account = { id: "a", attr: {} };

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

  test.each([
    ["json.parse", "json.parse(R.attr.text).a == 1"],
    ["yaml.parse", "yaml.parse(R.attr.text).a == 1"],
    ["yaml.encode", 'yaml.encode(R.attr) == "a: 1"'],
  ])("%s is one of level 0.58", (fn, expr) => {
    const refused = `unsupported: ${fn}() is a function of Cerbos 0.58 (write \`cerbos: "0.58"\` in keyward.yaml)`;
    expect(issues("0.55", condition(expr))).toEqual([refused]);
    expect(issues("0.58", condition(expr))).toEqual([]);
    expect(issues("0.58", condition(`${fn}()`))).toEqual([expect.stringMatching(/^expression_type: /)]);
  });

  test("a call that does not check either has an issue for each", () => {
    const body = condition('R.attr.list.hasAny("a")');
    const refused = issues("0.55", body);
    expect(refused[0]).toMatch(/^unsupported: hasAny\(\) is a function of Cerbos 0.58/);
    for (const found of [refused.slice(1), issues("0.58", body)]) {
      expect(found).toEqual([expect.stringMatching(/^expression_type: .*no matching overload/)]);
    }
  });

  test("pathHasPrefix is a function of either level", () => {
    const body = condition('pathHasPrefix(R.attr.path, "/a")');
    for (const level of ["0.55", "0.58"]) expect(issues(level, body)).toEqual([]);
  });

  test("each call has an issue, in variables too", () => {
    const rule = { actions: ["read"], roles: ["user"], effect: "EFFECT_ALLOW", condition: { match: { expr: "V.v" } } };
    const variables = { local: { v: 'R.attr.a.hasAny(["x"]) || R.attr.b.hasOnly(["y"])' } };
    const found = issues("0.55", { resourcePolicy: { resource: "doc", version: "default", variables, rules: [rule] } });
    expect(found.map((issue) => issue.slice(0, 24))).toEqual(["unsupported: hasAny() is", "unsupported: hasOnly() i"]);
  });
});

/** Whether a role policy and a resource policy that allows all allow an action on a kind. */
function isAllowed(level: string | undefined, rule: readonly [string, string], kind: string, action: string): boolean {
  const own = { rolePolicy: { role: "guest", scope: "acme", rules: [{ resource: rule[0], allowActions: [rule[1]] }] } };
  const all = [
    { resourcePolicy: { resource: kind, version: "default", rules: [] } },
    {
      resourcePolicy: {
        ...{ resource: kind, version: "default", scope: "acme" },
        rules: [{ actions: ["*"], roles: ["*"], effect: "EFFECT_ALLOW" }],
      },
    },
  ];
  const files = [own, ...all].map((body, i) => ({
    path: `${i}.json`,
    text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", ...body }),
  }));
  const configuration = level === undefined ? [] : [{ path: "keyward.yaml", text: `cerbos: "${level}"\n` }];
  const set = compiled([...files, ...configuration], { platform: "none" });
  const resource = { kind, id: "1", scope: "acme", attr: {} };
  const key = { id: "k", roles: ["guest"], attr: {} };
  return decide(set, { key, account, operation: action, resource }).outcome === "allow";
}

describe("role policies", () => {
  test.each([
    ["view:*", "view:public", "view:*"],
    ["**", "view", "**"],
    ["{a*,b}", "a1", "{a*,b}"],
  ])("%s matches %s at level 0.55, and itself alone at level 0.58", (written, other, itself) => {
    for (const level of [undefined, "0.55"]) expect(isAllowed(level, ["doc", written], "doc", other)).toBe(true);
    expect(isAllowed("0.58", ["doc", written], "doc", other)).toBe(false);
    expect(isAllowed("0.58", ["doc", written], "doc", itself)).toBe(true);
  });

  test("an asterisk alone matches every action at either level", () => {
    for (const level of ["0.55", "0.58"]) expect(isAllowed(level, ["doc", "*"], "doc", "view:public")).toBe(true);
  });

  test("a pattern is reported at level 0.58", () => {
    const files = [
      {
        path: "a.json",
        text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", ...rolePolicy("doc", ["read", "view:*"]) }),
      },
    ];
    const warnings = (level: string) => {
      const parsed = parsePolicyFiles([...files, { path: "keyward.yaml", text: `cerbos: "${level}"\n` }]);
      return isLeft(parsed) ? undefined : parsed.right.warnings.map(({ message }) => message);
    };
    expect(warnings("0.55")).toEqual([]);
    expect(warnings("0.58")).toEqual([
      '"view:*" is a name in a role policy, and no pattern, since Cerbos 0.57. List the actions',
    ]);
  });

  test("kinds with special characters are matched at level 0.58", () => {
    for (const kind of ["doc:sub-x", "album:object"]) {
      expect(isAllowed("0.55", [kind, "read"], kind, "read"), kind).toBe(false);
      expect(isAllowed("0.58", [kind, "read"], kind, "read"), kind).toBe(true);
    }
    expect(isAllowed("0.58", ["doc_*", "read"], "doc:sub-x", "read")).toBe(true);
  });
});
