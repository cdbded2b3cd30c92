/**
 * Policies and requests that vary everything that chooses a plan: keys, accounts, scopes, kinds and actions. Plans have
 * no conditions, a few, or more than one word of a bit set holds.
 */

import type { DecisionRequest } from "../../src/index.js";
import type { PolicyDocuments, RuleDocument } from "../reference/documents.js";

const apiVersion = "api.cerbos.dev/v1";
const when = (expr: string) => ({ condition: { match: { expr } } });
const rule = (name: string, actions: readonly string[], more: Partial<RuleDocument>): RuleDocument => ({
  name,
  actions,
  roles: ["user"],
  effect: "EFFECT_ALLOW",
  ...more,
});
const deny = { effect: "EFFECT_DENY" } as const;

/** `count` rules for one action, each reading an attribute of its own. */
const many = (action: string, count: number): readonly RuleDocument[] =>
  Array.from({ length: count }, (_, i) =>
    rule(`${action}_${i}`, [action], {
      ...when(`R.attr.${i % 2 === 0 ? "n" : "m"} == ${i}.0`),
      ...(i % 5 === 4 && deny),
    }),
  );

export const DOCUMENTS: PolicyDocuments = [
  {
    apiVersion,
    derivedRoles: {
      name: "roles",
      definitions: [
        { name: "owner", parentRoles: ["user"], ...when("R.attr.owner == P.id") },
        { name: "globbed", parentRoles: ["us*"], ...when("R.attr.secret == true") },
        { name: "peer", parentRoles: ["user", "admin"], ...when("P.attr.team == R.attr.team") },
      ],
    },
  },
  {
    apiVersion,
    resourcePolicy: {
      resource: "doc",
      version: "default",
      importDerivedRoles: ["roles"],
      variables: { local: { open: "R.attr.open == true" } },
      rules: [
        rule("always", ["list"], {}),
        rule("open", ["read"], when("V.open")),
        rule("own", ["read", "edit"], { roles: [], derivedRoles: ["owner"] }),
        rule("peers", ["read"], { roles: [], derivedRoles: ["peer"], ...when('"read" in P.attr.permissions') }),
        rule("frozen", ["edit"], { roles: ["*"], ...deny, ...when("R.attr.frozen") }),
        rule("admin", ["*"], { roles: ["admin"] }),
        rule("told", ["tell"], { ...when("R.attr.open"), output: { when: { ruleActivated: "R.id + P.id" } } }),
        rule("late", ["wait"], when("now() > timestamp(R.attr.at)")),
        rule("shaped", ["match"], when('R.attr.owner.matches("^u")')),
        rule("hidden", ["match"], { roles: [], derivedRoles: ["globbed"] }),
        rule("shaped_too", ["match"], { ...when("R.attr.open"), ...deny }),
        ...many("seven", 7),
        ...many("nine", 9),
        ...many("sixty", 60),
      ],
    },
  },
  {
    apiVersion,
    resourcePolicy: {
      resource: "doc",
      version: "default",
      scope: "acme",
      rules: [rule("in_acme", ["read"], { ...deny, ...when("R.attr.frozen == true") })],
    },
  },
  { apiVersion, resourcePolicy: { resource: "note", version: "default", rules: [rule("any", ["read"], {})] } },
  {
    apiVersion,
    principalPolicy: {
      principal: "u2",
      version: "default",
      rules: [
        { resource: "doc", actions: [{ name: "hers", action: "read", effect: "EFFECT_DENY", ...when("R.attr.open") }] },
        { resource: "note", actions: [{ name: "not_hers", action: "*", effect: "EFFECT_DENY" }] },
      ],
    },
  },
  {
    apiVersion,
    rolePolicy: {
      role: "intern",
      version: "default",
      parentRoles: ["user"],
      rules: [{ resource: "doc", allowActions: ["read", "list"] }],
    },
  },
  {
    apiVersion,
    resourcePolicy: {
      resource: "doc",
      version: "platform",
      rules: [
        rule("supported", ["*"], { roles: ["account"] }),
        rule("closed", ["edit", "tell", "nine"], { roles: ["account"], ...deny, ...when('P.attr.plan == "free"') }),
        rule("held", ["read", "match"], { roles: ["account"], ...deny, ...when("R.attr.held && P.attr.strict") }),
      ],
    },
  },
  {
    apiVersion,
    resourcePolicy: {
      resource: "note",
      version: "platform",
      rules: [rule("supported", ["*"], { roles: ["account"] })],
    },
  },
  {
    apiVersion,
    resourcePolicy: {
      resource: "doc",
      version: "platform",
      scope: "eu",
      rules: [rule("not_in_eu", ["list"], { roles: ["account"], ...deny })],
    },
  },
  {
    apiVersion,
    principalPolicy: {
      principal: "a2",
      version: "platform",
      rules: [
        { resource: "doc", actions: [{ name: "its", action: "read", effect: "EFFECT_DENY", ...when("R.attr.open") }] },
      ],
    },
  },
];

/** The policies without principal policies, so that a plan does not depend on the principal. */
export const IMPERSONAL = DOCUMENTS.filter(({ principalPolicy }) => principalPolicy === undefined);

const team = (permissions: readonly string[]) => ({ team: "red", permissions: [...permissions] });
export const KEYS: readonly DecisionRequest["key"][] = [
  { id: "u1", roles: ["user"], attr: team(["read"]) },
  { id: "u1", roles: ["user"], attr: {} },
  { id: "u2", roles: ["user"], attr: team([]) },
  { id: "u3", roles: ["user", "admin"], attr: team(["read"]) },
  { id: "u4", roles: ["intern"], attr: team(["read"]) },
  { id: "u5", roles: ["nobody"], attr: {} },
  { id: "u6", roles: ["user"], scope: "acme", attr: team(["read"]) },
];
export const ACCOUNTS: readonly DecisionRequest["account"][] = [
  { id: "a1", attr: { plan: "pro", strict: false } },
  { id: "a1", attr: { plan: "free", strict: true } },
  { id: "a2", attr: { plan: "pro" } },
  { id: "a3", attr: { plan: "pro", strict: true }, scope: "eu" },
];
const at = "2024-01-01T00:00:00Z";
export const RESOURCES: readonly DecisionRequest["resource"][] = [
  { kind: "doc", id: "d1", attr: { owner: "u1", open: true, frozen: false, held: false, team: "red", n: 2, m: 3, at } },
  {
    kind: "doc",
    id: "d2",
    attr: {
      owner: "u2",
      open: false,
      frozen: true,
      held: true,
      team: "blue",
      secret: true,
      n: 58,
      m: 59,
      at: "2030-01-01T00:00:00Z",
    },
  },
  { kind: "doc", id: "d3", attr: { owner: "u3", open: "yes", held: true, n: "4", m: 4 } },
  {
    kind: "doc",
    id: "d4",
    attr: { owner: "u1", open: true, frozen: true, held: false, team: "red", n: 0, m: 1, at },
    scope: "acme",
  },
  { kind: "doc", id: "d5", attr: { owner: "u1", open: true, held: false, secret: false, n: 4, m: 54 }, scope: "eu" },
  // Of sixty conditions, the same ones hold in the first word of a bit set, and different ones in the second.
  { kind: "doc", id: "d6", attr: { owner: "u1", open: true, held: false, n: 2, m: 51 } },
  { kind: "doc", id: "d7", attr: { owner: "u1", open: true, held: false, n: 2, m: 59 } },
  { kind: "note", id: "n1", attr: {} },
  { kind: "other", id: "o1", attr: {} },
];
export const ACTIONS = ["list", "read", "edit", "tell", "wait", "match", "seven", "nine", "sixty", "none"];
export const NOW = new Date("2024-06-01T00:00:00Z");
