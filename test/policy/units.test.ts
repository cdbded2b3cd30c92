import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { duplicateKey } from "../../src/cel/duplicate-keys.js";
import { didYouMean } from "../../src/policy/distance.js";
import { IssueLog } from "../../src/policy/issue-log.js";
import { generatedRuleName, policyKey, sanitise, scopesAbove } from "../../src/policy/names.js";
import { orderByReads } from "../../src/policy/resolve/order.js";
import { parseJson } from "../../src/policy/text/json.js";
import { Source } from "../../src/policy/text/source.js";
import "../support/seed.js";

describe("names", () => {
  test.each([
    ["album:object", "album_object"],
    ["a/b-c", "a_b_c"],
    ["1weird:x", "1weird:x"],
    ["a.b", "a.b"],
    ["a b", "a b"],
    ["a:", "a:"],
    ["x@@y", "x_y"],
  ])("%s is matched as %s", (name, sanitised) => {
    expect(sanitise(name)).toBe(sanitised);
  });

  test("of policies and of rules without one", () => {
    expect(policyKey("resource", "leave_request", "v1", "")).toBe("resource.leave_request.vv1");
    expect(policyKey("resource", "album:object", "default", "a.b")).toBe("resource.album_object.vdefault/a.b");
    expect([generatedRuleName(0), generatedRuleName(99)]).toEqual(["rule-001", "rule-100"]);
  });

  test("the scopes above a scope", () => {
    expect(scopesAbove("")).toEqual([]);
    expect(scopesAbove("a")).toEqual([""]);
    expect(scopesAbove("a.b-1.c")).toEqual(["a.b-1", "a", ""]);
    expect(scopesAbove(".")).toEqual([""]);
  });
});

test.each([
  ["conditions", 'did you mean "condition"?'],
  ["conditoin", 'did you mean "condition"?'],
  ["ROLES", 'did you mean "roles"?'],
  ["something", undefined],
  ["", undefined],
])("a suggestion for %j", (word, suggestion) => {
  expect(didYouMean(word, ["roles", "condition", "effect"])).toBe(suggestion);
});

describe("the order of variables", () => {
  const graph = fc
    .array(fc.array(fc.nat(11), { maxLength: 3 }), { minLength: 1, maxLength: 12 })
    .map((edges) => new Map(edges.map((to, from) => [`v${from}`, new Set(to.map((each) => `v${each}`))])));

  test("each follows what it reads; what is left out is in a cycle, or reads one", () => {
    fc.assert(
      fc.property(graph, (reads) => {
        const { ordered, cycles } = orderByReads(reads);
        const place = new Map(ordered.map((name, index) => [name, index]));
        for (const name of ordered) {
          for (const other of reads.get(name) ?? []) {
            if (reads.has(other)) expect(place.get(other)).toBeLessThan(place.get(name) ?? -1);
          }
        }
        expect(cycles.length > 0).toBe(ordered.length < reads.size);
        for (const cycle of cycles) {
          cycle.forEach((name, i) => {
            expect(reads.get(name)?.has(cycle[(i + 1) % cycle.length] ?? "")).toBe(true);
          });
        }
      }),
    );
  });
});

describe("strict JSON", () => {
  const parse = (text: string) => {
    const log = new IssueLog();
    const value = parseJson(new Source("x.json", text), log);
    return { value, issues: log.issues.map((issue) => `${issue.line}:${issue.column} ${issue.message}`) };
  };

  test.each([
    ["", "1:1 not JSON: the text ends too early"],
    ["{", "1:2 not JSON: the text ends too early"],
    ['{"a" 1}', '1:6 not JSON: unexpected "1"'],
    ['{"a": 1,}', '1:9 not JSON: unexpected "}"'],
    ["[1, 2\n}", '2:1 not JSON: unexpected "}"'],
    ["[01]", '1:3 not JSON: unexpected "1"'],
    ["// no", '1:1 not JSON: unexpected "/"'],
    ["{} {}", '1:4 not JSON: unexpected "{"'],
    ['{"a": 1,\n "b": {}, "\\u0061": 1}', '2:11 the key "a" is there twice'],
  ])("%j", (text, issue) => {
    expect(parse(text)).toEqual({ value: undefined, issues: [issue] });
  });

  test("accepts what JSON.parse accepts and has no key twice, and nothing else", () => {
    const text = fc.oneof(
      fc.json(),
      fc.string({ unit: fc.constantFrom(...'{}[],:"\\ae1.0- \n', "null", "true", '"a"'), maxLength: 12 }),
    );
    fc.assert(
      fc.property(text, (json) => {
        let expected: unknown;
        try {
          expected = JSON.parse(json);
        } catch {}
        if (duplicateKey(json) !== undefined) expected = undefined;
        expect(parse(json).value).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
  });
});
