/** Query plans of small policies. `expressions.test.ts` and `plans.test.ts` compare plans with the real server's. */

import { describe, expect, test } from "vitest";
import { functions } from "../../src/cel/functions/registry.js";
import type { CerbosLevel } from "../../src/cel/levels.js";
import { OPERATORS } from "../../src/cel/operators.js";
import { optionalArgument } from "../../src/cel/types.js";
import type { JsonMap } from "../../src/cel/values.js";
import { type CheckEngineOptions, compileCheckEngine } from "../../src/cerbos/engine.js";
import { filterText } from "../../src/engine/query/operand.js";
import { OPTIONAL_FUNCTIONS } from "../../src/engine/query/optionals.js";
import { planQuery } from "../../src/engine/query/plan-query.js";
import { logicOf, stated } from "../../src/engine/query/statement.js";

const rule = (effect: "ALLOW" | "DENY", roles: readonly string[], expr?: string) => ({
  actions: ["read"],
  effect: `EFFECT_${effect}`,
  roles,
  ...(expr === undefined ? {} : { condition: { match: { expr } } }),
});

const policy = (rules: readonly object[], more: object = {}) => ({
  apiVersion: "api.cerbos.dev/v1",
  resourcePolicy: { resource: "doc", version: "default", rules, ...more },
});

interface Asked {
  readonly options?: CheckEngineOptions;
  readonly level?: CerbosLevel | undefined;
  readonly roles?: readonly string[];
  readonly attr?: object;
  readonly scope?: string;
  readonly principalScope?: string;
  readonly version?: string;
  readonly resourceVersion?: string;
  readonly actions?: readonly string[];
  readonly jwts?: JsonMap;
}

function queried(policies: readonly object[], { options = {}, level, ...asked }: Asked) {
  const files = policies.map((one, i) => ({ path: `${i}.json`, text: JSON.stringify(one) }));
  const configuration = level === undefined ? [] : [{ path: "keyward.yaml", text: `cerbos: "${level}"\n` }];
  const compiled = compileCheckEngine([...files, ...configuration], options);
  if (compiled._tag === "Left") throw new Error(JSON.stringify(compiled.left));
  const {
    roles = ["user"],
    attr = {},
    scope = "",
    principalScope = "",
    version = "",
    resourceVersion = "",
    actions = ["read"],
    jwts = {},
  } = asked;
  return planQuery(
    compiled.right.policies,
    {
      principal: { id: "ann", roles, attr: { team: "red", none: [] }, policyVersion: version, scope: principalScope },
      resource: { kind: "doc", attr: JSON.parse(JSON.stringify(attr)), policyVersion: resourceVersion, scope },
      actions,
      jwt: {},
      jwts,
      now: undefined,
    },
    compiled.right.options,
  );
}

function planOf(policies: readonly object[], asked: Asked): string {
  const found = queried(policies, asked);
  return "fault" in found ? `no plan: ${found.fault}` : `${filterText(found.filter)} ${found.text === "NO_MATCH"}`;
}

/** Ann's own policy. */
const personal = (actions: readonly object[], version = "default") => ({
  apiVersion: "api.cerbos.dev/v1",
  principalPolicy: { principal: "ann", version, rules: [{ resource: "doc", actions }] },
});

const personalDeny = (expr?: string) => ({
  action: "*",
  effect: "EFFECT_DENY",
  ...(expr === undefined ? {} : { condition: { match: { expr } } }),
});

describe("a principal policy that denies every resource", () => {
  const a = "(eq request.resource.attr.a 1)";

  // The first plans are the server's, with strict evaluation as well; they were asked of the server 0.55.0.
  test.each<[what: string, allow: string | undefined, actions: readonly object[], server: string, failClosed: string]>([
    ["without a condition", undefined, [personalDeny()], "(true)", "(false)"],
    ["where rows are allowed", "R.attr.a == 1", [personalDeny()], a, "(false)"],
    ["by a condition on the principal", undefined, [personalDeny('P.id == "ann"')], "(true)", "(false)"],
    ["with an ALLOW", undefined, [personalDeny(), { action: "read", effect: "EFFECT_ALLOW" }], "(true)", "(false)"],
    ["twice", undefined, [personalDeny(), personalDeny("R.attr.a == 1")], "(false)", "(false)"],
    ["not at all: a condition on the resource", undefined, [personalDeny("R.attr.a == 1")], `(not ${a})`, `(not ${a})`],
    ["not at all: a condition that is false", undefined, [personalDeny('P.id == "bob"')], "(true)", "(true)"],
  ])("%s", (_, allow, actions, server, failClosed) => {
    const policies = [policy([rule("ALLOW", ["user"], allow)]), personal(actions)];
    for (const options of [{}, { strictEvaluation: true }]) {
      expect(planOf(policies, { options })).toBe(`${server} false`);
    }
    expect(planOf(policies, { options: { failClosed: true } })).toBe(`${failClosed} false`);
    for (const options of [{}, { strictEvaluation: true }, { failClosed: true }]) {
      expect(planOf(policies, { options, level: "0.58" })).toBe(`${failClosed} false`);
    }
  });

  test("of a scope nearer than the one that allows", () => {
    const denies = { ...personal([personalDeny()]).principalPolicy, scope: "acme" };
    const policies = [
      policy([rule("ALLOW", ["user"])]),
      personal([{ action: "read", effect: "EFFECT_ALLOW" }]),
      { apiVersion: "api.cerbos.dev/v1", principalPolicy: denies },
    ];
    expect(planOf(policies, { principalScope: "acme", options: { failClosed: true } })).toBe("(false) false");
    expect(planOf(policies, { principalScope: "acme", level: "0.58" })).toBe("(false) false");
    expect(planOf(policies, { options: { failClosed: true } })).toBe("(true) false");
  });
});

describe("rules", () => {
  test("the principal's own are those of the version that the resource asks for", () => {
    const own = (version: string) =>
      personal(
        [{ action: "read", effect: "EFFECT_ALLOW", condition: { match: { expr: `R.attr.v == "${version}"` } } }],
        version,
      );
    const plan = '(eq request.resource.attr.v "default") false';
    expect(planOf([own("default"), own("v2")], { version: "v2" })).toBe(plan);
    expect(planOf([own("default")], { version: "v2" })).toBe(plan);
    expect(planOf([own("v2")], { version: "v2" })).toBe("(false) true");
  });

  test("the version that a principal names is not read", () => {
    const reads = policy([rule("ALLOW", ["user"], 'P.policyVersion == "" && R.attr.a == 1')]);
    expect(planOf([reads], { version: "v2" })).toBe("(eq request.resource.attr.a 1) false");
  });

  test("a DENY rule that depends on the resource counts for all roles", () => {
    const both = { roles: ["user", "guest"] };
    const rules = [rule("ALLOW", ["user"], "R.attr.a == 1"), rule("DENY", ["guest"], "R.attr.b == 1")];
    expect(planOf([policy(rules)], both)).toBe(
      "(and (not (eq request.resource.attr.b 1)) (eq request.resource.attr.a 1)) false",
    );
    const always = [rule("ALLOW", ["user"], "R.attr.a == 1"), rule("DENY", ["guest"])];
    expect(planOf([policy(always)], both)).toBe("(eq request.resource.attr.a 1) false");
  });

  test("what a scope allows by itself is not denied above it; where it asks its parents they have to allow as well", () => {
    const root = policy([rule("ALLOW", ["user"], "R.attr.a == 1"), rule("DENY", ["user"], "R.attr.b == 1")]);
    const scoped = (more: object) => policy([rule("ALLOW", ["user"], "R.attr.c == 1")], { scope: "acme", ...more });
    const asks = { scopePermissions: "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS" };
    const [a, b, c] = ["a", "b", "c"].map((name) => `(eq request.resource.attr.${name} 1)`);
    expect(planOf([root, scoped({})], { scope: "acme" })).toBe(
      `(and (not (and (not ${c}) ${b})) (or ${c} ${a})) false`,
    );
    expect(planOf([root, scoped(asks)], { scope: "acme" })).toBe(`(and (not (or (not ${c}) ${b})) ${a}) false`);
    const free = (scope: string) => policy([rule("ALLOW", ["user"])], { scope, ...asks });
    expect(planOf([root, free("acme")], { scope: "acme" })).toBe(`(and (not ${b}) ${a}) false`);
    // The first parent that has a say consents for all.
    expect(planOf([root, scoped({}), free("acme.eu")], { scope: "acme.eu" })).toBe(
      `(and (not (and (not ${c}) ${b})) (or ${c} ${a})) false`,
    );
  });

  test("strictly, what errs for all denies; what errs for some is left to the plan", () => {
    const rules = [rule("ALLOW", ["user"], "R.attr.a > 1.0"), rule("DENY", ["user"], "P.attr.nothing == 1")];
    expect(planOf([policy(rules)], {})).toBe("(gt request.resource.attr.a 1) false");
    for (const options of [{ strictEvaluation: true }, { failClosed: true }]) {
      expect(planOf([policy(rules)], { options })).toBe("(false) false");
      expect(planOf([policy(rules.slice(0, 1))], { options })).toBe("(gt request.resource.attr.a 1) false");
    }
  });

  test("fail closed, an error of any role denies, in either order of roles; a denial of one role denies no other", () => {
    const errs = rule("DENY", ["guest"], "P.attr.nothing == 1");
    const policies = [policy([rule("ALLOW", ["user"]), errs])];
    for (const roles of [
      ["user", "guest"],
      ["guest", "user"],
    ]) {
      expect(planOf(policies, { roles, options: { failClosed: true } })).toBe("(false) false");
      const denies = [policy([rule("ALLOW", ["user"]), rule("DENY", ["guest"], "R.attr.b == 1")])];
      expect(planOf(denies, { roles, options: { failClosed: true } })).toBe("(true) false");
    }
    expect(planOf(policies, { roles: ["user", "guest"], options: { strictEvaluation: true } })).toBe("(true) false");
  });

  test("which derived roles are active is asked with every condition as it is written", () => {
    const exprs = [
      'R.attr["level"] < 1.5',
      "((timestamp(P.attr.team).getMonth() <= 5) && ((R.attr.locked ? P.attr.rank : R.attr.level) > 1)) && R.attr.locked",
    ];
    const condition = { match: { any: { of: exprs.map((expr) => ({ expr })) } } };
    const roles = {
      apiVersion: "api.cerbos.dev/v1",
      derivedRoles: { name: "d", definitions: [{ name: "dr", parentRoles: ["user"], condition }] },
    };
    const rules = [
      { ...rule("DENY", []), actions: ["other"], derivedRoles: ["dr"], roles: undefined },
      rule("ALLOW", ["user"], "runtime.effectiveDerivedRoles.size() > 0"),
    ];
    const found = planOf([roles, policy(rules, { importDerivedRoles: ["d"] })], {});
    const parts = [
      '(lt (index request.resource.attr "level") 1.5)',
      '(and (and (le (getMonth (timestamp "red")) 5) (gt (if request.resource.attr.locked request.principal.attr.rank request.resource.attr.level) 1)) request.resource.attr.locked)',
    ];
    expect(found).toBe(`(gt (size (if (or ${parts.join(" ")}) ["dr"] [])) 0) false`);
  });

  test("strictly, where a role's rule errs no other role is asked, and so makes no plan impossible", () => {
    const rules = [
      rule("ALLOW", ["user"], "P.attr.nothing == 1"),
      rule("ALLOW", ["guest"], "cel.bind(x, R.attr.a, x == 1 || x == 2)"),
    ];
    const options = { strictEvaluation: true };
    expect(planOf([policy(rules)], { options, roles: ["user", "guest"] })).toBe("(false) false");
    expect(planOf([policy(rules)], { options, roles: ["guest"] })).toContain("no plan: cel.bind");
  });

  test("strictly, a condition without words makes a plan impossible where it is reached, as on the server", () => {
    const rules = [rule("ALLOW", ["user"], "cel.bind(x, R.attr.a, x == 1)"), rule("ALLOW", ["admin"])];
    const planned = (roles: readonly string[], options: CheckEngineOptions) =>
      planOf([policy(rules)], { options, roles });
    expect(planned(["user", "admin"], {})).toBe("(true) false");
    expect(planned(["user", "admin"], { strictEvaluation: true })).toContain("no plan: cel.bind");
    // The role that allows is listed first: the other one is not reached.
    expect(planned(["admin", "user"], { strictEvaluation: true })).toBe("(true) false");
    expect(planned(["admin", "user"], { failClosed: true })).toContain("no plan: cel.bind");
  });

  // The server's plans: the first operand without a value decides.
  test.each([
    [
      "hasIntersection(R.attr.l, P.attr.no)",
      '(hasIntersection request.resource.attr.l (get-field (struct (set-field "team" "red") (set-field "none" [])) no))',
    ],
    [
      "!R.attr.l.isSubset(P.attr.no)",
      '(not (isSubset request.resource.attr.l (get-field (struct (set-field "team" "red") (set-field "none" [])) no)))',
    ],
    ["hasIntersection(P.attr.no, R.attr.l)", "(false)"],
    ["hasIntersection([1], P.attr.no)", "(false)"],
  ])("%s of two lists, of which one errs", (expr, plan) => {
    for (const options of [{}, { strictEvaluation: true }]) {
      expect(planOf([policy([rule("ALLOW", ["user"], expr)])], { options })).toBe(`${plan} false`);
    }
  });

  test("strictly, such a list does not keep an alternative from allowing", () => {
    const condition = {
      match: { any: { of: [{ expr: "R.attr.a == 1" }, { expr: "hasIntersection(R.attr.l, P.attr.no)" }] } },
    };
    const plan = planOf([policy([{ ...rule("ALLOW", ["user"]), condition }])], { options: { strictEvaluation: true } });
    expect(plan).toMatch(/^\(or \(eq request.resource.attr.a 1\) \(hasIntersection /);
  });

  test("strictly, an action of which a condition errs has no scope; others have theirs", () => {
    const rules = [rule("ALLOW", ["user"], "P.attr.nothing == 1"), { ...rule("ALLOW", ["user"]), actions: ["write"] }];
    const scoped = [policy([rule("ALLOW", ["user"])]), policy(rules, { scope: "acme" })];
    const asked = { options: { strictEvaluation: true }, scope: "acme", actions: ["read", "write"] };
    expect(queried(scoped, asked)).toMatchObject({
      text: "(false)",
      scopes: new Map([
        ["read", ""],
        ["write", "acme"],
      ]),
    });
  });

  test("no rule is about a question", () => {
    expect(planOf([policy([rule("ALLOW", ["admin"])])], {})).toBe("(false) true");
    expect(planOf([policy([rule("ALLOW", ["user"])])], { scope: "nowhere" })).toBe("(false) true");
    expect(planOf([policy([rule("ALLOW", ["user"])])], {})).toBe("(true) false");
  });
});

test("what has no words makes no plan, unless nothing depends on it", () => {
  const bound = "cel.bind(x, R.attr.a, x == 1 || x == 2)";
  expect(planOf([policy([rule("ALLOW", ["user"], bound)])], {})).toContain("no plan: cel.bind");
  expect(planOf([policy([rule("ALLOW", ["user"], bound), rule("DENY", ["user"])])], {})).toBe("(false) false");
});

test("what the server leaves without a meaning is planned as it is written", () => {
  const planned = (expr: string) => planOf([policy([rule("ALLOW", ["user"], expr)], variables)], {});
  const variables = { variables: { local: { one: "1" } } };
  const y = "request.resource.attr.y";
  expect(planned("R.attr.y.exists_one(x, true)")).toBe(`(exists_one ${y} (lambda true x)) false`);
  expect(planned("cel.bind(a, 1, V.one == a) && R.attr.y")).toBe(`${y} false`);
  expect(planned("R.attr.y == cel.bind(a, 1, V.one + a)")).toBe(`(eq ${y} 2) false`);
  expect(planned('{?"a": optional.none(), "b": R.attr.y} == {?"c": optional.of(1), "d": 2}')).toBe(
    `(eq (struct (set-field "b" ${y})) (struct (set-field "c" 1) (set-field "d" 2))) false`,
  );
  expect(planned("R.attr.y ? dyn(1) <= dyn(true) || R.attr.z == 1 + 1 : false")).toBe(
    `(if ${y} (or (le 1 true) (eq request.resource.attr.z 2)) false) false`,
  );
  expect(planned('["a"].all(g, R.attr.y.exists(x, x == 1) || R.attr.z == g)')).toBe(
    `(or (exists ${y} (lambda (eq x 1) x)) (eq request.resource.attr.z "a")) false`,
  );
});

test("globals that are optional are not looked at as a whole, though the budget is spent", () => {
  const long = Array.from({ length: 400 }, (_, i) => i);
  const walks = "R.attr.a.exists(x, R.attr.a.exists(y, R.attr.a.exists(z, x + y == z - 900.0)))";
  const both = policy([rule("ALLOW", ["user"], `${walks} || [?G.?limit, R.attr.y] == [1]`)]);
  expect(planOf([both], { attr: { a: long } })).toContain("no plan: finding out");
});

test("named tokens go by their names, what they claim is known; that there are none is known as well", () => {
  const planned = (expr: string, jwts: JsonMap = { main: { claims: { team: "red" } } }) =>
    planOf([policy([rule("ALLOW", ["user"], expr)])], { jwts });
  const [tokens, y] = ["request.auxData.jwts", "request.resource.attr.y"];
  const other = `R.attr.y || ${tokens}["other"].claims.x == 1`;
  expect(planned(other)).toBe(`(or ${y} (eq (get-field (get-field (index ${tokens} "other") claims) x) 1)) false`);
  expect(planned(other, {})).toBe(`(or ${y} (eq (get-field (get-field (index (struct ) "other") claims) x) 1)) false`);
  expect(planned(`R.attr.y in ${tokens}`)).toBe(`(in ${y} ${tokens}) false`);
  expect(planned(`${tokens}.main == R.attr.y`)).toBe(`(eq ${tokens}.main ${y}) false`);
  expect(planned(`${tokens}.main.claims == R.attr.y`)).toBe(`(eq (struct (set-field "team" "red")) ${y}) false`);
  expect(planned(`size(${tokens}) == R.attr.y`)).toBe(`(eq 1 ${y}) false`);
});

test("what is known in the body of a macro is worked out for each element", () => {
  const plans = [
    ['["a", "b"].exists(g, {g: 1} == {g: 1} && R.attr.x == g)', '(or (eq $.x "a") (eq $.x "b"))'],
    ['["a"].exists(h, ["x"].map(i, cel.bind(h, h + "y", h))[0] == R.attr.s)', '(eq "ay" $.s)'],
    ["R.attr.l.exists(P, P == 1)", "(exists $.l (lambda (eq P 1) P))"],
  ] as const;
  expect(plans.map(([expr]) => planOf([policy([rule("ALLOW", ["user"], expr)])], {}))).toEqual(
    plans.map(([, text]) => `${text.replaceAll("$", "request.resource.attr")} false`),
  );
});

test("a value that is no truth stays where it stands in a condition", () => {
  const of = [{ expr: "R.attr.x in P.attr.none ? R.attr.y : 5" }, { expr: "R.attr.z" }];
  const plan = (match: object) => planOf([policy([{ ...rule("ALLOW", ["user"]), condition: { match } }])], {});
  expect(plan({ all: { of } })).toBe("(and 5 request.resource.attr.z) false");
  expect(plan({ any: { of } })).toBe("(or 5 request.resource.attr.z) false");
});

test("what is left of a map is asked of each key where it is compared with one value, and with no map", () => {
  const left = (constant: string) =>
    planOf([policy([rule("ALLOW", ["user"], `{"a": R.attr.x}[R.attr.k] == ${constant}`)])], {
      attr: { v: { value: 1 } },
    });
  const [k, x] = ["k", "x"].map((name) => `request.resource.attr.${name}`);
  expect(left("1")).toBe(`(and (eq ${k} "a") (eq 1 ${x})) false`);
  expect(left("R.attr.v")).toBe(`(eq (index (struct (set-field "a" ${x})) ${k}) (struct (set-field "value" 1))) false`);
});

test("a constant that takes too long to work out stays as it is; others do not take longer for it", () => {
  const long = "R.attr.y ? lists.range(100000000).size() == 1 : false";
  const rules = [rule("ALLOW", ["user"], long), rule("ALLOW", ["user"], "R.attr.x == P.attr.team")];
  const parts = [
    "(if request.resource.attr.y (eq (size (lists.range 100000000)) 1) false)",
    '(eq request.resource.attr.x "red")',
  ];
  expect(planOf([policy(rules)], {})).toBe(`(or ${parts.join(" ")}) false`);
});

test("two conditions that ask whether something is there are the same only if they ask of the same", () => {
  const has = (field: string) =>
    stated({ kind: "has", at: 0, operand: { kind: "ident", name: "R", of: "request", at: 0 }, field });
  const logic = logicOf();
  const [a, b, again] = ["a", "b", "a"].map(has);
  if (a === undefined || b === undefined || again === undefined) throw new Error("too few");
  expect(logic.both(a, again)).toBe(a);
  expect(logic.both(a, b)).toEqual({ kind: "and", of: [a, b] });
});

test("a huge expression makes no plan", () => {
  const doubling = Array.from({ length: 30 }, (_, i) => [`v${i}`, i === 0 ? "R.attr.a" : `V.v${i - 1} + V.v${i - 1}`]);
  const variables = { variables: { local: Object.fromEntries(doubling) } };
  const large = policy([rule("ALLOW", ["user"], 'V.v29 == "a"')], variables);
  expect(planOf([large], {})).toContain("no plan: an expression that is so large");
  const long = Array.from({ length: 400 }, (_, i) => i);
  const walks = "R.attr.a.exists(x, R.attr.a.exists(y, R.attr.a.exists(z, x + y == z - 900.0)))";
  expect(planOf([policy([rule("ALLOW", ["user"], walks)])], { attr: { a: long } })).toContain("no plan: finding out");
});

test("the functions of optionals are those that take or give nothing else", () => {
  const names = new Set(functions.map(({ name }) => name));
  const hasOptional = (type: Parameters<typeof optionalArgument>[0]): boolean =>
    optionalArgument(type) !== undefined || ("args" in type && type.args.some(hasOptional));
  const optional = [...names].filter((name) =>
    functions
      .filter((one) => one.name === name)
      .every(({ params, result }) => [...params, result].some((type) => hasOptional(type))),
  );
  const operators = [...OPERATORS].filter(([, { kind }]) => kind === "optionalField" || kind === "optionalIndex");
  expect([...OPTIONAL_FUNCTIONS].sort()).toEqual(
    [...new Set([...optional, ...operators.map(([name]) => name)])].sort(),
  );
});

describe("levels", () => {
  const planned = (level: CerbosLevel | undefined, expr: string, asked: Asked = {}) =>
    planOf([policy([rule("ALLOW", ["user"], expr)])], { level, ...asked });

  // The plans of level 0.55 are the server's. No server of level 0.58 could be asked.
  test.each([
    ["has(R.attr.a)", "(true)", "(has request.resource.attr.a)"],
    ["!has(R.attr.a)", "(false)", "(not (has request.resource.attr.a))"],
    ["has(R.attr.a.b)", "(true)", "(has request.resource.attr.a.b)"],
    ["has(R.attr.a) || R.attr.b == 1", "(true)", "(or (has request.resource.attr.a) (eq request.resource.attr.b 1))"],
    [
      "has(R.attr.a) && R.attr.b == 1",
      "(eq request.resource.attr.b 1)",
      "(and (has request.resource.attr.a) (eq request.resource.attr.b 1))",
    ],
    ["has(R.attr.a) && R.attr.a == 1", "(eq request.resource.attr.a 1)", "(eq request.resource.attr.a 1)"],
    [
      "has(R.attr.a) && (R.attr.a == 1 || R.attr.b == 1)",
      "(or (eq request.resource.attr.a 1) (eq request.resource.attr.b 1))",
      "(and (has request.resource.attr.a) (or (eq request.resource.attr.a 1) (eq request.resource.attr.b 1)))",
    ],
    ["has(P.attr.team)", "(true)", "(true)"],
    ["has(P.attr.other)", "(false)", "(false)"],
  ])("%s", (expr, at55, at58) => {
    for (const level of [undefined, "0.55"] as const) expect(planned(level, expr)).toBe(`${at55} false`);
    expect(planned("0.58", expr)).toBe(`${at58} false`);
    expect(planned("0.58", expr, { options: { strictEvaluation: true } })).toBe(`${at58} false`);
  });

  test("has() of an attribute that the request gives is its presence at either level", () => {
    for (const level of ["0.55", "0.58"] as const) {
      expect(planned(level, "has(R.attr.a) && R.attr.b == 1", { attr: { a: true } })).toBe(
        "(eq request.resource.attr.b 1) false",
      );
    }
  });

  test("the version that a principal names is read at level 0.58", () => {
    const reads = 'P.policyVersion == "v2" && R.attr.a == 1';
    expect(planned("0.55", reads, { version: "v2" })).toBe("(false) false");
    expect(planned("0.58", reads, { version: "v2" })).toBe("(eq request.resource.attr.a 1) false");
  });

  test("the version that a resource names is known at level 0.58, as in checks", () => {
    const same = "request.principal.policyVersion == request.resource.policyVersion";
    const reads = [same, 'R.policyVersion == "default"', '!(R.policyVersion in ["v2", "v3"])'];
    const versions = { version: "default", resourceVersion: "default" };
    expect(reads.map((expr) => planned("0.58", expr, versions))).toEqual(Array(3).fill("(true) false"));
    expect(reads.map((expr) => planned("0.55", expr, versions))).toEqual([
      '(eq "" request.resource.policyVersion) false',
      '(eq request.resource.policyVersion "default") false',
      '(not (in request.resource.policyVersion ["v2","v3"])) false',
    ]);
    expect(planned("0.58", same, { version: "v2", resourceVersion: "default" })).toBe("(false) false");
    expect(planned("0.58", 'R.policyVersion == ""')).toBe("(true) false");
  });

  test("where no policy is of the scope, each action has an empty scope at level 0.58", () => {
    const scopesOf = (level: CerbosLevel, scope: string) => {
      const found = queried([policy([rule("ALLOW", ["user"])])], { level, scope, actions: ["read", "write"] });
      return "fault" in found ? found : Object.fromEntries(found.scopes ?? []);
    };
    expect([scopesOf("0.55", "other"), scopesOf("0.58", "other")]).toEqual([{}, { read: "", write: "" }]);
    for (const level of ["0.55", "0.58"] as const) expect(scopesOf(level, "")).toEqual({ read: "", write: "" });
  });
});
