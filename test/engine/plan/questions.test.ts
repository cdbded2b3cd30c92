/** Every possible question is decided like one of the representative questions. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { decideAny } from "../../../src/decisions/decide.js";
import { actionsOn, namedKinds, questionsIn } from "../../../src/engine/plan/questions.js";
import { targetsOf } from "../../../src/engine/plan/targets.js";
import { allPolicies } from "../../../src/policy/all-policies.js";
import { permissions, policy } from "../../support/compose.js";

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
        const { questions, areAll } = questionsIn(allPolicies(set.model));
        expect(areAll).toBe(true);
        const ofKind = questions.filter((one) => one.kind === kind);
        const known = ofKind.length > 0 ? ofKind : questions;
        expect(known.map(outcome)).toContain(outcome({ kind, operation }));
      },
    ),
  );
});

/** Patterns that distinguish more classes of operations than are looked for. */
const MANY = [..."abcdefghijklmnop"].map((letter) => `*${letter}*`);

test("where patterns make too many classes, the questions are those by name, and an example of each pattern", () => {
  const rule = (actions: readonly string[]) =>
    `actions: ${JSON.stringify(actions)}, roles: ["*"], effect: EFFECT_ALLOW`;
  const set = permissions({ "doc.yaml": policy({ rules: [rule(["READ", "KEYS.*", ...MANY])] }) });
  const { questions, areAll } = questionsIn(allPolicies(set.model));
  expect(areAll).toBe(false);
  const operations = questions.flatMap(({ kind, operation }) => (kind === "doc" ? [operation] : []));
  expect(operations).toContain("READ");
  expect(operations.filter((one) => one.startsWith("KEYS."))).toHaveLength(1);
  expect(operations).toHaveLength(new Set(operations).size);
  for (const letter of "abcdefghijklmnop") expect(operations.some((one) => one.includes(letter))).toBe(true);
  expect(questions).toContainEqual({ kind: "unnamed", operation: "unnamed" });
});

test("likewise where patterns make too many classes of kinds", () => {
  const rules = MANY.map((resource) => ({ resource, actions: [{ action: "READ", effect: "EFFECT_ALLOW" }] }));
  const personal = { principal: "ann", version: "default", rules };
  const { model } = permissions({
    "doc.yaml": policy({ rules: ['actions: [WRITE], roles: ["*"], effect: EFFECT_ALLOW'] }),
    "ann.json": JSON.stringify({ apiVersion: "api.cerbos.dev/v1", principalPolicy: personal }),
  });
  const { questions, areAll } = questionsIn(allPolicies(model));
  expect(areAll).toBe(false);
  expect(questions).toContainEqual({ kind: "doc", operation: "WRITE" });
  expect(questions).toContainEqual({ kind: "unnamed", operation: "unnamed" });
});

test("actions that the schemas of a kind do not apply to are questions of their own", () => {
  const rules = ['actions: ["*"], roles: ["*"], effect: EFFECT_ALLOW'];
  const ref = "cerbos:///doc.json";
  const { model } = permissions({
    "doc.yaml": policy({
      rules,
      body: `schemas: { resourceSchema: { ref: "${ref}", ignoreWhen: { actions: ["view:*"] } } }`,
    }),
    "album.yaml": policy({ rules, resource: "album" }),
    "_schemas/doc.json": "{}",
  });
  const viewing = questionsIn(allPolicies(model)).questions.filter(({ operation }) => operation.startsWith("view:"));
  expect(viewing.map(({ kind }) => kind)).toEqual(["doc"]);
});

test("kinds have all their spellings, and the actions of the rules about them", () => {
  const rule = (actions: string) => `actions: ${actions}, roles: ["*"], effect: EFFECT_ALLOW`;
  const { model } = permissions({
    "album.yaml": policy({ resource: "album:object", rules: [rule('["view", "edit:*"]')] }),
    "ann.yaml": `
apiVersion: api.cerbos.dev/v1
principalPolicy:
  principal: ann
  version: default
  rules:
    - { resource: album_object, actions: [{ action: share, effect: EFFECT_ALLOW }] }
    - { resource: "album*", actions: [{ action: print, effect: EFFECT_ALLOW }] }
`,
  });
  const policies = allPolicies(model);
  expect(namedKinds(policies).get("album_object")).toEqual(["album:object", "album_object"]);
  const targets = targetsOf(policies);
  expect(actionsOn(targets, "album:object")).toEqual({ names: ["view", "share", "print"], patterns: ["edit:*"] });
  expect(actionsOn(targets, "albums")).toEqual({ names: ["print"], patterns: [] });
});
