/** Requests that the policies do not distinguish share a plan, and each request is assigned its own plan. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { PlanFormulas, roleClassesOf } from "../../../src/engine/formula/plan-formulas.js";
import { FormulaWorld } from "../../../src/engine/formula/world.js";
import { makePlan } from "../../../src/engine/plan/make-plan.js";
import type { Plan, PlanStep } from "../../../src/engine/plan/plan.js";
import { locatePolicies, STRICT_SEARCH } from "../../../src/engine/plan/policy-location.js";
import type { PolicySet } from "../../../src/index.js";
import { sanitise } from "../../../src/policy/names.js";
import { policySet, request } from "../../property/arbitraries/index.js";
import { FormulaValues } from "../../reference/formula-value.js";
import { compiled, compiledDocuments } from "../../support/policies.js";
import { sized } from "../../support/size.js";
import { sourceOf } from "./asked.js";
import "../../support/seed.js";

/** The examined parts of a plan: roles without rows decide nothing. */
function examined({ personal, roles, schemas }: Plan) {
  const stepsIn = (steps: readonly PlanStep[]) =>
    steps.flatMap(({ rows, asksParents, derivedRoles }) =>
      rows.length === 0 ? [] : [{ asksParents, derivedRoles, rows: rows.map(({ rule, guard }) => ({ rule, guard })) }],
    );
  const ofRoles = roles.map(({ role, includes, steps }) => ({ role, includes, steps: stepsIn(steps) }));
  return { personal: stepsIn(personal), roles: ofRoles.filter(({ steps }) => steps.length > 0), schemas };
}

interface Looked {
  readonly policies: PolicySet;
  readonly kind: string;
  readonly action: string;
  readonly scopes: readonly string[];
  readonly ids: readonly string[];
}

/** Expects each case to select exactly its own plan, and returns the number of plans. */
function look({ policies, kind, action, scopes, ids }: Looked): number {
  const world = new FormulaWorld();
  const roles = roleClassesOf([policies]) ?? [];
  const layer = policies.permission;
  const { index, version } = layer;
  const found = new PlanFormulas(world, roles).plansOf(sourceOf(policies, layer), "key", { kind, action });
  for (const resourceScope of scopes) {
    for (const principalScope of scopes) {
      for (const principalId of ids) {
        const key = { id: principalId, roles: [], attr: {}, scope: principalScope };
        const resource = { kind, id: "r", attr: {}, scope: resourceScope };
        const values = new FormulaValues(world, { key, account: { id: "a", attr: {} }, resource, now: undefined });
        const own = found.filter(({ is }) => values.value(is) === true);
        const where = { version, principalVersion: version, principalScope, resourceScope };
        const question = { kind, action, principalId, roles: roles.map(({ name }) => name) };
        const plan = makePlan(index, locatePolicies(index, where, STRICT_SEARCH), question);
        expect(own.map((one) => examined(one.plan))).toEqual([examined(plan)]);
        expect(found.every(({ is }) => values.value(is) !== undefined)).toBe(true);
      }
    }
  }
  return found.length;
}

test("each case of generated policies has its plan, and no other", () => {
  const cases = policySet({ profile: "whole" }).chain((documents) =>
    fc.tuple(fc.constant(documents), fc.array(request(documents), { minLength: 3, maxLength: 3 })),
  );
  let most = 0;
  for (const [documents, requests] of fc.sample(cases, sized(300, 20))) {
    const policies = compiledDocuments(documents);
    const { index } = policies.permission;
    const scopes = [...new Set([...index.resourceScopes, ...index.principalScopes, "", "elsewhere"])].slice(0, 6);
    const ids = [...new Set(policies.model.principalPolicies.map(({ name }) => name)), "nobody"];
    for (const { resource, operation } of requests) {
      most = Math.max(most, look({ policies, kind: sanitise(resource.kind), action: operation, scopes, ids }));
    }
  }
  expect(most).toBeGreaterThan(3);
});

const RULE = { actions: ["read"], roles: ["user"], effect: "EFFECT_ALLOW" };

function document(of: object, i: number) {
  return { path: `${i}.json`, text: JSON.stringify({ apiVersion: "api.cerbos.dev/v1", ...of }) };
}

function resource(kind: string, scope: string) {
  return { resourcePolicy: { resource: kind, version: "default", scope, rules: [RULE] } };
}

function principal(name: string, kind: string, scope = "") {
  const rules = [{ resource: kind, actions: [{ action: "read", effect: "EFFECT_DENY" }] }];
  return { principalPolicy: { principal: name, version: "default", scope, rules } };
}

test("what policies of other kinds tell apart is one case", () => {
  const own = [resource("doc", ""), resource("doc", "a"), principal("alice", "doc")];
  const others = [
    ...["", "a", "a.d", "b", "b.c", "e"].map((scope) => resource("other", scope)),
    ...["bob", "carol"].flatMap((name) => ["", "b", "e"].map((scope) => principal(name, "other", scope))),
  ];
  const policies = compiled([...own, ...others].map(document), { platform: "none" });
  const scopes = ["", "a", "b", "b.c", "a.d", "e", "elsewhere"];
  const asked = { policies, kind: "doc", action: "read", scopes, ids: ["alice", "bob", "carol", "nobody"] };
  // The root's rules alone, with those of a scope, or no rules; each with and without the denial.
  expect(look(asked)).toBe(6);
  expect(look({ ...asked, action: "write" })).toBe(1);
});

test("what no policy names is one case, whatever others are called", () => {
  const documents = [
    ...["", "unnamed"].map((scope) => resource("doc", scope)),
    ...["unnamed", "unnamed_"].flatMap((name) => ["", "unnamed"].map((scope) => principal(name, "doc", scope))),
  ];
  const policies = compiled(documents.map(document), { platform: "none" });
  const names = ["unnamed", "unnamed_", "elsewhere"];
  // For each of the resource's three scopes: the root denial of either principal, one with both of its scopes, or none.
  expect(look({ policies, kind: "doc", action: "read", scopes: ["", ...names], ids: names })).toBe(15);
});

test("a parent role with an asterisk is a role of that name as well", () => {
  const derivedRoles = {
    name: "roles",
    definitions: [
      { name: "dr", parentRoles: ["adm*"] },
      { name: "all", parentRoles: ["*"] },
    ],
  };
  const rule = { actions: ["read"], derivedRoles: ["dr", "all"], effect: "EFFECT_ALLOW" };
  const policy = { resource: "doc", version: "default", importDerivedRoles: ["roles"], rules: [rule] };
  const set = compiled([{ derivedRoles }, { resourcePolicy: policy }].map(document), { platform: "none" });
  const roles = roleClassesOf([set]) ?? [];
  expect(roles).toContainEqual(expect.objectContaining({ name: "adm*", isOpen: false }));
  for (const role of ["adm", "adm*", "admin", "user"]) expect(roles.filter(({ has }) => has(role))).toHaveLength(1);
  expect(roles.filter(({ isOpen }) => isOpen).map(({ name }) => name)).toContain("adm");
  expect(roles.filter(({ name }) => name === "*")).toEqual([]);
});
