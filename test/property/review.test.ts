/**
 * Every certain statement of a review is true: checked on generated policies with decisions and traces of the engine.
 *
 * @module-tag long
 */

import fc from "fast-check";
import { isRight } from "fp-ts/lib/Either.js";
import { expect, test } from "vitest";
import { formulaOf } from "../../src/audit/findings/formula.js";
import { isSatisfiable } from "../../src/audit/findings/satisfiable.js";
import { possible } from "../../src/audit/operations/reachability.js";
import { pack } from "../../src/bundle/pack.js";
import { unpack } from "../../src/bundle/unpack.js";
import { children, type Expr } from "../../src/cel/ast.js";
import type { JsonMap } from "../../src/cel/values.js";
import { configurationOf } from "../../src/decisions/configuration.js";
import { decide } from "../../src/decisions/decide.js";
import { DecisionTables } from "../../src/decisions/decision-tables.js";
import { decisionTracer, traceDecision } from "../../src/decisions/trace.js";
import { CLOSURES_ONLY, FULL_EQUIPMENT } from "../../src/engine/evaluate/full-equipment.js";
import { Layer } from "../../src/engine/evaluate/layer.js";
import type { PolicySet } from "../../src/index.js";
import { type Condition, type Expression, NO_DEFINITIONS } from "../../src/policy/model.js";
import { sanitise } from "../../src/policy/names.js";
import { parsePolicyFiles } from "../../src/policy/parse.js";
import { expressionsOf } from "../../src/policy/policy-expressions.js";
import { Random } from "../differential/random.js";
import { generateRequest, targetsOf } from "../differential/requests.js";
import { generateStore } from "../differential/store.js";
import { compiledDocuments, shipped } from "../support/policies.js";
import { say } from "../support/seed.js";
import { sized } from "../support/size.js";
import { policySet, request, shippedRequest } from "./arbitraries/index.js";

const cases = policySet({ profile: "any" }).chain((documents) =>
  fc.tuple(fc.constant(documents), fc.array(request(documents), { minLength: 30, maxLength: 30 })),
);

interface Subject {
  readonly id: string;
  readonly roles: string[];
  readonly kind: string;
  readonly attr: JsonMap;
  readonly scope: string;
}

function subject(part: Partial<Subject>): Subject {
  return { id: "", roles: [], kind: "", attr: {}, scope: "", ...part };
}

test("what a role may never do is denied, what it always may is allowed", () => {
  const random = new Random(7);
  const seen = { always: 0, unless_missing: 0, never: 0, conditional: 0 };
  for (let stores = 0; stores < sized(60); stores++) {
    const store = generateStore(new Random(random.seed()));
    const files = Object.entries(store.files).map(([path, text]) => ({ path, text: JSON.stringify(text) }));
    const parsed = parsePolicyFiles(files);
    if (!isRight(parsed)) throw new Error(JSON.stringify(parsed.left));
    // Principal policies decide before all others, and a review shows them separately.
    const model = { ...parsed.right, principalPolicies: [] };
    const layer = new Layer(model, "default", "none", {
      equipment: FULL_EQUIPMENT,
      codegen: false,
      globals: {},
      enforceSchemas: false,
      typedReads: true,
    });
    const targets = targetsOf(store);
    for (let i = 0; i < 10; i++) {
      const body: {
        principal: Partial<Subject>;
        resources: { actions: string[]; resource: Partial<Subject> }[];
      } = JSON.parse(JSON.stringify(generateRequest(random, targets).body));
      for (const { actions, resource } of body.resources) {
        for (const action of actions) {
          for (const role of [...(body.principal.roles ?? []), "nobodys"]) {
            const target = subject(resource);
            const scope = target.scope.startsWith(".") ? target.scope.slice(1) : target.scope;
            const where = { version: "default", scope, kind: sanitise(target.kind) };
            const { chance } = possible(layer.index, where, role, action);
            const principal = { ...subject(body.principal), roles: [role] };
            const { effect, errors } = layer.verdict(principal, target, action, undefined);
            seen[chance]++;
            if (chance === "never") expect(effect, `${role} ${action}`).toBe("deny");
            if (chance === "always") expect(effect, `${role} ${action}`).toBe("allow");
            if (chance === "unless_missing")
              expect([effect, errors.length > 0], `${role} ${action}`).toEqual(
                errors.length > 0 ? ["deny", true] : ["allow", false],
              );
          }
        }
      }
    }
  }
  say(`chances: ${JSON.stringify(seen)}`);
  expect(seen.always).toBeGreaterThan(sized(30));
  expect(seen.unless_missing).toBeGreaterThan(sized(10));
  expect(seen.never).toBeGreaterThan(sized(500));
  expect(seen.conditional).toBeGreaterThan(sized(500));
});

test("a condition that held is not contradictory, one that did not hold is no tautology", () => {
  let held = 0;
  fc.assert(
    fc.property(cases, ([documents, requests]) => {
      const policies = compiledDocuments(documents);
      const tracer = decisionTracer(policies);
      const conditions = new Map(
        policies.model.resourcePolicies.flatMap((policy) =>
          policy.rules.map(({ name, condition }) => [
            `${policy.key}#${name}`,
            { condition, definitions: policy.definitions },
          ]),
        ),
      );
      for (const one of requests) {
        const { permission, platform } = traceDecision(tracer, one);
        for (const { policy, rules } of [...permission.policies, ...platform.policies]) {
          for (const { name, state } of rules) {
            const facts = conditions.get(`${policy}#${name}`);
            if (facts?.condition === undefined) continue;
            const { condition, definitions } = facts;
            if (state === "met") expect(isSatisfiable(formulaOf(condition, definitions, true))).toBe(true);
            if (state === "unmet") expect(isSatisfiable(formulaOf(condition, definitions, false))).toBe(true);
            if (state === "met" || state === "unmet") held++;
          }
        }
      }
    }),
    { numRuns: sized(25) },
  );
  expect(held).toBeGreaterThan(sized(200));
});

/** Comparisons of few terms with few constants, so that many combinations are impossible. */
const comparison = fc
  .tuple(
    fc.constantFrom("R.attr.a", "R.attr.a", "R.attr.b", "size(R.attr.c)"),
    fc.constantFrom("==", "!=", "<", "<=", ">", ">=", "in"),
    fc.constantFrom("1", "2", "2.0", '"x"', "true"),
    fc.boolean(),
  )
  .map(([term, operator, value, negated]) => {
    // Policies that compare incomparable types do not load.
    const whole = term.startsWith("size") ? /^\d$/ : /^[=!]=$/.test(operator) ? /./ : /\d/;
    const number = whole.test(value) ? value : "2";
    const compared = `${term} ${operator} ${operator === "in" ? `[${number}, 1]` : number}`;
    return negated ? `!(${compared})` : compared;
  });
const formula = fc
  .array(fc.tuple(comparison, fc.constantFrom("&&", "&&", "&&", "||")), { minLength: 2, maxLength: 5 })
  .map((parts) => parts.map(([text, operator], i) => (i === 0 ? text : ` ${operator} ${text}`)).join(""));

test("comparisons that exclude each other are found, and no others", () => {
  let impossible = 0;
  fc.assert(
    fc.property(formula, (source) => {
      const policies = compiledDocuments([
        {
          apiVersion: "api.cerbos.dev/v1",
          resourcePolicy: {
            resource: "doc",
            version: "default",
            rules: [
              {
                name: "it",
                actions: ["do"],
                roles: ["*"],
                effect: "EFFECT_ALLOW",
                condition: { match: { expr: source } },
              },
            ],
          },
        },
        {
          apiVersion: "api.cerbos.dev/v1",
          resourcePolicy: {
            resource: "doc",
            version: "platform",
            rules: [{ name: "supported", actions: ["do"], roles: ["account"], effect: "EFFECT_ALLOW" }],
          },
        },
      ]);
      const condition = policies.model.resourcePolicies
        .flatMap(({ rules }) => rules)
        .find(({ name }) => name === "it")?.condition;
      if (condition === undefined) throw new Error("no condition");
      const could = isSatisfiable(formulaOf(condition, NO_DEFINITIONS, true));
      if (!could) impossible++;
      for (const a of [0, 1, 1.5, 2, 3, "x", true, false, null]) {
        for (const b of [0, 1, 1.5, 2, 3, "x", true]) {
          for (const c of [[], [1], [1, 2], [1, 2, 3]]) {
            const { outcome } = decide(policies, {
              key: { id: "k", roles: ["r"], attr: {} },
              operation: "do",
              resource: { kind: "doc", id: "d", attr: { a, b, c } },
              account: { id: "a", attr: {} },
            });
            if (outcome === "allow") expect(could, source).toBe(true);
          }
        }
      }
    }),
    { numRuns: sized(500) },
  );
  say(`${impossible} of 500 conditions can never hold`);
  expect(impossible).toBeGreaterThan(sized(10));
});

/** The positions of all parts of expressions. */
function placesIn({ model }: PolicySet): unknown {
  const offsets = (expr: Expr): readonly number[] => [expr.at, ...children(expr).flatMap(offsets)];
  const of = (expression: Expression) => offsets(expression.expr).map((offset) => expression.position(offset));
  return model.resourcePolicies.map((policy) => expressionsOf(policy).map(of));
}

function conditionsIn({ model }: PolicySet): readonly (Condition | undefined)[] {
  return model.resourcePolicies.flatMap(({ rules }) => rules.map(({ condition }) => condition));
}

test("a packed set decides as the set, and knows the same places", () => {
  fc.assert(
    fc.property(cases, ([documents, requests]) => {
      const policies = compiledDocuments(documents);
      const unpacked = unpack(pack(policies), CLOSURES_ONLY);
      expect(conditionsIn(unpacked).length).toBe(conditionsIn(policies).length);
      for (const one of requests) expect(decide(unpacked, one)).toEqual(decide(policies, one));
    }),
    { numRuns: sized(25) },
  );
});

test("so do the shipped policies, and their traces", () => {
  const unpacked = unpack(pack(shipped), CLOSURES_ONLY);
  expect(placesIn(unpacked)).toEqual(placesIn(shipped));
  const [tracer, other] = [decisionTracer(shipped), decisionTracer(unpacked)];
  fc.assert(
    fc.property(shippedRequest(), (one) => {
      expect(traceDecision(other, one)).toEqual(traceDecision(tracer, one));
    }),
    { numRuns: sized(300) },
  );
});

test("the whole policy language is packed", () => {
  const random = new Random(3);
  for (let stores = 0; stores < 25; stores++) {
    const store = generateStore(new Random(random.seed()));
    const files = Object.entries(store.files).map(([path, text]) => ({ path, text: JSON.stringify(text) }));
    const parsed = parsePolicyFiles(files);
    if (!isRight(parsed)) throw new Error(JSON.stringify(parsed.left));
    const options = {
      equipment: FULL_EQUIPMENT,
      codegen: false,
      globals: { flag: true },
      enforceSchemas: true,
      typedReads: true,
    };
    const [permission, platform] = ["default", "v2"].map(
      (version) => new Layer(parsed.right, version, version === "default" ? "not_granted" : "not_available", options),
    );
    if (permission === undefined || platform === undefined) throw new Error("no layers");
    const tables = new DecisionTables(permission, platform);
    const configuration = configurationOf(undefined, {
      platformVersion: "v2",
      schemaEnforcement: "reject",
      globals: options.globals,
    });
    const policies = { permission, platform, tables, model: parsed.right, configuration, files: [], warnings: [] };
    const unpacked = unpack(pack(policies), CLOSURES_ONLY);
    const targets = targetsOf(store);
    for (let i = 0; i < 20; i++) {
      const body: { principal: Partial<Subject>; resources: { actions: string[]; resource: Partial<Subject> }[] } =
        JSON.parse(JSON.stringify(generateRequest(random, targets).body));
      for (const { actions, resource } of body.resources) {
        for (const operation of actions) {
          const { id, roles, attr, scope } = subject(body.principal);
          const one = {
            key: { id, roles, attr, scope },
            operation,
            resource: subject(resource),
            account: { id, attr },
          };
          expect(JSON.stringify(decide(unpacked, JSON.parse(JSON.stringify(one))))).toBe(
            JSON.stringify(decide(policies, JSON.parse(JSON.stringify(one)))),
          );
        }
      }
    }
  }
});
