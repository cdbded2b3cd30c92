/** Equal plans are made once, and names that callers invent do not grow the caches. */

import { describe, expect, test, vi } from "vitest";
import { makePlan } from "../../../src/engine/plan/make-plan.js";
import { NameTable } from "../../../src/engine/plan/name-table.js";
import type { Plan } from "../../../src/engine/plan/plan.js";
import { Plans, type RoleOrder } from "../../../src/engine/plan/plans.js";
import { PolicyIndex } from "../../../src/engine/plan/policy-index.js";
import type { PolicyLocation } from "../../../src/engine/plan/policy-location.js";
import { locatePolicies, STRICT_SEARCH } from "../../../src/engine/plan/policy-location.js";
import { ScopedPlans } from "../../../src/engine/plan/scoped-plans.js";
import { scopeChain } from "../../../src/engine/plan/scopes.js";
import type { PolicyFile } from "../../../src/index.js";
import { kept } from "../../support/kept.js";
import { compiled } from "../../support/policies.js";
import { sized } from "../../support/size.js";

const HEAD = "apiVersion: api.cerbos.dev/v1\n";
const RESOURCE = `${HEAD}resourcePolicy:
  resource: doc
  version: default
  rules:
    - {actions: [read, write], roles: [user, admin], effect: EFFECT_ALLOW, condition: {match: {expr: R.attr.open}}}
`;
const IN_SCOPE = `${HEAD}resourcePolicy:
  resource: doc
  version: default
  scope: acme
  rules:
    - {actions: [read], roles: [user], effect: EFFECT_DENY}
`;
const GLOBS = `${HEAD}resourcePolicy:
  resource: file
  version: default
  rules:
    - {actions: ["x*", "{a,b}:*"], roles: ["*"], effect: EFFECT_ALLOW}
`;
const PERSONAL = `${HEAD}principalPolicy:
  principal: root
  version: default
  rules:
    - resource: "d*"
      actions:
        - {action: "*", effect: EFFECT_ALLOW}
`;
const ROLE = `${HEAD}rolePolicy:
  role: intern
  parentRoles: [user]
  rules:
    - {resource: "*", allowActions: ["re*"]}
`;

const PLAIN = [RESOURCE];
const WHOLE = [RESOURCE, IN_SCOPE, GLOBS, PERSONAL, ROLE];

interface Question {
  readonly id?: string;
  readonly kind?: string;
  readonly action?: string;
  readonly roles?: readonly string[];
  readonly scope?: string;
  readonly principalScope?: string;
}

/** Plans of policies, with access to their caches. */
class Kept {
  makes = 0;
  private readonly index: PolicyIndex;
  private readonly lenient: boolean;
  private readonly plans: Plans<{ readonly plan: Plan }>;

  constructor(policies: readonly string[], order: RoleOrder = "steady", lenient = false) {
    const platform = {
      path: "p.yaml",
      text: RESOURCE.replace("default", "platform").replace("user, admin", "account"),
    };
    const files: PolicyFile[] = [platform, ...policies.map((text, i) => ({ path: `${i}.yaml`, text }))];
    this.index = new PolicyIndex(compiled(files).model);
    this.lenient = lenient;
    this.plans = new Plans(this.index, order, (plan) => {
      this.makes++;
      return { plan };
    });
  }

  find(question: Question) {
    const { id = "u1", kind = "doc", action = "read", roles = ["user"] } = question;
    return this.at(question).find(id, kind, action, roles);
  }

  at(question: Question) {
    return this.plans.at(this.placeOf(question));
  }

  /** The plan of the question, made without the cache. */
  made(question: Question): Plan {
    const { id = "u1", kind = "doc", action = "read", roles = ["user"] } = question;
    return makePlan(this.index, this.placeOf(question), { kind, action, principalId: id, roles });
  }

  private placeOf({ scope = "", principalScope = "" }: Question): PolicyLocation {
    return {
      version: "default",
      principalVersion: "default",
      resourceScope: scope,
      principalChain: scopeChain(this.index.principalScopes, principalScope, this.lenient),
      resourceChain: scopeChain(this.index.resourceScopes, scope, this.lenient),
    };
  }

  get size(): number {
    return kept(this.plans, this.index);
  }
}

describe("one plan", () => {
  test.each<readonly [what: string, one: Question, other: Question]>([
    ["for a question, whoever asks", {}, { id: "u2" }],
    [
      "for roles in any order, each as often as one likes",
      { roles: ["user", "admin"] },
      { roles: ["admin", "user", "user"] },
    ],
    ["for roles that no policy names", { roles: ["x"] }, { roles: ["y"] }],
    ["for them beside another", { roles: ["x", "user"] }, { roles: ["user", "y", "z"] }],
    ["for actions that no policy has", { action: "x" }, { action: "y" }],
    ["for kinds that no policy has", { kind: "x" }, { kind: "y" }],
    ["for scopes that there are not", { scope: "x" }, { scope: "acme.x" }],
    ["for a kind in either of its forms", { kind: "do:c" }, { kind: "do_c" }],
  ])("%s", (_, one, other) => {
    const plans = new Kept([...PLAIN, IN_SCOPE]);
    expect(plans.find(other)).toBe(plans.find(one));
    expect(plans.makes).toBe(1);
  });

  test.each<readonly [what: string, one: Question, other: Question]>([
    ["for another role", {}, { roles: ["admin"] }],
    ["for another action", {}, { action: "write" }],
    ["for another scope", {}, { scope: "acme" }],
    ["for a principal that has a policy", {}, { id: "root" }],
    ["for an action that a pattern matches", { kind: "file", action: "xy" }, { kind: "file", action: "y" }],
    ["for a role that includes others", { roles: ["x"] }, { roles: ["intern"] }],
  ])("another %s", (_, one, other) => {
    const plans = new Kept(WHOLE);
    const [a, b] = [plans.find(one), plans.find(other)];
    expect(b).not.toBe(a);
    expect([plans.find(one), plans.find(other)]).toEqual([a, b]);
    expect(plans.makes).toBe(2);
  });

  test("in the order of the roles, where that counts", () => {
    const plans = new Kept(PLAIN, "given");
    const roles = (...names: readonly string[]) => plans.find({ roles: names }).plan.roles.map(({ role }) => role);
    expect(roles("user", "admin")).toEqual(["user", "admin"]);
    expect(roles("admin", "user", "user")).toEqual(["admin", "user", "user"]);
    expect(plans.makes).toBe(2);
  });
});

const MANY_ROLES = `${HEAD}resourcePolicy:
  resource: many
  version: default
  rules:
${["a", "b", "c", "d", "e", "f"].map((role) => `    - {name: ${role}, actions: [read], roles: [${role}], effect: EFFECT_ALLOW}\n`).join("")}    - {name: ops, actions: [read], roles: ["ops:*"], effect: EFFECT_DENY}
`;

describe("what is kept for combinations that callers invent", () => {
  const many = 16_384;
  const MANY = [...WHOLE, MANY_ROLES];
  const invented: readonly (readonly [
    what: string,
    question: (i: number) => Question,
    isCounted: boolean,
    policies: readonly string[],
  ])[] = [
    ["kinds that there may be policies about", (i) => ({ kind: `kind_${i}` }), true, MANY],
    ["actions that a pattern may match", (i) => ({ kind: "file", action: `x${i}` }), true, MANY],
    [
      "several roles",
      (i) => ({
        id: "root",
        roles:
          [
            ["user", "admin"],
            ["admin", "x"],
            ["user", "x"],
          ][i % 3] ?? [],
      }),
      false,
      MANY,
    ],
    ["roles that a pattern may match", (i) => ({ kind: "many", roles: [`ops:${i}`] }), true, MANY],
    [
      "more roles than are remembered",
      (i) => ({ roles: Array.from({ length: 33 }, (_, n) => (n === i % 33 ? "user" : "admin")) }),
      true,
      MANY,
    ],
    [
      "as many as are remembered",
      (i) => ({ roles: Array.from({ length: 32 }, (_, n) => (n === i % 32 ? "user" : "admin")) }),
      false,
      MANY,
    ],
    ["roles, each for itself", (i) => ({ kind: "many", roles: [["a", "b", "c", "nobody"][i % 4] ?? ""] }), false, MANY],
    ["actions where there is no pattern", (i) => ({ action: `x${i}` }), false, PLAIN],
    ["kinds that there are no policies about", (i) => ({ kind: `kind_${i}` }), false, PLAIN],
  ];

  test.each(invented)(
    "%s: is let go once there is too much of it",
    { tags: "long" },
    (_, question, isCounted, policies) => {
      const plans = new Kept(policies, "given");
      const first = plans.at(question(0));
      let asked = 0;
      // A cached plan is not made again, so the loop needs new questions.
      while (plans.makes <= many && asked <= many) plans.find(question(asked++));
      expect([plans.makes > many, first.isFull, plans.at(question(0)) === first]).toEqual([
        isCounted,
        isCounted,
        !isCounted,
      ]);
      expect(plans.at(question(0)).isFull).toBe(false);
    },
  );

  test.each<RoleOrder>(["steady", "given"])(
    "as many roles as are remembered, of which a pattern matches one (%s order)",
    (order) => {
      const some = (count: number) => ["ops:1", ...Array.from({ length: count - 1 }, (_, i) => `${i}`)];
      const makes = [2, 9, 32, 33].map((count) => {
        const plans = new Kept(MANY, order);
        for (let i = 0; i < 3; i++) plans.find({ kind: "many", roles: some(count) });
        return plans.makes;
      });
      expect(makes).toEqual([1, 1, 1, 3]);
    },
  );

  test.each<RoleOrder>(["steady", "given"])(
    "longer lists of roles than are kept of what was asked for lately (%s order)",
    (order) => {
      const roles = Array.from({ length: 9 }, (_, i) => (i === 0 ? "user" : `r${i}`));
      const questions: readonly Question[] = [
        ...[{}, { kind: "none" }, { id: "root" }, { kind: "file", action: "xy" }, { kind: "file", action: "none" }],
        ...[
          { action: "none" },
          { scope: "acme" },
          { kind: "many", roles: [...roles, "ops:1"] },
          { id: "root", scope: "acme" },
        ],
      ];
      const plans = new Kept(MANY, order);
      const ask = () => questions.map((one) => plans.find({ roles, ...one }));
      const first = ask();
      const { makes } = plans;
      expect([makes > 5, ask().every((one, i) => one === first[i]), plans.makes]).toEqual([true, true, makes]);
    },
  );

  test("the latest sets of many roles are remembered, in any order, and older ones are let go", () => {
    const names = Array.from({ length: 1_000 }, (_, i) => `role${i}`);
    const text = RESOURCE.replace("doc", "crowd").replace("user, admin", names.join());
    const plans = new Kept([text]);
    const ask = (roles: readonly string[]) => plans.find({ kind: "crowd", roles });
    const sets = [0, 10, 11, 12].map((from) => names.slice(from));
    const first = sets.map(ask);
    expect(sets.map((roles) => ask(roles.toReversed()))).toEqual(first);
    expect(plans.makes).toBe(4);
    expect(ask([...names, "unknown"])).toBe(ask(["stranger", ...names]));
    expect(plans.makes).toBe(5);
    expect(ask(names)).not.toBe(first[0]);
    expect(sets.slice(2).map(ask)).toEqual(first.slice(2));
    expect(plans.makes).toBe(6);
  });

  test("a role that the policies name is remembered by it, though a pattern matches it as well", () => {
    const text = MANY_ROLES.replace("roles: [a]", "roles: [a, 'ops:a']");
    const plans = new Kept([text]);
    const first = plans.find({ kind: "many", roles: ["ops:a"] });
    for (let i = 0; i < 2_000; i++) plans.find({ kind: "many", roles: [`ops:${i}`] });
    const { makes } = plans;
    expect([plans.find({ kind: "many", roles: ["ops:a"] }) === first, plans.makes]).toEqual([true, makes]);
  });

  test("what was asked for lately is found without a look at its names", () => {
    const plans = new Kept([...WHOLE, MANY_ROLES]);
    const questions: readonly Question[] = [
      {},
      { kind: "none" },
      { id: "root" },
      { action: "none" },
      { kind: "many", roles: ["ops:1"] },
    ];
    for (const question of questions) plans.find(question);
    const look = vi.spyOn(NameTable.prototype, "indexOf");
    for (const question of questions) plans.find(question);
    expect(look).not.toHaveBeenCalled();
    plans.find({ action: "write" });
    expect(look).toHaveBeenCalled();
    look.mockRestore();
  });
});

/** Names that only a role policy has, or that only occur as a parent of a derived role that conditions may read. */
const ELSEWHERE = [
  `${HEAD}resourcePolicy:
  resource: ticket
  version: default
  importDerivedRoles: [teams]
  rules:
    - {name: any, actions: [view], roles: ["*"], effect: EFFECT_ALLOW, condition: {match: {expr: '"team" in runtime.effectiveDerivedRoles'}}}
    - {name: lead, actions: [close], derivedRoles: [lead], effect: EFFECT_ALLOW}
`,
  `${HEAD}derivedRoles:
  name: teams
  definitions:
    - {name: team, parentRoles: [agent, seller], condition: {match: {expr: R.attr.open}}}
    - {name: lead, parentRoles: [chief]}
`,
  `${HEAD}rolePolicy:
  role: clerk
  rules:
    - {resource: ticket, allowActions: [archive, view]}
`,
];

describe("what rules about other kinds say", () => {
  const other = (scope: string) => `${HEAD}resourcePolicy:
  resource: note
  version: default
  scope: "${scope}"
  rules:
    - {actions: [archive], roles: [writer], effect: EFFECT_ALLOW}
`;
  const own = `${HEAD}principalPolicy:
  principal: root
  version: default
  rules:
    - resource: note
      actions: [{action: archive, effect: EFFECT_ALLOW}]
    - resource: doc
      actions: [{action: read, effect: EFFECT_ALLOW}]
`;

  test("of policies in one scope those of the others have their plans", () => {
    const plans = new Kept([RESOURCE, other("acme"), other("")]);
    for (const kind of ["doc", "note", "none"]) {
      for (const scope of ["", "acme"]) {
        const question = { kind, scope, action: kind === "note" ? "archive" : "read", roles: ["user"] };
        const { policy, rules, isKnown } = plans.find(question).plan;
        const made = plans.made(question);
        expect([kind, scope, policy, rules.length, isKnown]).toEqual([
          kind,
          scope,
          made.policy,
          made.rules.length,
          made.isKnown,
        ]);
      }
    }
  });

  test("of role policies in one scope, about kinds that a pattern matches, has its plans", () => {
    const restricting = ROLE.replace('resource: "*"', 'resource: "x*"');
    const plans = new Kept([RESOURCE, IN_SCOPE, restricting]);
    for (const kind of ["none", "xa", "xb", "doc"]) {
      for (const scope of ["acme", ""]) {
        const question = { kind, scope, roles: ["intern"] };
        const [found, made] = [plans.find(question).plan, plans.made(question)];
        expect([kind, scope, found.policy, found.isKnown, found.rules.length]).toEqual([
          ...[kind, scope, made.policy, made.isKnown, made.rules.length],
        ]);
      }
    }
    expect(plans.find({ kind: "xa", scope: "acme", roles: ["intern"] }).plan.policy).toBe("resource.xa.vdefault/acme");
  });

  test("names no actions and no roles of this one", () => {
    const plans = new Kept([RESOURCE, own]);
    const asked = ["archive", "burn", "archive"].map((action) => plans.find({ id: "root", action }));
    expect([new Set(asked).size, plans.makes]).toEqual([1, 1]);
    plans.find({ id: "root", action: "read" });
    expect(plans.makes).toBe(2);
  });
});

describe("whatever was asked before, a plan is that of its question", () => {
  const NAMES = ["a", "b", "c", "d", "e", "f", "ops:1", "nobody", "intern"];
  /** All lists of this length made of the names. */
  const lists = (length: number): readonly (readonly string[])[] =>
    length === 0 ? [[]] : lists(length - 1).flatMap((list) => NAMES.map((name) => [...list, name]));

  /**
   * For each role of the plan its rules and derived roles. In the steady order, roles that no policy knows count as
   * one, and equal entries appear once.
   */
  function summary({ roles, personal, policy, isKnown }: Plan, order: RoleOrder = "steady") {
    const rows = roles.map(({ role, steps }) => {
      const rules = steps.flatMap(({ rows, depth, derivedRoles }) => [
        ...rows.map(({ rule, guard }) => `${rule.policy}#${rule.name} ${depth} ${guard?.name}`),
        ...derivedRoles.map(({ name }) => name),
      ]);
      return [order === "given" && role !== "nobody" ? role : "", ...rules].join();
    });
    return { rows: order === "given" ? rows : [...new Set(rows)].sort(), policy, isKnown, personal: personal.length };
  }

  /** More roles than the cache keeps in the order of the request. */
  const MORE = [NAMES, NAMES, NAMES, NAMES].flat();

  test.each<RoleOrder>(["steady", "given"])("roles in any combination, in the %s order", (order) => {
    const plans = new Kept([...WHOLE, MANY_ROLES], order);
    const all = [
      ...lists(1),
      ...lists(2),
      ...lists(3),
      NAMES,
      [...NAMES].reverse(),
      [...NAMES, ...NAMES, ...NAMES],
      MORE,
    ];
    for (const roles of [...all, ...all]) {
      const asked = order === "given" ? roles : [...new Set(roles)].sort();
      const made = plans.made({ kind: "many", roles: asked });
      expect(summary(plans.find({ kind: "many", roles }).plan, order)).toEqual(summary(made, order));
    }
  });

  test("many roles of many, of which two lists differ in the first or the last alone", () => {
    const names = Array.from({ length: 60 }, (_, i) => `role_${String(i).padStart(2, "0")}`);
    const rules = names.map(
      (role) => `    - {name: ${role}, actions: [read], roles: [${role}], effect: EFFECT_ALLOW}\n`,
    );
    const plans = new Kept([
      MANY_ROLES,
      `${HEAD}resourcePolicy:\n  resource: crowd\n  version: default\n  rules:\n${rules.join("")}`,
    ]);
    const lasts = names.slice(12).map((last) => [...names.slice(0, 12), last]);
    const firsts = names.slice(0, 40).map((first) => [first, ...names.slice(40, 52)]);
    for (const roles of [...lasts, ...firsts]) {
      const question = { kind: "crowd", roles };
      expect(summary(plans.find(question).plan)).toEqual(summary(plans.made(question)));
    }
  });

  test("names that rules about a kind do not have, and which choose plans all the same", () => {
    const plans = new Kept([RESOURCE, ...ELSEWHERE]);
    const roles = ["agent", "seller", "chief", "clerk", "x"];
    for (let round = 0; round < 2; round++) {
      for (const action of ["archive", "view", "close", "none", "other"]) {
        for (const first of roles) {
          for (const second of roles) {
            const question = { kind: "ticket", action, roles: first === second ? [first] : [first, second].sort() };
            expect(summary(plans.find(question).plan)).toEqual(summary(plans.made(question)));
          }
        }
      }
    }
  });

  test("kinds, actions, principals and scopes in any combination", () => {
    const plans = new Kept([...WHOLE, MANY_ROLES]);
    const kinds = ["doc", "file", "many", "other", "do:c", "d"];
    const actions = ["read", "write", "xy", "a:b", "none"];
    for (let round = 0; round < 2; round++) {
      for (const kind of kinds) {
        for (const action of actions) {
          for (const id of ["u1", "root"]) {
            for (const scope of ["", "acme", "acme.sub"]) {
              for (const roles of [["user"], ["admin", "user"], ["intern"]]) {
                const question = { kind, action, id, scope, roles };
                expect(summary(plans.find(question).plan)).toEqual(summary(plans.made(question)));
              }
            }
          }
        }
      }
    }
  });
});

describe("questions that a caller invents make nothing grow", { tags: "long" }, () => {
  const INVENTED: readonly (readonly [what: string, question: (i: number) => Question])[] = [
    ["kinds", (i) => ({ kind: `kind_${i}` })],
    ["actions", (i) => ({ action: `act:${i}` })],
    ["actions that a pattern may match", (i) => ({ kind: "file", action: `x${i}` })],
    ["roles", (i) => ({ roles: [`role_${i}`] })],
    ["several roles", (i) => ({ roles: ["user", `role_${i}`, "admin", `other_${i}`] })],
    [
      "repetitions of roles",
      (i) => ({ roles: Array.from({ length: 1 + (i % 5) }, (_, n) => ((i >> n) % 2 ? "user" : "admin")) }),
    ],
    ["scopes", (i) => ({ scope: `scope_${i}` })],
    ["scopes below one that there is", (i) => ({ scope: `acme.s${i}` })],
    ["scopes of principals", (i) => ({ principalScope: `scope_${i}` })],
    ["ids", (i) => ({ id: `id_${i}` })],
  ];
  /** The size of the cache in `plan/recent-cache.ts`, which fills on demand. */
  const LATELY = 1_024;
  /** More than a few questions, and as many as a bounded table holds. */
  const MANY = sized(10_000, 5_000);
  const sets = { plain: PLAIN, whole: WHOLE };

  describe.each(["plain", "whole"] as const)("with policies of the %s language", (which) => {
    test.each(INVENTED)("%s", (_, question) => {
      for (const order of ["steady", "given"] as const) {
        const plans = new Kept(sets[which], order);
        for (let i = 0; i < MANY; i++) plans.find(question(i));
        const { size } = plans;
        for (let i = MANY; i < 10 * MANY; i++) plans.find(question(i));
        // Each table holds between its size and twice that; the cache of recent questions adds its own size.
        expect(plans.size).toBeLessThanOrEqual(2 * size + LATELY);
      }
    });
  });
});

test("all that callers invent, in all combinations, makes nothing grow", { tags: "long" }, () => {
  const plans = new Kept(WHOLE, "given", true);
  const sizes: number[] = [];
  for (let i = 1; i <= 100_000; i++) {
    plans.find({
      id: `id_${i}`,
      kind: i % 3 === 0 ? "file" : `kind_${i % 251}`,
      action: `x${i % 241}`,
      roles: ["user", "intern", `role_${i}`, "admin"].slice(i % 3),
      scope: `acme.s${i % 13}`,
    });
    if (i % 16_000 === 0) sizes.push(plans.size);
  }
  const [first = 0, ...later] = sizes;
  expect(Math.max(...later)).toBeLessThan(first * 1.2);
});

test("where scopes look is found out once, until so much was made that all is let go", () => {
  const { model } = compiled(
    WHOLE.map((text, i) => ({ path: `${i}.yaml`, text })),
    { platform: "none" },
  );
  const index = new PolicyIndex(model);
  const looked: string[] = [];
  const scoped = new ScopedPlans(new Plans(index, "given", (plan) => ({ plan })), (principalScope, resourceScope) => {
    looked.push(`${principalScope}/${resourceScope}`);
    const where = { version: "default", principalVersion: "default", principalScope, resourceScope };
    return locatePolicies(index, where, STRICT_SEARCH);
  });
  const ask = (principal = "", resource = "", action = "read", roles = ["user"]) => {
    const part = { id: "u", attr: {}, roles };
    return scoped.find({ ...part, scope: principal }, { ...part, kind: "doc", scope: resource }, action);
  };
  const asked = () => [ask(), ask("", "acme"), ask("acme"), ask("acme", "acme")];
  const first = asked();
  expect(asked().map((one, i) => one === first[i])).toEqual([true, true, true, true]);
  expect(looked).toEqual(["/", "/acme", "acme/", "acme/acme"]);
  expect([first[0]?.plan.roles[0]?.steps.length, first[1]?.plan.roles[0]?.steps.length]).toEqual([1, 2]);
  for (let i = 0; i <= 16_384; i++) ask("", i % 2 === 0 ? "" : "acme", `x${i}`);
  expect(looked.length).toBe(4);
  const again = asked();
  expect(again.map((one, i) => one === first[i])).toEqual([false, false, false, false]);
  expect(looked.slice(4)).toEqual(["/", "/", "/acme", "acme/", "acme/acme"]);
});
