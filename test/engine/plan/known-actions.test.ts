/** The kinds and actions that policies know: by name, or by patterns other than `*`. */

import { expect, test } from "vitest";
import { kindMatcher } from "../../../src/engine/plan/actions.js";
import { KnownActions } from "../../../src/engine/plan/known-actions.js";
import { FAULT_KINDS } from "../../../src/engine/plan/verdict.js";
import { compileGlob } from "../../../src/policy/glob.js";
import { policy } from "../../support/compose.js";
import { compiled } from "../../support/policies.js";

const HEAD = "apiVersion: api.cerbos.dev/v1\n";
const FILES = [
  policy({
    resource: "doc",
    rules: [
      "actions: [read, 'edit:*', 'y{a,b}'], roles: [user], effect: EFFECT_ALLOW",
      "actions: [burn], roles: [user], effect: EFFECT_DENY",
    ],
  }),
  policy({ resource: "doc", version: "v2", rules: ["actions: [later], roles: [user], effect: EFFECT_ALLOW"] }),
  policy({ resource: "any", rules: ["actions: ['*'], roles: [user], effect: EFFECT_ALLOW"] }),
  policy({ resource: "a:b", rules: ["actions: [see], roles: [user], effect: EFFECT_ALLOW"] }),
  `${HEAD}principalPolicy:
  principal: u
  version: default
  rules:
    - { resource: "do*", actions: [{ action: own, effect: EFFECT_ALLOW }] }
    - { resource: "**", actions: [{ action: all, effect: EFFECT_ALLOW }] }
    - { resource: named, actions: [{ action: one, effect: EFFECT_DENY }, { action: "*", effect: EFFECT_DENY }] }
`,
  `${HEAD}rolePolicy:
  role: intern
  version: default
  rules:
    - { resource: listed, allowActions: ["x{a,b}", look] }
    - { resource: "*", allowActions: [wide] }
`,
];
const { model } = compiled(
  FILES.map((text, i) => ({ path: `${i}.yaml`, text })),
  { platform: "none", otherVersions: ["v2"] },
);

test("kinds, actions, and what could be allowed", () => {
  const known = new KnownActions(model, "default");
  const kinds = ["doc", "dog", "any", "a:b", "a_b", "named", "listed", "other", "do*", "*", "**"];
  const actions = [
    "read",
    "edit:x",
    "edit",
    "burn",
    "later",
    "see",
    "own",
    "all",
    "one",
    "xa",
    "look",
    "wide",
    "*",
    "ya",
    "y{a,b}",
  ];
  const said = (kind: string) => [
    kind,
    known.namesKind(kind),
    known.namesAll(kind),
    actions.filter((action) => known.names(kind, action)).join(" "),
    actions.filter((action) => known.mayAllow(kind, action)).join(" "),
  ];
  const expected = [
    ["doc", true, false, "read edit:x burn own y{a,b}", "read edit:x own all y{a,b}"],
    ["dog", true, false, "own", "own all"],
    ["any", true, false, "", actions.join(" ")],
    ["a:b", true, false, "see", "see all"],
    ["a_b", true, false, "see", "see all"],
    ["named", true, false, "one", "all"],
    ["listed", true, false, "xa look", "all"],
    ["other", false, false, "", "all"],
    ["do*", true, false, "own", "own all"],
    ["*", false, false, "", "all"],
    ["**", false, false, "", "all"],
  ];
  // Earlier questions make no difference.
  expect([...kinds.map(said), ...kinds.map(said)]).toEqual([...expected, ...expected]);
});

test("all is named where no rule about a kind has a pattern for everything", () => {
  const some = compiled(
    [
      { path: "a.yaml", text: FILES[0] ?? "" },
      { path: "b.yaml", text: FILES[2] ?? "" },
    ],
    { platform: "none" },
  );
  const known = new KnownActions(some.model, "default");
  expect(["doc", "any", "other"].map((kind) => known.namesAll(kind))).toEqual([true, false, true]);
  expect(new KnownActions(model, "v2").names("doc", "later")).toBe(true);
  expect(new KnownActions(model, "v2").namesKind("any")).toBe(false);
});

test("a pattern that is none is for no kind, and a name for its own", () => {
  expect(compileGlob("x*[")).toBeUndefined();
  expect(["x*[", "x*", "x"].map((pattern) => ["x*[", "xy", "x"].map(kindMatcher(pattern)))).toEqual([
    [false, false, false],
    [true, true, true],
    [false, false, true],
  ]);
});

test("the kinds of faults", () => {
  expect(FAULT_KINDS).toEqual([
    ...["invalid_policies", "invalid_request", "unknown_kind", "unknown_operation", "evaluation", "invalid_attributes"],
  ]);
});
