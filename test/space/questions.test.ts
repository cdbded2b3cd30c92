/** Every possible question is decided like one of the representative questions. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { decideAny } from "../../src/decisions/decide.js";
import { touches } from "../../src/space/asked-about.js";
import { roleSets } from "../../src/space/question-space.js";
import { namedQuestions, questionClasses } from "../../src/space/questions.js";
import { permissions, policy } from "../support/compose.js";

const ACTIONS = ["read", "write", "keys.*", "keys.read", "*.read", "re?d", "{read,list}", "[rw]*", "*", "keys.**"];
const OPERATIONS = ["read", "write", "list", "reed", "keys", "keys.read", "keys.a.b", "a.read", "x", "constructor"];
const KINDS = ["doc", "album", "constructor", "unknown"];

const rules = fc.array(
  fc.record({
    actions: fc.uniqueArray(fc.constantFrom(...ACTIONS), { minLength: 1, maxLength: 2 }),
    effect: fc.constantFrom("EFFECT_ALLOW", "EFFECT_DENY"),
  }),
  { minLength: 1, maxLength: 4 },
);

test("for kinds and operations with patterns", () => {
  fc.assert(
    fc.property(
      rules,
      rules,
      fc.constantFrom(...KINDS),
      fc.constantFrom(...OPERATIONS),
      (docs, albums, kind, operation) => {
        const body = (resource: string, all: typeof docs) =>
          policy({
            resource,
            rules: all.map(
              ({ actions, effect }) => `actions: ${JSON.stringify(actions)}, roles: ["*"], effect: ${effect}`,
            ),
          });
        const set = permissions({ "docs.yaml": body("doc", docs), "albums.yaml": body("album", albums) }, {});
        const outcome = (asked: { readonly kind: string; readonly operation: string }) => {
          const { outcome: said, permission } = decideAny(set, {
            key: { id: "k", roles: ["user"] },
            operation: asked.operation,
            resource: { kind: asked.kind, id: "r" },
            account: { id: "a" },
          });
          return JSON.stringify([said, permission?.effect]);
        };
        const classes = questionClasses([set]);
        expect(classes).toBeDefined();
        const ofKind = classes?.filter((one) => one.kind === kind) ?? [];
        const known = ofKind.length > 0 ? ofKind : (classes ?? []);
        expect(known.map(outcome)).toContain(outcome({ kind, operation }));
      },
    ),
  );
});

test("questions by name are those that rules name, one that they do not, and an example of each pattern", () => {
  const rule = (actions: string) => `actions: ${actions}, roles: ["*"], effect: EFFECT_ALLOW`;
  const set = permissions({ "doc.yaml": policy({ rules: [rule('["read", "keys.*"]')] }) });
  const asked = namedQuestions([set]).filter(({ kind }) => kind === "doc");
  const operations = asked.map(({ operation }) => operation);
  expect(operations).toContain("read");
  expect(operations.filter((one) => one.startsWith("keys."))).toHaveLength(1);
  expect(operations.length).toBe(new Set(operations).size);
  expect(operations.length).toBeGreaterThanOrEqual(3);
});

test("roles are tried one by one, and all together", () => {
  expect(roleSets([])).toEqual([]);
  expect(roleSets(["a"])).toEqual([["a"]]);
  expect(roleSets(["a", "b"])).toEqual([["a"], ["b"], ["a", "b"]]);
});

test.each([
  ["a", ["a"], true],
  ["a", ["a.b"], true],
  ["a.b", ["a"], true],
  ["a", ["ab"], false],
  ["a.b", ["a.c"], false],
  ["a", [], false],
])("damage to %s touches %j: %s", (attribute, others, expected) => {
  expect(touches(attribute, others)).toBe(expected);
});
