/** `allowedWhen` says for all requests at once what `walk` says for each. */

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Conditional,
  NO_MATCH,
  NO_SCHEMAS,
  type Plan,
  type PlannedRole,
  type PlannedRule,
  type PlanRow,
  type PlanStep,
} from "../../../src/engine/plan/plan.js";
import { allowedWhen, type Examiner, walk } from "../../../src/engine/plan/walk.js";
import { NO_DEFINITIONS } from "../../../src/policy/model.js";
import { sized } from "../../support/size.js";

type Found = boolean | undefined;

interface Fixture {
  readonly plan: Plan;
  /** Whether rules hold, and whether derived roles are active. */
  readonly found: ReadonlyMap<Conditional, Found>;
  /** The plan's roles that the principal has. */
  readonly had: ReadonlySet<string>;
}

const AT = { file: "a.yaml", line: 1, column: 1 };

function rule(effect: "allow" | "deny"): PlannedRule {
  const reason = { kind: "rule", reason: "r", rule: "r", policy: "p" } as const;
  return {
    kind: "resource",
    policy: "p",
    name: "r",
    order: 0,
    effect,
    condition: undefined,
    definitions: NO_DEFINITIONS,
    at: AT,
    whenActivated: undefined,
    whenNotMet: undefined,
    reason,
    errorReason: { ...reason, kind: "error" },
  };
}

function guard(): PlannedRole {
  return { name: "d", policy: "p", condition: undefined, definitions: NO_DEFINITIONS, at: AT };
}

const found = fc.constantFrom<Found>(true, true, false, false, undefined);
const row = fc.record({
  effect: fc.constantFrom("allow" as const, "deny" as const),
  found,
  active: fc.option(fc.constantFrom<Found>(true, true, false, undefined), { nil: "no guard" as const }),
});
const step = fc.record({ rows: fc.array(row, { maxLength: 3 }), asksParents: fc.boolean() });
const steps = fc.array(step, { maxLength: 3 });
const plan = fc
  .record({
    isKnown: fc.nat({ max: 9 }).map((n) => n > 0),
    personal: steps,
    roles: fc.array(fc.record({ some: steps, isHad: fc.boolean() }), { maxLength: 3 }),
    /** The number of roles with the rows of the first one. */
    repeated: fc.nat({ max: 2 }),
  })
  .map(({ isKnown, personal, roles, repeated }): Fixture => {
    const found = new Map<Conditional, Found>();
    const made = (some: typeof personal): readonly PlanStep[] =>
      some.map(({ rows, asksParents }, depth) => ({
        scope: "",
        depth,
        asksParents,
        derivedRoles: [],
        rows: rows.map(({ effect, found: is, active }) => {
          const one: PlanRow = { role: "a", rule: rule(effect), guard: active === "no guard" ? undefined : guard() };
          found.set(one.rule, is);
          if (one.guard !== undefined && active !== "no guard") found.set(one.guard, active);
          return one;
        }),
      }));
    const ofRoles = roles.map(({ some }) => made(some));
    const again = Array.from({ length: repeated }, () => ofRoles[0] ?? []);
    const all = {
      isKnown,
      refusal: undefined,
      personal: made(personal),
      roles: [...ofRoles, ...again].map((some, at) => ({ role: `role ${at}`, includes: [], steps: some })),
      rules: [],
      personalPolicy: NO_MATCH,
      policy: NO_MATCH,
      schemas: NO_SCHEMAS,
    };
    return { plan: all, found, had: new Set(roles.flatMap(({ isHad }, at) => (isHad ? `role ${at}` : []))) };
  });

const LOGIC = {
  all: (parts: readonly boolean[]) => parts.every(Boolean),
  any: (parts: readonly boolean[]) => parts.some(Boolean),
};

const truthsIn = (found: Fixture["found"]) => (what: Conditional) => ({
  holds: found.get(what) === true,
  fails: found.get(what) === false,
  isDefined: found.get(what) !== undefined,
});

const examinerOf = (found: Fixture["found"]): Examiner => ({
  examine: ({ rule, guard }) => {
    const active = guard === undefined ? true : found.get(guard);
    return active === true ? found.get(rule) : active;
  },
});

test("what is said of all requests at once is what the walk says of each", () => {
  let [allowed, erred] = [0, 0];
  fc.assert(
    fc.property(plan, ({ plan: one, found }) => {
      const walked = walk(one, examinerOf(found), true);
      const said = allowedWhen(one, LOGIC, { truthsOf: truthsIn(found) });
      if (said) allowed += 1;
      if (walked.roles.some((ruling) => (ruling?.erred.length ?? 0) > 0)) erred += 1;
      expect(said).toBe(walked.effect === "allow");
    }),
    { numRuns: sized(20_000) },
  );
  expect(allowed).toBeGreaterThan(sized(600));
  expect(erred).toBeGreaterThan(sized(1_000));
});

test("what is said of all principals is what the walk says of the roles that one has", () => {
  let [allowed, without] = [0, 0];
  fc.assert(
    fc.property(plan, ({ plan: one, found, had }) => {
      const own = { ...one, roles: one.roles.filter(({ role }) => had.has(role)) };
      const walked = walk(own, examinerOf(found), true);
      const has = (role: string) => ({ holds: had.has(role), fails: !had.has(role) });
      const said = allowedWhen(one, LOGIC, { truthsOf: truthsIn(found), has });
      if (said) allowed += 1;
      if (said !== allowedWhen(one, LOGIC, { truthsOf: truthsIn(found) })) without += 1;
      expect(said).toBe(walked.effect === "allow");
    }),
    { numRuns: sized(20_000) },
  );
  expect(allowed).toBeGreaterThan(sized(500));
  expect(without).toBeGreaterThan(sized(100));
});
