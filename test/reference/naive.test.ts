/** Hand-computed answers of the naive evaluator: one row for each rule of the specification. */

import { describe, expect, test } from "vitest";
import type { Definitions, DerivedRolesDocument, Match, PolicyDocument, RuleDocument } from "./documents.js";
import { type NaiveVerdict, naiveDecide, naiveLayer } from "./naive.js";

const apiVersion = "api.cerbos.dev/v1";
const T: Match = { expr: "R.attr.yes" };
const F: Match = { expr: "R.attr.no" };
const ERR: Match = { expr: "R.attr.missing" };
const WORD: Match = { expr: "R.attr.word" };
const LEAVES = new Map<Match, string>([
  [T, "true"],
  [F, "false"],
  [ERR, "error"],
  [WORD, "word"],
]);
const RESOURCE = { kind: "doc", id: "d1", attr: { yes: true, no: false, word: "w", n: 2, list: ["a"] } };

type Rule = Partial<RuleDocument>;

function allow(condition?: Match, more: Rule = {}): RuleDocument {
  return {
    actions: ["read"],
    roles: ["user"],
    effect: "EFFECT_ALLOW",
    ...(condition && { condition: { match: condition } }),
    ...more,
  };
}

function deny(condition?: Match, more: Rule = {}): RuleDocument {
  return { ...allow(condition, more), effect: "EFFECT_DENY" };
}

function policy(
  rules: readonly RuleDocument[],
  more: Definitions & { importDerivedRoles?: string[] } = {},
): PolicyDocument {
  return { apiVersion, resourcePolicy: { resource: "doc", version: "default", ...more, rules } };
}

function ask(documents: readonly PolicyDocument[], roles: readonly string[] = ["user"], action = "read"): NaiveVerdict {
  return naiveLayer(documents, "default", { id: "p1", roles, attr: { team: "red" } }, RESOURCE, action, undefined);
}

/** A verdict as a line: `deny: rule rule-001, error rule-002`. */
function line({ effect, reasons }: NaiveVerdict): string {
  return `${effect}: ${reasons.map((r) => (r.kind === "default" ? r.reason : `${r.kind} ${r.rule}`)).join(", ")}`;
}

describe("effects", () => {
  const cases: readonly (readonly [
    title: string,
    rules: readonly RuleDocument[],
    roles: readonly string[],
    expected: string,
  ])[] = [
    ["nothing applies", [allow(undefined, { roles: ["other"] })], ["user"], "deny: not_granted"],
    ["an ALLOW rule holds", [allow(T)], ["user"], "allow: rule rule-001"],
    ["an ALLOW rule does not hold", [allow(F)], ["user"], "deny: not_granted"],
    [
      "every ALLOW rule that holds is a reason",
      [allow(T), allow(F), allow()],
      ["user"],
      "allow: rule rule-001, rule rule-003",
    ],
    ["DENY beats ALLOW, whatever their order", [allow(), deny(T)], ["user"], "deny: rule rule-002"],
    ["a DENY rule that does not hold is nothing", [deny(F), allow()], ["user"], "allow: rule rule-002"],
    [
      "one role that allows is enough (docs/cerbos-semantics.md §2.6)",
      [allow(undefined, { roles: ["a"] }), deny(undefined, { roles: ["b"] })],
      ["b", "a"],
      "allow: rule rule-001",
    ],
    [
      "only rules of a role that allows are reasons",
      [allow(undefined, { roles: ["a"] }), allow(undefined, { roles: ["b"] }), deny(undefined, { roles: ["b"] })],
      ["a", "b"],
      "allow: rule rule-001",
    ],
    [
      "a DENY rule for * holds for every role",
      [allow(undefined, { roles: ["a", "b"] }), deny(undefined, { roles: ["*"] })],
      ["a", "b"],
      "deny: rule rule-002",
    ],
    ["an ALLOW rule that errs denies", [allow(), allow(ERR)], ["user"], "deny: error rule-002"],
    ["a DENY rule that errs denies", [allow(), deny(ERR)], ["user"], "deny: error rule-002"],
    ["a condition that is not a bool errs", [allow(WORD)], ["user"], "deny: error rule-001"],
    [
      "an error of one role denies all",
      [allow(undefined, { roles: ["a"] }), allow(ERR, { roles: ["b"] })],
      ["a", "b"],
      "deny: error rule-002",
    ],
    [
      "a rule of another role is not reached",
      [allow(), deny(ERR, { roles: ["other"] })],
      ["user"],
      "allow: rule rule-001",
    ],
    [
      "a rule of another action is not reached",
      [allow(), deny(ERR, { actions: ["write", "r:*"] })],
      ["user"],
      "allow: rule rule-001",
    ],
    ["what denies, then what errs", [allow(ERR), deny(T), allow()], ["user"], "deny: rule rule-002, error rule-001"],
    ["names as written", [allow(undefined, { name: "may_read" })], ["user"], "allow: rule may_read"],
    ["actions are globs", [allow(undefined, { actions: ["wr*", "re*"] })], ["user"], "allow: rule rule-001"],
  ];
  test.each(cases)("%s", (_, rules, roles, expected) => {
    expect(line(ask([policy(rules)], roles))).toBe(expected);
  });
});

describe("match", () => {
  const all = (...of: Match[]): Match => ({ all: { of } });
  const any = (...of: Match[]): Match => ({ any: { of } });
  const none = (...of: Match[]): Match => ({ none: { of } });
  const show = (match: Match): string => {
    const leaf = LEAVES.get(match);
    if (leaf !== undefined) return leaf;
    const [name, inner] = Object.entries(match)[0] as [string, { of: Match[] }];
    return `${name}(${inner.of.map(show).join(", ")})`;
  };
  const cases: readonly (readonly [Match, "holds" | "not" | "errs"])[] = [
    [all(T, T), "holds"],
    [all(T, F, ERR), "not"],
    [all(T, ERR, F), "errs"],
    [all(WORD, F), "errs"],
    [any(F, T, ERR), "holds"],
    [any(F, F), "not"],
    [any(ERR, T), "errs"],
    [none(F, F), "holds"],
    [none(F, T, ERR), "not"],
    [none(ERR, T), "errs"],
    [none(all(T, F), any(F, none(T))), "holds"],
    [all(any(F, T), none(F), all(T)), "holds"],
    [any(none(ERR), T), "errs"],
  ];
  test.each(cases.map(([match, expected]) => [show(match), match, expected] as const))("%s", (_, match, expected) => {
    const { effect, errors } = ask([policy([allow(match)])]);
    expect(errors.length > 0 ? "errs" : effect === "allow" ? "holds" : "not").toBe(expected);
  });
});

describe("derived roles", () => {
  const set: DerivedRolesDocument = {
    name: "set",
    variables: { local: { local: "R.attr.yes" } },
    definitions: [
      { name: "owner", parentRoles: ["user"], condition: { match: { expr: "V.local" } } },
      { name: "nobody", parentRoles: ["user"], condition: { match: F } },
      { name: "anyone", parentRoles: ["*"] },
      { name: "broken", parentRoles: ["user"], condition: { match: ERR } },
    ],
  };
  const by = (...derivedRoles: string[]): Rule => ({ roles: [], derivedRoles });
  const cases: readonly (readonly [string, readonly RuleDocument[], readonly string[], string, readonly string[]])[] = [
    [
      "an active one makes the rule apply",
      [allow(undefined, by("owner"))],
      ["user"],
      "allow: rule rule-001",
      ["owner"],
    ],
    ["one that is not active does not", [allow(undefined, by("nobody"))], ["user"], "deny: not_granted", []],
    ["a parent role is needed", [allow(undefined, by("owner"))], ["guest"], "deny: not_granted", []],
    ["* is every role's child", [allow(undefined, by("anyone"))], ["guest"], "allow: rule rule-001", ["anyone"]],
    [
      "in the order of their names",
      [allow(undefined, by("owner", "anyone"))],
      ["user"],
      "allow: rule rule-001",
      ["anyone", "owner"],
    ],
    [
      "of rules for this action alone",
      [allow(), deny(undefined, { ...by("owner"), actions: ["write"] })],
      ["user"],
      "allow: rule rule-001",
      [],
    ],
    [
      "a condition that errs is an error of each rule",
      [allow(undefined, by("broken")), allow(), deny(F, by("broken"))],
      ["user"],
      "deny: error rule-001, error rule-003",
      [],
    ],
    [
      "one that is not active shields the rule's condition",
      [allow(), deny(ERR, by("nobody"))],
      ["user"],
      "allow: rule rule-001",
      [],
    ],
    [
      "it applies for its parent roles alone",
      [allow(undefined, { roles: ["user", "b"] }), deny(undefined, by("owner"))],
      ["user", "b"],
      "allow: rule rule-001",
      ["owner"],
    ],
  ];
  test.each(cases)("%s", (_, rules, roles, expected, active) => {
    const verdict = ask([{ apiVersion, derivedRoles: set }, policy(rules, { importDerivedRoles: ["set"] })], roles);
    expect(line(verdict)).toBe(expected);
    expect(verdict.derivedRoles).toEqual(active);
  });
});

describe("outputs", () => {
  const when = { ruleActivated: '"on " + R.attr.word', conditionNotMet: "R.attr.n" };
  const src = "resource.doc.vdefault#rule-001";
  const cases: readonly (readonly [string, RuleDocument, NaiveVerdict["outputs"]])[] = [
    ["when the rule holds", allow(T, { output: { when } }), [{ src, action: "read", val: "on w" }]],
    ["when it does not", allow(F, { output: { when } }), [{ src, action: "read", val: 2 }]],
    ["not when it errs", allow(ERR, { output: { when } }), []],
    ["not for other roles", allow(T, { output: { when }, roles: ["other"] }), []],
    ["the older form", deny(T, { output: { expr: "R.attr.list" } }), [{ src, action: "read", val: ["a"] }]],
    [
      "null if it errs",
      allow(T, { output: { when: { ruleActivated: "R.attr.n + 1" } } }),
      [{ src, action: "read", val: null }],
    ],
  ];
  test.each(cases)("%s", (_, rule, expected) => {
    expect(ask([policy([rule])]).outputs).toEqual(expected);
  });

  test("one that errs is reported and changes no effect", () => {
    const { effect, errors } = ask([policy([allow(T, { output: { when: { ruleActivated: "R.attr.missing" } } })])]);
    expect({ effect, errors }).toMatchObject({
      effect: "allow",
      errors: [{ rule: "rule-001", expression: "R.attr.missing" }],
    });
  });

  test("one for all roles of the key", () => {
    expect(ask([policy([allow(T, { output: { when }, roles: ["*"] })])], ["a", "b"]).outputs).toHaveLength(1);
  });

  test.each([
    ['"quota"', "quota"],
    ["'quota'", "quota"],
    ['"quo" + "ta"', "rule-001"],
    ["1", "rule-001"],
  ])("the reason of a rule with output %s is %s", (ruleActivated, reason) => {
    expect(ask([policy([deny(undefined, { output: { when: { ruleActivated } } })])]).reasons).toMatchObject([
      { reason, rule: "rule-001" },
    ]);
  });
});

describe("definitions", () => {
  const exports: PolicyDocument[] = [
    { apiVersion, exportVariables: { name: "vars", definitions: { twice: "R.attr.n * C.two", red: "P.attr.team" } } },
    { apiVersion, exportConstants: { name: "consts", definitions: { two: 2, words: ["red"] } } },
  ];
  const definitions: Definitions = {
    variables: { import: ["vars"], local: { good: "V.red in C.words", bad: "R.attr.missing", unused: "1 / 0" } },
    constants: { import: ["consts"], local: { four: 4 } },
  };
  test.each([
    ["V.good && variables.twice == constants.four", "allow: rule rule-001"],
    ["V.bad == 1", "deny: error rule-001"],
    ["V.good || V.bad", "allow: rule rule-001"],
    ["C.two + 1.0 == 3.0", "allow: rule rule-001"],
    ["C.two + 1 == 3", "deny: error rule-001"],
  ])("%s", (expr, expected) => {
    expect(line(ask([policy([allow({ expr })], definitions), ...exports]))).toBe(expected);
  });

  test("the deprecated form at the top of the file", () => {
    expect(line(ask([{ ...policy([allow({ expr: "V.top" })]), variables: { top: "R.attr.yes" } }]))).toBe(
      "allow: rule rule-001",
    );
  });
});

describe("which policy", () => {
  const of = (resource: string, more: Partial<PolicyDocument> = {}, version = "default"): PolicyDocument => ({
    apiVersion,
    ...more,
    resourcePolicy: { resource, version, rules: [allow()] },
  });
  const kinds: readonly (readonly [string, PolicyDocument, string, string, string])[] = [
    ["of the kind", of("doc"), "doc", "resource.doc.vdefault", "allow: rule rule-001"],
    ["of another kind", of("file"), "doc", "NO_MATCH", "deny: not_granted"],
    ["of another version", of("doc", {}, "v2"), "doc", "NO_MATCH", "deny: not_granted"],
    ["a disabled one", of("doc", { disabled: true }), "doc", "NO_MATCH", "deny: not_granted"],
    [
      "a kind with a colon (§2.3)",
      of("album:object"),
      "album_object",
      "resource.album_object.vdefault",
      "allow: rule rule-001",
    ],
    ["a name that is no name", of("1weird:x"), "1weird:x", "resource.1weird:x.vdefault", "allow: rule rule-001"],
    ["… is taken as it is", of("1weird:x"), "1weird_x", "NO_MATCH", "deny: not_granted"],
  ];
  test.each(kinds)("%s", (_, document, kind, key, expected) => {
    const verdict = naiveLayer(
      [document],
      "default",
      { id: "p", roles: ["user"] },
      { kind, id: "r" },
      "read",
      undefined,
    );
    expect([verdict.policy, line(verdict)]).toEqual([key, expected]);
  });
});

describe("decisions", () => {
  const layer = (version: string, role: string, rules: readonly RuleDocument[]): PolicyDocument => ({
    apiVersion,
    resourcePolicy: { resource: "doc", version, rules: rules.map((rule) => ({ ...rule, roles: [role] })) },
  });
  const request = {
    key: { id: "k", roles: ["user"], attr: {} },
    operation: "read",
    resource: RESOURCE,
    account: { id: "a", attr: { paid: true } },
  };
  test.each([
    ["both allow", [allow()], [allow({ expr: 'P.attr.paid && P.id == "a" && P.roles == ["account"]' })], "allow"],
    ["the key may not", [deny()], [allow()], "insufficient_permissions"],
    ["the platform does not", [allow()], [allow(), deny()], "forbidden"],
    ["neither", [], [], "forbidden"],
    ["an error of the key's layer", [allow(ERR)], [allow()], "insufficient_permissions"],
    ["an error of the platform's layer", [allow()], [allow(), deny(ERR)], "forbidden"],
  ] as const)("%s", (_, permission, platform, outcome) => {
    const documents = [layer("default", "user", permission), layer("platform", "account", platform)];
    expect(naiveDecide(documents, request).outcome).toBe(outcome);
  });

  test("the platform's reason by default is not_available", () => {
    const { platform } = naiveDecide([layer("platform", "account", [])], request);
    expect(platform.reasons).toEqual([
      { kind: "default", reason: "not_available", rule: "", policy: "resource.doc.vplatform" },
    ]);
  });
});
