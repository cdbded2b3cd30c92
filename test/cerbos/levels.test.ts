/**
 * What changed from Cerbos 0.55 to 0.58, one case a change: what checks and query plans say at either level, and what the
 * server 0.55.0 says. Level 0.58 is read from the changelog: no such server could be asked.
 */

import { type Client, NotOK, type PlanExpressionOperand, type PlanResourcesResponse } from "@cerbos/core";
import { GRPC } from "@cerbos/grpc";
import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { compileCheckEngine, EmbeddedClient } from "../../src/cerbos/index.js";
import { NO_SERVER, Refused, startServer } from "../support/server.js";
import { withStore } from "./store.js";

interface Case {
  readonly what: string;
  /** The version with the change. */
  readonly since: "0.56" | "0.57" | "0.58";
  readonly policies: readonly object[];
  readonly principal?: { readonly scope?: string; readonly policyVersion?: string };
  readonly resource?: { readonly kind?: string; readonly scope?: string; readonly attr?: { [name: string]: string } };
  readonly action?: string;
  /** The check, then the plan; or how the policies are refused. */
  readonly at055: string;
  readonly at058: string;
  /** What the server 0.55.0 says, if it differs from level 0.55: any of these, where its answer depends on chance. */
  readonly server?: readonly string[];
}

const body = (parts: object) => ({ apiVersion: "api.cerbos.dev/v1", ...parts });

const when = (expr: string) => ({ condition: { match: { expr } } });

const ofKind = (resource: string, rules: readonly object[], parts: object = {}) =>
  body({ resourcePolicy: { resource, version: "default", rules, ...parts } });

const allow = (more: object = {}) => ({ actions: ["*"], roles: ["*"], effect: "EFFECT_ALLOW", ...more });

const ofRole = (...rules: readonly object[]) => body({ rolePolicy: { role: "user", scope: "acme", rules } });

const ofPrincipal = (resource: string, effect: string) =>
  body({
    principalPolicy: {
      principal: "ann",
      version: "default",
      rules: [{ resource, actions: [{ action: "*", effect }] }],
    },
  });

const inScope = (kind: string) => [ofKind(kind, []), ofKind(kind, [allow()], { scope: "acme" })];

const scoped = { principal: { scope: "acme" }, resource: { scope: "acme" } };

const REFUSED = "refused";

const NOT_A = 'not(eq(request.resource.attr.a, "x"))';
const NOT_B = 'not(eq(request.resource.attr.b, "y"))';
const BOTH = `not(or(${NOT_A}, ${NOT_B}))`;

const CASES: readonly Case[] = [
  {
    what: "conditions of a role policy for `*` and for the kind are independent",
    since: "0.57",
    policies: [
      ...inScope("doc"),
      ofRole(
        { resource: "*", allowActions: ["view"], ...when('R.attr.a == "x"') },
        { resource: "doc", allowActions: ["view"], ...when('R.attr.b == "y"') },
      ),
    ],
    ...scoped,
    resource: { scope: "acme", attr: { a: "x", b: "n" } },
    at055: `EFFECT_DENY ${BOTH}`,
    at058: `EFFECT_DENY ${BOTH}`,
    // Checks take either condition for both; which one depends on chance, at each start of the server.
    server: ["EFFECT_ALLOW", "EFFECT_DENY"].flatMap((effect) => [
      `${effect} ${BOTH}`,
      `${effect} not(or(${NOT_B}, ${NOT_A}))`,
    ]),
  },
  {
    what: "a principal policy that denies every resource denies in query plans",
    since: "0.56",
    policies: [ofKind("doc", [allow()]), ofPrincipal("*", "EFFECT_DENY")],
    at055: "EFFECT_DENY KIND_ALWAYS_ALLOWED",
    at058: "EFFECT_DENY KIND_ALWAYS_DENIED",
  },
  {
    what: "policies of one scope that say different scope permissions are refused",
    since: "0.56",
    policies: [
      ...["doc", "note"].map((kind) => ofKind(kind, [allow()])),
      ofKind("doc", [allow()], { scope: "acme", scopePermissions: "SCOPE_PERMISSIONS_OVERRIDE_PARENT" }),
      ofKind("note", [allow()], {
        scope: "acme",
        scopePermissions: "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS",
      }),
    ],
    at055: REFUSED,
    at058: REFUSED,
    server: ["EFFECT_ALLOW KIND_ALWAYS_ALLOWED"],
  },
  {
    what: "a role policy is for a kind with special characters",
    since: "0.56",
    policies: [...inScope("doc:sub-x/y"), ofRole({ resource: "doc:sub-x/y", allowActions: ["view"] })],
    ...scoped,
    resource: { kind: "doc:sub-x/y", scope: "acme" },
    at055: "EFFECT_DENY KIND_ALWAYS_DENIED",
    at058: "EFFECT_ALLOW KIND_ALWAYS_ALLOWED",
  },
  {
    what: "`view:*` in a role policy is a name",
    since: "0.57",
    policies: [...inScope("doc"), ofRole({ resource: "doc", allowActions: ["view:*"] })],
    ...scoped,
    action: "view:public",
    at055: "EFFECT_ALLOW KIND_ALWAYS_ALLOWED",
    at058: "EFFECT_DENY KIND_ALWAYS_DENIED",
  },
  {
    what: "a query plan keeps has()",
    since: "0.57",
    policies: [ofKind("doc", [allow(when("has(R.attr.a)"))])],
    at055: "EFFECT_DENY KIND_ALWAYS_ALLOWED",
    at058: "EFFECT_DENY has(request.resource.attr.a)",
  },
  {
    what: "a query plan reads the version that the principal names",
    since: "0.58",
    policies: [ofKind("doc", [allow(when('P.policyVersion == "default"'))])],
    principal: { policyVersion: "default" },
    at055: "EFFECT_ALLOW KIND_ALWAYS_DENIED",
    at058: "EFFECT_ALLOW KIND_ALWAYS_ALLOWED",
  },
  ...[
    ["hasAll", '["a", "b"].hasAll(["a"])'],
    ["hasAny", '["a", "b"].hasAny(["b", "c"])'],
    ["hasExactly", '["a", "b"].hasExactly(["b", "a"])'],
    ["hasOnly", '["a"].hasOnly(["a", "b"])'],
    ["json.parse", 'json.parse("[1]")[0] == 1.0'],
    ["yaml.parse", 'yaml.parse("a: b").a == "b"'],
    ["yaml.encode", 'yaml.encode({"a": "b"}).contains("a: b")'],
  ].map(
    ([name, expr = ""]): Case => ({
      what: `${name} is a function`,
      since: "0.58",
      policies: [ofKind("doc", [allow(when(expr))])],
      at055: REFUSED,
      at058: "EFFECT_ALLOW KIND_ALWAYS_ALLOWED",
    }),
  ),
  {
    what: "pathHasPrefix resolves dot segments, and knows names that begin with a dot",
    since: "0.58",
    policies: [ofKind("doc", [allow(when('pathHasPrefix("/a/.git", "/a") && !pathHasPrefix("/a/../.git", "/a")'))])],
    at055: "EFFECT_DENY KIND_ALWAYS_DENIED",
    at058: "EFFECT_ALLOW KIND_ALWAYS_ALLOWED",
  },
];

async function saidBy(client: Client, { principal = {}, resource = {}, action = "view" }: Case): Promise<string> {
  const { kind = "doc", scope = "", attr = {} } = resource;
  const asked = { id: "ann", roles: ["user"], attr: {}, ...principal };
  const { actions } = await client.checkResource({
    principal: asked,
    resource: { kind, id: "1", scope, attr },
    actions: [action],
  });
  const plan = await client.planResources({ principal: asked, resource: { kind, scope, attr: {} }, actions: [action] });
  return `${actions[action]} ${planText(plan)}`;
}

function planText(plan: PlanResourcesResponse): string {
  return "condition" in plan ? operandText(plan.condition) : plan.kind;
}

function operandText(operand: PlanExpressionOperand): string {
  if ("operator" in operand) return `${operand.operator}(${operand.operands.map(operandText).join(", ")})`;
  return "name" in operand ? operand.name : JSON.stringify(operand.value);
}

function filesOf({ policies }: Case): { readonly [path: string]: string } {
  return Object.fromEntries(policies.map((one, i) => [`${i}.json`, JSON.stringify(one)]));
}

async function saidAt(level: "0.55" | "0.58", one: Case): Promise<string> {
  const files = Object.entries(filesOf(one)).map(([path, text]) => ({ path, text }));
  const compiled = compileCheckEngine(files, { cerbos: level });
  return isLeft(compiled) ? REFUSED : await saidBy(new EmbeddedClient(compiled.right), one);
}

describe.each(CASES)("since $since, $what", (one) => {
  test("level 0.55", async () => {
    expect(await saidAt("0.55", one)).toBe(one.at055);
  });

  test("level 0.58", async () => {
    expect(await saidAt("0.58", one)).toBe(one.at058);
  });

  test.skipIf(NO_SERVER !== undefined)(`the server 0.55.0 ${NO_SERVER ?? ""}`, { tags: "long" }, async () => {
    const said = await withStore(filesOf(one), async (directory) => {
      try {
        const server = await startServer(directory);
        const client = new GRPC(server.grpc, { tls: false });
        try {
          return await saidBy(client, one);
        } finally {
          client.close();
          await server.stop();
        }
      } catch (error) {
        if (error instanceof Refused) return REFUSED;
        throw error instanceof NotOK ? new Error(error.details) : error;
      }
    });
    expect(one.server ?? [one.at055]).toContain(said);
  });
});

test("since 0.58, matchedScopes of a query plan has each action where no policy is of the scope", async () => {
  const files = [{ path: "a.json", text: JSON.stringify(ofKind("doc", [allow()])) }];
  const scopesAt = async (level: "0.55" | "0.58") => {
    const compiled = compileCheckEngine(files, { cerbos: level });
    if (isLeft(compiled)) throw new Error("the policies are refused");
    const { metadata } = await new EmbeddedClient(compiled.right).planResources({
      principal: { id: "ann", roles: ["user"] },
      resource: { kind: "doc", scope: "acme" },
      actions: ["view", "edit"],
      includeMetadata: true,
    });
    return metadata?.matchedScopes;
  };
  expect([await scopesAt("0.55"), await scopesAt("0.58")]).toEqual([{}, { view: "", edit: "" }]);
});
