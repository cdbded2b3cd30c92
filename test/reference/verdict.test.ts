/** Hand-computed verdicts of the naive evaluator for scopes, principal policies and role policies. */

import { describe, expect, test } from "vitest";
import type {
  DerivedRolesDocument,
  PolicyDocument,
  PrincipalPolicyDocument,
  PrincipalRuleDocument,
  ResourcePolicyDocument,
  RolePolicyDocument,
  RuleDocument,
} from "./documents.js";
import { type NaiveVerdict, naiveLayer } from "./naive.js";

const apiVersion = "api.cerbos.dev/v1";
const YES = "R.attr.yes";
const NO = "R.attr.no";
const ERR = "R.attr.missing";

const when = (expr: string | undefined) => (expr === undefined ? {} : { condition: { match: { expr } } });

type Rule = Partial<RuleDocument>;

function allow(name: string, roles: readonly string[], expr?: string, more: Rule = {}): RuleDocument {
  return { name, actions: ["read"], roles, effect: "EFFECT_ALLOW", ...when(expr), ...more };
}

function deny(name: string, roles: readonly string[], expr?: string, more: Rule = {}): RuleDocument {
  return { ...allow(name, roles, expr, more), effect: "EFFECT_DENY" };
}

type Head = Partial<Pick<ResourcePolicyDocument, "version" | "scopePermissions" | "importDerivedRoles" | "resource">>;

const CONSENT: Head = { scopePermissions: "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS" };

function doc(scope: string, rules: readonly RuleDocument[] = [], head: Head = {}): PolicyDocument {
  return { apiVersion, resourcePolicy: { resource: "doc", version: "default", scope, ...head, rules } };
}

type Personal = PrincipalRuleDocument["actions"][number];

const may = (name: string, expr?: string, action = "read"): Personal => ({
  name,
  action,
  effect: "EFFECT_ALLOW",
  ...when(expr),
});
const mayNot = (name: string, expr?: string): Personal => ({ ...may(name, expr), effect: "EFFECT_DENY" });

/** A principal policy about `doc`, unless `head` says otherwise. */
function personal(
  principal: string,
  scope: string,
  actions: readonly Personal[],
  head: Partial<Pick<PrincipalPolicyDocument, "version" | "scopePermissions">> & { readonly resource?: string } = {},
): PolicyDocument {
  const { resource = "doc", ...rest } = head;
  const rules = [{ resource, actions }];
  return { apiVersion, principalPolicy: { principal, version: "default", scope, ...rest, rules } };
}

/** A role policy that allows reading `doc`, unless `more` says otherwise. */
function role(
  name: string,
  scope: string,
  parentRoles: readonly string[] = [],
  more: Partial<RolePolicyDocument> = {},
): PolicyDocument {
  const rules = [{ resource: "doc", allowActions: ["read"] }];
  return { apiVersion, rolePolicy: { role: name, scope, parentRoles, rules, ...more } };
}

const lists = (allowActions: readonly string[], expr?: string, resource = "doc"): Partial<RolePolicyDocument> => ({
  rules: [{ resource, allowActions, ...when(expr) }],
});

interface Asked {
  readonly roles?: readonly string[];
  readonly scope?: string;
  readonly principalScope?: string;
  readonly id?: string;
  readonly kind?: string;
}

function ask(
  documents: readonly PolicyDocument[],
  { roles = ["user"], scope = "", principalScope = "", id = "p1", kind = "doc" }: Asked = {},
): NaiveVerdict {
  const resource = { kind, id: "d1", attr: { yes: true, no: false, word: "w" }, scope };
  const principal = { id, roles, scope: principalScope };
  return naiveLayer(documents, "default", principal, resource, "read", undefined, { limit: 2 });
}

/** A verdict as a line: `deny resource.doc.vdefault/acme @acme: rule veto, error grant of resource.doc.vdefault`: rules first, by name. */
function line({ effect, policy, scope, reasons }: NaiveVerdict): string {
  const said = [...reasons]
    .sort((a, b) => (a.kind === b.kind ? (a.rule < b.rule ? -1 : 1) : a.kind === "rule" ? -1 : 1))
    .map(({ kind, rule, policy: where }) => `${kind} ${rule || "-"}${where === policy ? "" : ` of ${where || "-"}`}`);
  return `${effect} ${policy} @${scope}: ${said.join(", ")}`;
}

type Cases = readonly (readonly [
  title: string,
  documents: readonly PolicyDocument[],
  asked: Asked,
  expected: string,
])[];

function table(cases: Cases): void {
  test.each(cases)("%s", (_, documents, asked, expected) => {
    expect(line(ask(documents, asked))).toBe(expected);
  });
}

const NOTHING = "deny NO_MATCH @: default - of -";
const UNDECIDED = "deny resource.doc.vdefault @: default -";

describe("where there is nothing for the request", () => {
  table([
    ["no policy", [], {}, NOTHING],
    ["a policy for another kind", [doc("", [allow("a", ["*"])], { resource: "file" })], {}, NOTHING],
    ["a policy of another version", [doc("", [allow("a", ["*"])], { version: "v2" })], {}, NOTHING],
    ["a scope that no policy has", [doc("", [allow("a", ["*"])])], { scope: "acme" }, NOTHING],
    [
      "a disabled policy makes no scope",
      [doc("", [allow("a", ["*"])]), { ...doc("acme"), disabled: true }],
      { scope: "acme" },
      NOTHING,
    ],
    ["the root is a scope like others", [doc("acme", [allow("a", ["*"])])], {}, NOTHING],
    ["somebody else's principal policy changes no word of it", [personal("p2", "", [may("m")])], {}, NOTHING],
    ["a policy without a rule for the role", [doc("", [allow("a", ["b"])])], {}, UNDECIDED],
    ["somebody else's role policy about the kind", [role("b", "")], {}, UNDECIDED],
    ["somebody else's role policy about another kind", [role("b", "", [], lists(["*"], YES, "file"))], {}, NOTHING],
    ["a role policy without rules is none", [role("b", "", [], { rules: [] })], {}, NOTHING],
  ]);
});

describe("the chain of scopes", () => {
  const root = doc("", [allow("a", ["user"])]);
  table([
    [
      "a scope that has no policy of the kind leaves it to those above",
      [root, doc("acme", [], { resource: "file" })],
      { scope: "acme" },
      "allow resource.doc.vdefault/acme @: rule a of resource.doc.vdefault",
    ],
    [
      "also one that only another version has",
      [root, doc("acme", [], { version: "v2" })],
      { scope: "acme" },
      "allow resource.doc.vdefault/acme @: rule a of resource.doc.vdefault",
    ],
    [
      "also one that only a role policy has",
      [root, role("b", "acme")],
      { scope: "acme" },
      "allow resource.doc.vdefault/acme @: rule a of resource.doc.vdefault",
    ],
    [
      "but not one of a role policy without rules",
      [root, role("b", "acme", [], { rules: [] })],
      { scope: "acme" },
      NOTHING,
    ],
    ["nor one of a principal policy", [root, personal("p2", "acme", [may("m")])], { scope: "acme" }, NOTHING],
    [
      "unknown scopes between are passed over",
      [root, doc("a.b.c", [], { resource: "file" })],
      { scope: "a.b.c" },
      "allow resource.doc.vdefault/a.b.c @: rule a of resource.doc.vdefault",
    ],
    ["a scope below a known one is unknown", [root, doc("acme")], { scope: "acme.eu" }, NOTHING],
    [
      "a dot at its beginning is taken off",
      [root, doc("acme", [deny("d", ["user"])])],
      { scope: ".acme" },
      "deny resource.doc.vdefault/acme @acme: rule d",
    ],
    [
      "a dot alone is the root",
      [root, doc("acme", [deny("d", ["user"])])],
      { scope: "." },
      "allow resource.doc.vdefault @: rule a",
    ],
  ]);
});

describe("principal policies", () => {
  const root = doc("", [deny("d", ["user"])]);
  const consent = { scopePermissions: CONSENT.scopePermissions ?? "SCOPE_PERMISSIONS_OVERRIDE_PARENT" };
  const key = "principal.p1.vdefault";
  table([
    ["an ALLOW is final", [root, personal("p1", "", [may("m")])], {}, `allow ${key} @: rule m`],
    [
      "a DENY is final",
      [doc("", [allow("a", ["user"])]), personal("p1", "", [mayNot("n")])],
      {},
      `deny ${key} @: rule n`,
    ],
    ["DENY beats ALLOW", [personal("p1", "", [may("m"), mayNot("n", YES)])], {}, `deny ${key} @: rule n`],
    [
      "an error beats both, and the DENY rules are told",
      [personal("p1", "", [may("m"), mayNot("n"), may("e", ERR)])],
      {},
      `deny ${key} @: rule n, error e`,
    ],
    [
      "what does not hold leaves it to the roles",
      [root, personal("p1", "", [may("m", NO), mayNot("n", NO)])],
      {},
      "deny resource.doc.vdefault @: rule d",
    ],
    [
      "another action",
      [root, personal("p1", "", [may("m", undefined, "write")])],
      {},
      "deny resource.doc.vdefault @: rule d",
    ],
    [
      "another version",
      [root, personal("p1", "", [may("m")], { version: "v2" })],
      {},
      "deny resource.doc.vdefault @: rule d",
    ],
    ["a glob of kinds", [personal("p1", "", [may("m")], { resource: "d*" })], {}, `allow ${key} @: rule m`],
    [
      "a kind with a colon",
      [personal("p1", "", [may("m")], { resource: "album:object" })],
      { kind: "album_object" },
      `allow ${key} @: rule m`,
    ],
    [
      "a glob with a colon matches no such kind",
      [personal("p1", "", [may("m")], { resource: "album:*" })],
      { kind: "album:object" },
      NOTHING,
    ],
    [
      "ids are compared as they are and shown sanitised",
      [personal("a:b", "", [may("m")])],
      { id: "a:b" },
      "allow principal.a_b.vdefault @: rule m",
    ],
    ["a_b is not a:b", [personal("a:b", "", [may("m")])], { id: "a_b" }, NOTHING],
    [
      "the most specific scope first",
      [personal("p1", "", [may("m")]), personal("p1", "acme", [mayNot("n")])],
      { principalScope: "acme" },
      `deny ${key}/acme @acme: rule n`,
    ],
    [
      "then those above, under the name of the first",
      [personal("p1", "", [may("m")]), personal("p1", "acme", [mayNot("n", NO)])],
      { principalScope: "acme" },
      `allow ${key}/acme @: rule m of ${key}`,
    ],
    [
      "an error is that of the scope's policy",
      [personal("p1", "", [may("m", ERR)]), personal("p1", "acme", [])],
      { principalScope: "acme" },
      `deny ${key} @: error m`,
    ],
    [
      "the resource's scope is another matter",
      [personal("p1", "", [may("m")]), personal("p1", "acme", [mayNot("n")])],
      {},
      `allow ${key} @: rule m`,
    ],
    [
      "consent: an ALLOW leaves it to the parents",
      [personal("p1", "", [mayNot("n")]), personal("p1", "acme", [may("m")], consent)],
      { principalScope: "acme" },
      `deny ${key}/acme @: rule n of ${key}`,
    ],
    [
      "consent: an ALLOW that does not hold denies",
      [personal("p1", "", [may("m")]), personal("p1", "acme", [may("v", NO)], consent)],
      { principalScope: "acme" },
      `deny ${key}/acme @acme: rule v`,
    ],
    [
      "consent: one that holds is nothing",
      [personal("p1", "", [may("m")]), personal("p1", "acme", [may("v", YES)], consent)],
      { principalScope: "acme" },
      `allow ${key}/acme @: rule m of ${key}`,
    ],
    [
      "consent: one that errs",
      [personal("p1", "", [may("m")]), personal("p1", "acme", [may("v", ERR)], consent)],
      { principalScope: "acme" },
      `deny ${key}/acme @acme: error v`,
    ],
  ]);

  test("rules without a name are counted in each block", () => {
    const { name: _, ...unnamed } = may("x");
    expect(line(ask([personal("p1", "", [may("m", NO), unnamed])]))).toBe(`allow ${key} @: rule doc_rule-002`);
  });
});

describe("scopes of a role", () => {
  const root = doc("", [allow("a", ["user"])]);
  const at = { scope: "acme" };
  const KEY = "resource.doc.vdefault";
  table([
    [
      "the most specific scope that decides",
      [root, doc("acme", [deny("d", ["user"])])],
      at,
      `deny ${KEY}/acme @acme: rule d`,
    ],
    [
      "what holds for another role is nothing",
      [root, doc("acme", [deny("d", ["b"])])],
      at,
      `allow ${KEY}/acme @: rule a of ${KEY}`,
    ],
    [
      "an ALLOW overrides the parents",
      [doc("", [deny("d", ["user"])]), doc("acme", [allow("b", ["user"])])],
      at,
      `allow ${KEY}/acme @acme: rule b`,
    ],
    [
      "an error is that of the scope's policy",
      [doc("", [allow("a", ["user"], ERR)]), doc("acme")],
      at,
      `deny ${KEY} @: error a`,
    ],
    [
      "what errs above is not reached",
      [doc("", [allow("a", ["user"], ERR)]), doc("acme", [deny("d", ["user"])])],
      at,
      `deny ${KEY}/acme @acme: rule d`,
    ],
    [
      "consent: the parent decides after an ALLOW",
      [root, doc("acme", [allow("b", ["user"])], CONSENT)],
      at,
      `allow ${KEY}/acme @: rule a of ${KEY}`,
    ],
    [
      "consent: and must allow",
      [doc(""), doc("acme", [allow("b", ["user"])], CONSENT)],
      at,
      `deny ${KEY}/acme @: default -`,
    ],
    [
      "consent: a condition that does not hold denies",
      [root, doc("acme", [allow("b", ["user"], NO)], CONSENT)],
      at,
      `deny ${KEY}/acme @acme: rule b`,
    ],
    [
      "consent: one that holds grants nothing",
      [doc(""), doc("acme", [allow("b", ["user"], YES)], CONSENT)],
      at,
      `deny ${KEY}/acme @: default -`,
    ],
    [
      "consent: one that errs denies",
      [root, doc("acme", [allow("b", ["user"], ERR)], CONSENT)],
      at,
      `deny ${KEY}/acme @acme: error b`,
    ],
    [
      "consent: silence leaves it to the parents",
      [root, doc("acme", [], CONSENT)],
      at,
      `allow ${KEY}/acme @: rule a of ${KEY}`,
    ],
    [
      "consent is the scope's, whoever says so",
      [
        doc("", [deny("d", ["user"])]),
        doc("acme", [allow("b", ["user"])], CONSENT),
        doc("acme", [], { ...CONSENT, resource: "file" }),
      ],
      at,
      `deny ${KEY}/acme @: rule d of ${KEY}`,
    ],
    [
      "all of a scope is examined: DENY and error",
      [doc("", [allow("a", ["user"]), deny("d", ["user"]), deny("e", ["user"], ERR)])],
      {},
      `deny ${KEY} @: rule d, error e`,
    ],
  ]);
});

describe("role policies", () => {
  const root = doc("", [allow("a", ["user"])]);
  const intern: Asked = { roles: ["intern"] };
  const KEY = "resource.doc.vdefault";
  table([
    ["a role has what it includes", [root, role("intern", "", ["user"])], intern, `allow ${KEY} @: rule a`],
    [
      "however far up",
      [root, role("intern", "", ["lead"]), role("lead", "", ["user"])],
      intern,
      `allow ${KEY} @: rule a`,
    ],
    [
      "in a circle as well",
      [root, role("intern", "", ["lead"]), role("lead", "", ["intern", "user"])],
      intern,
      `allow ${KEY} @: rule a`,
    ],
    [
      "by a policy without rules, too",
      [root, role("intern", "", ["user"], { rules: [] })],
      intern,
      `allow ${KEY} @: rule a`,
    ],
    [
      "by that of another version, where it has none",
      [root, role("intern", "", ["user"], { version: "v2" })],
      intern,
      `allow ${KEY} @: rule a`,
    ],
    [
      "but not where it has one",
      [root, role("intern", "", ["user"], { version: "v2" }), role("intern", "")],
      intern,
      UNDECIDED,
    ],
    [
      "in exactly the resource's scope: not in one above",
      [root, role("intern", "", ["user"]), doc("acme")],
      { ...intern, scope: "acme" },
      "deny resource.doc.vdefault/acme @: default -",
    ],
    [
      "and then in the scopes above as well",
      [root, role("intern", "acme", ["user"])],
      { ...intern, scope: "acme" },
      `allow ${KEY}/acme @: rule a of ${KEY}`,
    ],
    [
      "the dot is taken off first",
      [root, role("intern", "acme", ["user"])],
      { ...intern, scope: ".acme" },
      `allow ${KEY}/acme @: rule a of ${KEY}`,
    ],
    [
      "an action that is not listed is refused",
      [root, role("user", "", [], lists(["write"]))],
      {},
      "deny role.user.vdefault @: default -",
    ],
    [
      "a kind that is not listed is refused",
      [root, role("user", "", [], lists(["*"], YES, "file"))],
      {},
      "deny role.user.vdefault @: default -",
    ],
    [
      "what is included restricts too",
      [root, role("intern", "", ["user"]), role("user", "", [], lists(["write"]))],
      intern,
      "deny role.user.vdefault @: default -",
    ],
    [
      "the nearest is named",
      [root, role("intern", "", ["user"], lists(["write"])), role("user", "", [], lists(["write"]))],
      intern,
      "deny role.intern.vdefault @: default -",
    ],
    [
      "among those equally near, the first by name",
      [root, role("intern", "", ["b", "a"]), role("a", "", [], lists(["write"])), role("b", "", [], lists(["write"]))],
      intern,
      "deny role.a.vdefault @: default -",
    ],
    [
      "a condition that holds refuses nothing",
      [root, role("user", "", [], lists(["read"], YES))],
      {},
      `allow ${KEY} @: rule a`,
    ],
    [
      "one that does not hold refuses",
      [root, role("user", "", [], lists(["read"], NO))],
      {},
      "deny role.user.vdefault @: default -",
    ],
    [
      "also beside one that does",
      [
        root,
        role("user", "", [], {
          rules: [...(lists(["*"], YES).rules ?? []), ...(lists(["read"], NO, "*").rules ?? [])],
        }),
      ],
      {},
      "deny role.user.vdefault @: default -",
    ],
    [
      "one that errs is an error",
      [root, role("user", "", [], lists(["read"], ERR))],
      {},
      "deny role.user.vdefault @: error -",
    ],
    [
      "an error of a role policy is named before one of a rule",
      [doc("", [allow("a", ["user"], ERR)]), role("user", "", [], lists(["read"], ERR))],
      {},
      `deny role.user.vdefault @: error -, error a of ${KEY}`,
    ],
    [
      "an error of a rule is named where a role policy only refuses",
      [doc("", [allow("a", ["user"], ERR)]), role("user", "", [], lists(["read"], NO))],
      {},
      `deny ${KEY} @: error a`,
    ],
    [
      "a DENY rule is told beside a refusal, under its name",
      [doc("", [deny("d", ["user"])]), role("user", "", [], lists(["write"]))],
      {},
      `deny role.user.vdefault @: rule d of ${KEY}`,
    ],
    [
      "restricts in its own scope, not below",
      [root, doc("acme", [allow("b", ["user"])]), role("user", "", [], lists(["write"]))],
      { scope: "acme" },
      `allow ${KEY}/acme @acme: rule b`,
    ],
    [
      "restricts in scopes above, reached from below",
      [root, doc("acme"), role("user", "", [], lists(["write"]))],
      { scope: "acme" },
      "deny role.user.vdefault @: default -",
    ],
    [
      "of another version does not restrict",
      [root, role("user", "", [], { ...lists(["write"]), version: "v2" })],
      {},
      `allow ${KEY} @: rule a`,
    ],
    [
      "album:object matches no kind",
      [
        doc("", [allow("a", ["user"])], { resource: "album:object" }),
        role("user", "", [], lists(["*"], undefined, "album:object")),
      ],
      { kind: "album:object" },
      "deny role.user.vdefault @: default -",
    ],
    [
      "album_object does",
      [
        doc("", [allow("a", ["user"])], { resource: "album:object" }),
        role("user", "", [], lists(["*"], undefined, "album_object")),
      ],
      { kind: "album:object" },
      "allow resource.album_object.vdefault @: rule a",
    ],
  ]);

  const elsewhere = role("user", "acme", [], lists(["*"], YES, "file"));
  const acme: Asked = { scope: "acme" };
  table([
    [
      "where nothing is about the kind, role policies do not restrict",
      [root, elsewhere],
      acme,
      `allow ${KEY}/acme @: rule a of ${KEY}`,
    ],
    [
      "they do beside a rule for the role, of whatever action",
      [root, elsewhere, doc("acme", [allow("b", ["user"], undefined, { actions: ["write"] })])],
      acme,
      "deny role.user.vdefault/acme @acme: default -",
    ],
    [
      "but not beside a policy without rules",
      [root, elsewhere, doc("acme")],
      acme,
      `allow ${KEY}/acme @: rule a of ${KEY}`,
    ],
    [
      "… nor beside rules for other roles",
      [root, elsewhere, doc("acme", [allow("b", ["b"])])],
      acme,
      `allow ${KEY}/acme @: rule a of ${KEY}`,
    ],
    [
      "… nor beside a role policy about it for another role",
      [root, elsewhere, role("b", "acme")],
      acme,
      `allow ${KEY}/acme @: rule a of ${KEY}`,
    ],
    [
      "… but not of another version",
      [root, elsewhere, personal("p2", "acme", [may("m")], { version: "v2" })],
      acme,
      `allow ${KEY}/acme @: rule a of ${KEY}`,
    ],
    [
      "… nor about another kind",
      [root, elsewhere, personal("p2", "acme", [may("m")], { resource: "file" })],
      acme,
      `allow ${KEY}/acme @: rule a of ${KEY}`,
    ],
  ]);
});

describe("roles together", () => {
  const KEY = "resource.doc.vdefault";
  const ab: Asked = { roles: ["a", "b"] };
  const both = (documents: readonly PolicyDocument[], expected: string, scope = ""): Cases => [
    [`${expected}, roles a and b`, documents, { ...ab, scope }, expected],
    [`${expected}, roles b and a`, documents, { roles: ["b", "a", "b"], scope }, expected],
  ];
  table([
    ...both([doc("", [allow("x", ["a"]), deny("y", ["b"])])], `allow ${KEY} @: rule x`),
    ...both([doc("", [allow("x", ["a"]), allow("y", ["b"], ERR)])], `deny ${KEY} @: error y`),
    ...both([doc("", [deny("x", ["a"]), allow("y", ["b"], ERR)])], `deny ${KEY} @: rule x, error y`),
    ...both([doc("", [deny("x", ["a"]), deny("y", ["b"])])], `deny ${KEY} @: rule x, rule y`),
    ...both([doc("", [deny("x", ["a", "b"])])], `deny ${KEY} @: rule x`),
    // The most specific scope that allows, refuses or errs counts, regardless of the order of roles.
    ...both(
      [role("a", "", [], lists(["write"])), role("b", "", [], lists(["write"])), doc("")],
      "deny role.a.vdefault @: default -",
    ),
    // In the scope `acme` only role policies are about the kind; one of them is in the root.
    ...both(
      [doc(""), role("a", "", [], lists(["write"])), role("b", "acme", [], lists(["write"]))],
      "deny role.b.vdefault/acme @acme: default -",
      "acme",
    ),
    // An error in the root precedes a refusal in a scope below, but the refusal's DENY rule is reported too.
    ...both(
      [doc("", [allow("y", ["b"], ERR)]), doc("acme", [deny("x", ["a"])])],
      `deny ${KEY} @: rule x of ${KEY}/acme, error y`,
      "acme",
    ),
    ...both(
      [doc("", [allow("x", ["a"]), deny("y", ["b"], YES)]), doc("acme", [])],
      `allow ${KEY}/acme @: rule x of ${KEY}`,
      "acme",
    ),
  ]);

  test("of those who allow, the most specific scope is named and all rules are told", () => {
    const documents = [doc("", [allow("x", ["a"])]), doc("acme", [allow("y", ["b"])])];
    for (const roles of [
      ["a", "b"],
      ["b", "a"],
    ]) {
      const verdict = ask(documents, { roles, scope: "acme" });
      expect(verdict).toMatchObject({ effect: "allow", policy: `${KEY}/acme`, scope: "acme" });
      expect(verdict.reasons.map(({ rule }) => rule).sort()).toEqual(["x", "y"]);
    }
  });
});

describe("what else a verdict says", () => {
  const output = { when: { ruleActivated: '"held"', conditionNotMet: '"not"' } };
  const shown = (verdict: NaiveVerdict) => verdict.outputs.map(({ src, val }) => `${src} ${val}`).sort();
  const KEY = "resource.doc.vdefault";

  test("outputs are those of every scope that was visited, each rule's once", () => {
    const documents = [
      doc("", [allow("a", ["*"], undefined, { output }), allow("w", ["*"], undefined, { output, actions: ["write"] })]),
      doc("acme", [deny("d", ["user", "b"], NO, { output }), deny("o", ["other"], undefined, { output })]),
    ];
    expect(shown(ask(documents, { roles: ["user", "b"], scope: "acme" }))).toEqual([
      `${KEY}#a held`,
      `${KEY}/acme#d not`,
    ]);
    expect(shown(ask(documents, { roles: ["user"] }))).toEqual([`${KEY}#a held`]);
  });

  test("not of scopes above the one that decides for every role", () => {
    const documents = [doc("", [allow("a", ["user"], undefined, { output })]), doc("acme", [deny("d", ["user"])])];
    expect(shown(ask(documents, { scope: "acme" }))).toEqual([]);
  });

  test("those of personal rules stay when they decide nothing", () => {
    const documents = [personal("p1", "", [{ ...may("m", NO), output }]), doc("", [allow("a", ["user"])])];
    expect(shown(ask(documents))).toEqual(["principal.p1.vdefault#m not"]);
  });

  test("a consenting ALLOW rule is the DENY rule that it becomes", () => {
    const documents = [doc(""), doc("acme", [allow("v", ["user"], NO, { output })], CONSENT)];
    const verdict = ask(documents, { scope: "acme" });
    expect(shown(verdict)).toEqual([`${KEY}/acme#v held`]);
    expect(verdict.reasons).toEqual([{ kind: "rule", reason: "held", rule: "v", policy: `${KEY}/acme` }]);
  });

  const roles: DerivedRolesDocument = {
    name: "set",
    definitions: [
      { name: "zed", parentRoles: ["user"], condition: { match: { expr: YES } } },
      { name: "any", parentRoles: ["*"] },
      { name: "never", parentRoles: ["user"], condition: { match: { expr: NO } } },
      { name: "broken", parentRoles: ["user"], condition: { match: { expr: ERR } } },
      {
        name: "reader",
        parentRoles: ["user"],
        condition: { match: { expr: '"zed" in runtime.effectiveDerivedRoles' } },
      },
    ],
  };
  const set: PolicyDocument = { apiVersion, derivedRoles: roles };
  const by = (name: string, derivedRoles: readonly string[], expr?: string): RuleDocument => ({
    name,
    actions: ["read"],
    derivedRoles,
    effect: "EFFECT_ALLOW",
    ...when(expr),
  });
  const withSet = (rules: readonly RuleDocument[], scope = "") => doc(scope, rules, { importDerivedRoles: ["set"] });

  test.each<[string, readonly PolicyDocument[], Asked, readonly string[]]>([
    ["those that examined rules list, by name", [withSet([by("r", ["zed", "any", "never"])])], {}, ["any", "zed"]],
    ["whether the rule holds or not", [withSet([by("r", ["zed"], NO)])], {}, ["zed"]],
    ["not those of rules for another action", [withSet([{ ...by("r", ["zed"]), actions: ["write"] }])], {}, []],
    [
      "of every scope visited",
      [withSet([by("r", ["zed"])]), withSet([by("s", ["any"], NO)], "acme")],
      { scope: "acme" },
      ["any", "zed"],
    ],
    [
      "not of those that were not",
      [withSet([by("r", ["zed"])]), withSet([by("s", ["any"])], "acme")],
      { scope: "acme" },
      ["any"],
    ],
    ["one that another role has", [withSet([by("r", ["zed"])])], { roles: ["other"] }, []],
    [
      "one whose parent is included",
      [withSet([by("r", ["zed"])]), role("intern", "", ["user"])],
      { roles: ["intern"] },
      ["zed"],
    ],
    ["one that reads the list sees it", [withSet([by("r", ["zed", "reader"])])], {}, ["reader", "zed"]],
    ["none where a principal policy decides", [withSet([by("r", ["zed"])]), personal("p1", "", [may("m")])], {}, []],
  ])("derived roles: %s", (_, documents, asked, expected) => {
    expect(ask([set, ...documents], asked).derivedRoles).toEqual(expected);
  });

  const LIST = "runtime.effectiveDerivedRoles";
  const write = (names: readonly string[]) => ({ ...by("w", names), actions: ["write"] });
  test.each<[string, readonly RuleDocument[], string, boolean | "error"]>([
    ["those that any rule of the policy lists", [write(["zed", "any"])], `${LIST} == ["any", "zed"]`, true],
    ["not those that none lists", [write(["zed"])], `"any" in ${LIST}`, false],
    ["not those whose condition does not hold", [write(["never"])], `${LIST} == []`, true],
    ["while it is found out it is empty", [write(["zed", "reader"])], `${LIST} == ["zed"]`, true],
    ["if one of them errs, so does reading it", [write(["broken", "zed"])], `"zed" in ${LIST}`, "error"],
    ["but not what does not read it", [write(["broken", "zed"])], YES, true],
    ["by the other spelling", [write(["zed"])], "size(runtime.effective_derived_roles) == 1", true],
  ])("the list: %s", (_, rules, expr, expected) => {
    const { effect, errors } = ask([set, withSet([...rules, allow("q", ["user"], expr)])]);
    expect(errors.length > 0 ? "error" : effect === "allow").toBe(expected);
    if (expected === "error") expect(errors).toMatchObject([{ policy: KEY, rule: "q", expression: expr }]);
  });

  test("the list is that of the scope, and of all roles of the principal", () => {
    const documents = [
      set,
      withSet([write(["zed"]), allow("q", ["b"], `${LIST} == ["zed"]`)]),
      withSet([write(["any"])], "acme"),
    ];
    expect(ask(documents, { scope: "acme", roles: ["b", "user"] }).effect).toBe("allow");
    expect(ask(documents, { scope: "acme", roles: ["b"] }).effect).toBe("deny");
  });

  test("the list is empty for principal policies", () => {
    const documents = [set, withSet([write(["zed"])]), personal("p1", "", [may("m", `${LIST} == []`)])];
    expect(ask(documents).effect).toBe("allow");
  });

  test("an error is told once for each rule and expression, also of the derived roles that a rule lists", () => {
    const two = { ...allow("x", ["user"], ERR), derivedRoles: ["broken"] };
    const { errors } = ask([set, withSet([two, by("y", ["broken"])])], { roles: ["user", "b", "user"] });
    expect(errors.map(({ rule, expression }) => `${rule} ${expression}`)).toEqual([`x ${ERR}`, `y ${ERR}`]);
  });

  test("rules of role policies have no name in errors", () => {
    const { errors, reasons } = ask([doc(""), role("user", "", [], lists(["read"], ERR))]);
    expect(errors).toMatchObject([{ policy: "role.user.vdefault", rule: "", expression: ERR }]);
    expect(reasons).toEqual([{ kind: "error", reason: "", rule: "", policy: "role.user.vdefault" }]);
  });

  test("a verdict that allows has errors of outputs alone", () => {
    const failing = { when: { ruleActivated: ERR } };
    const documents = [set, withSet([allow("a", ["user"], undefined, { output: failing }), write(["broken"])])];
    const { effect, errors, outputs } = ask(documents);
    expect(effect).toBe("allow");
    expect(errors).toMatchObject([{ rule: "a", expression: ERR }]);
    expect(outputs).toMatchObject([{ val: null }]);
  });

  test.each([
    ["G.limit == 2", true],
    ["globals.limit == 2", true],
    ["G.missing == null", "error"],
    ["has(G.limit) && !has(G.missing)", true],
    ['R.scope == "acme" && P.scope == "acme.eu"', true],
    ['R.policyVersion == "" && P.policyVersion == ""', true],
    ['string(R.attr["word"]) == "w"', true],
    ['cel.bind(w, R.attr.word, w == "w")', true],
    ["true || cel.bind(t, int, t == int)", true],
    ['R.attr.word == "w" || cel.bind(t, int, t == int)', "error"],
    ['[R.attr.word].exists(i, w, i == 0 && w == "w")', true],
    ['R.attr.all(k, v, k != "word" || v == "w")', true],
    ['["a", "b"].transformList(i, w, i > 0, w) == ["b"]', true],
    ['{"a": 1, "b": 2}.transformMap(k, v, v > 1, k) == {"b": "b"}', true],
    ["[1, 2].existsOne(i, n, n > 1)", true],
  ])("%s", (expr, expected) => {
    const documents = [doc("", [allow("a", ["user"], expr)]), doc("acme"), personal("p2", "acme.eu", [])];
    const { effect, errors } = ask(documents, { scope: ".acme", principalScope: ".acme.eu" });
    expect(errors.length > 0 ? "error" : effect === "allow").toBe(expected);
  });

  test.each([
    ["int", "n", 2],
    ["double", "n", 2],
    ["string", "n", "2"],
    ["string", "k", "w"],
    ["timestamp", "t", "2024-01-01T00:00:00Z"],
    ["duration", "d", "3600s"],
  ])("%s of a read by a key in brackets is that of a read by a name", (fn, key, expected) => {
    const attr = { m: { n: 2, k: "w", t: "2024-01-01T00:00:00Z", d: "1h" } };
    const show = (path: string) => {
      const rule = allow("a", ["user"], undefined, { output: { when: { ruleActivated: `${fn}(R.attr.${path})` } } });
      const principal = { id: "p", roles: ["user"] };
      const resource = { kind: "doc", id: "d", attr };
      const { errors, outputs } = naiveLayer([doc("", [rule])], "default", principal, resource, "read", undefined);
      return errors.length > 0 ? "error" : outputs[0]?.val;
    };
    expect(show(`m["${key}"]`)).toBe(expected);
    expect(show(`m.${key}`)).toBe(expected);
  });
});
