/** The separation of the layers: a platform policy that could read any part of the key is refused. */

import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import { type CompileOptions, compilePolicies, decide } from "../../src/index.js";
import { policy, when } from "../support/compose.js";
import { compiled } from "../support/policies.js";
import { ask } from "../support/requests.js";

const PERMISSION = policy({ rules: ['name: all, actions: ["*"], roles: [user], effect: EFFECT_ALLOW'] });
const SUPPORTED = 'name: supported, actions: ["*"], roles: [account], effect: EFFECT_ALLOW';

type Files = { readonly [path: string]: string };

/** The findings as `file:line:column code`, warnings in brackets. */
function findings(files: Files, versions?: CompileOptions): string[] {
  const loaded = compilePolicies(
    Object.entries(files).map(([path, text]) => ({ path, text })),
    versions,
  );
  const issues = isLeft(loaded) ? loaded.left : loaded.right.warnings;
  return issues.map(({ file, line, column, code, severity }) => {
    const shown = `${file}:${line}:${column} ${code}`;
    return severity === "warning" ? `(${shown})` : shown;
  });
}

const platform = (rule: string, body = "") => policy({ version: "platform", body, rules: [SUPPORTED, rule] });

const withPlatform = (text: string, more: Files = {}) => findings({ "a.yaml": PERMISSION, "p.yaml": text, ...more });

test("policies of the permission layer may read the key, and deny without a name", () => {
  const rule = `resource: doc, actions: [{action: read, effect: EFFECT_DENY, ${when("request.auxData.jwt.sub == 'x'")}}]`;
  const text = `apiVersion: api.cerbos.dev/v1
principalPolicy: {principal: ann, version: default, rules: [{${rule}}]}
`;
  expect(withPlatform(platform(SUPPORTED.replace("supported", "other")), { "n.yaml": text })).toEqual([]);
});

test("a platform layer that reads the account and the resource is fine", () => {
  const rule = `name: held, actions: ["*"], roles: ["*"], effect: EFFECT_DENY, ${when("P.attr.holds != [] || R.attr.system || P.id != R.attr.owner")}, output: {when: {ruleActivated: '"held"'}}`;
  expect(withPlatform(platform(rule))).toEqual([]);
});

describe("a set without one of its layers", () => {
  test("no platform policies", () => {
    expect(findings({ "a.yaml": PERMISSION })).toEqual([".:1:1 no_platform_policies"]);
  });

  test("platform policies that are disabled", () => {
    const text = platform(SUPPORTED.replace("supported", "other")).replace(
      "resourcePolicy",
      "disabled: true\nresourcePolicy",
    );
    expect(withPlatform(text)).toEqual([".:1:1 no_platform_policies"]);
  });

  test("no policy at all, or none that could be of a layer", () => {
    const derived = {
      "r.yaml": "apiVersion: api.cerbos.dev/v1\nderivedRoles: {name: r, definitions: [{name: a, parentRoles: [b]}]}\n",
    };
    const load = (files: Files, options?: CompileOptions) => {
      const loaded = compilePolicies(
        Object.entries(files).map(([path, text]) => ({ path, text })),
        options,
      );
      return isLeft(loaded) ? loaded.left.map(({ message }) => message.split(":")[0]) : [];
    };
    expect(load({})).toEqual(["there are no policies"]);
    expect(load(derived)).toEqual(["there are no policies for resources, principals or roles"]);
    expect(load(derived, { platform: "none" })).toEqual([
      "there are no policies for resources, principals or roles, none of version default",
    ]);
    const empty = compilePolicies([{ path: "r.yaml", text: derived["r.yaml"] }], { platform: "none" });
    expect(isLeft(empty) && empty.left[0]).not.toHaveProperty("hint");
    // Unreadable files are reported before other findings.
    expect(load({ "a.yaml": "resourcePolicy: [" })).not.toEqual([]);
  });

  test("no permission policies", () => {
    expect(findings({ "p.yaml": platform(SUPPORTED.replace("supported", "other")) })).toEqual([
      ".:1:1 no_permission_policies",
    ]);
  });

  test("of one version alone: one sentence says so, and what a plain Cerbos repository needs", () => {
    const said = (text: string) => {
      const loaded = compilePolicies([{ path: "a.yaml", text }]);
      return isLeft(loaded) && loaded.left.map(({ message }) => message);
    };
    expect(said(PERMISSION)).toEqual([
      'the policies are all of version default: a plain Cerbos repository needs --permission-only (in programs, platform: "none"); otherwise resource policies of version platform must say what is forbidden for every key',
    ]);
    const mixed = compilePolicies([
      { path: "a.yaml", text: PERMISSION.replace("version: default", "version: v7") },
      { path: "b.yaml", text: PERMISSION.replace("version: default", "version: v8") },
    ]);
    expect(isLeft(mixed) && mixed.left.map(({ message }) => message)).toEqual([
      'the policies are of versions v7, v8: a plain Cerbos repository needs --permission-only --permission-version V (in programs, platform: "none", permissionVersion: "V"); otherwise resource policies of version platform must say what is forbidden for every key',
    ]);
    expect(said(PERMISSION.replace("version: default", "version: v7"))).toEqual([
      expect.stringContaining("needs --permission-only --permission-version v7 (in programs"),
    ]);
  });
});

describe("a platform policy with a role that only a key can have", () => {
  test.each([
    ["admin", "roles: [admin]", "p.yaml:7:42"],
    ["admin beside account", "roles: [account, admin]", "p.yaml:7:51"],
    ["a role called like account", "roles: [Account]", "p.yaml:7:42"],
  ])("%s", (_, roles, place) => {
    expect(withPlatform(platform(`name: r, actions: [read], ${roles}, effect: EFFECT_ALLOW`))).toEqual([
      `${place} platform_reads_key`,
    ]);
  });

  const set = (parents: string) => `apiVersion: api.cerbos.dev/v1
derivedRoles:
  name: roles
  definitions:
    - name: owner
      parentRoles: ${parents}
`;
  const rule = "name: r, actions: [read], derivedRoles: [owner], effect: EFFECT_ALLOW";

  test("a derived role of a key's role", () => {
    const found = withPlatform(platform(rule, "importDerivedRoles: [roles]"), { "r.yaml": set("[account, editor]") });
    expect(found).toEqual([expect.stringMatching(/^r\.yaml:5:\d+ platform_reads_key$/)]);
  });

  test("a derived role of account, or of any role, is fine", () => {
    for (const parents of ["[account]", '["*"]']) {
      expect(withPlatform(platform(rule, "importDerivedRoles: [roles]"), { "r.yaml": set(parents) })).toEqual([]);
    }
  });
});

describe("a platform policy that reads data which comes with the key", () => {
  const reads = [
    "request.auxData.jwt.sub == 'x'",
    "request.aux_data.jwt.sub == 'x'",
    "has(request.auxData.jwt.sub)",
    'request.auxData.jwts["peer"].claims.sub == "x"',
    'request.auxData.jwt["sub"] == "x"',
    "R.attr.x || size(request.auxData.jwt) > 0",
    "P.attr.list.exists(x, x == request.auxData.jwt.sub)",
  ];

  test.each(reads)("in a condition: %s", (expr) => {
    const text = platform(`name: r, actions: [read], roles: [account], effect: EFFECT_ALLOW, ${when(expr)}`);
    const found = withPlatform(text);
    expect(found).toEqual([expect.stringMatching(/^p\.yaml:7:\d+ platform_reads_key$/)]);
    const column = Number(/:7:(\d+)/.exec(found[0] ?? "")?.[1]);
    const start = (text.split("\n")[6] ?? "").indexOf("expr: ") + 7;
    expect(column).toBeGreaterThanOrEqual(start);
    expect(column).toBeLessThanOrEqual(start + JSON.stringify(expr).length);
  });

  test("in a nested condition", () => {
    const condition =
      "condition: {match: {all: {of: [{expr: R.attr.x}, {none: {of: [{expr: has(request.auxData.jwt.sub)}]}}]}}}";
    expect(
      withPlatform(platform(`name: r, actions: [read], roles: [account], effect: EFFECT_ALLOW, ${condition}`)),
    ).toEqual([expect.stringMatching(/^p\.yaml:7:\d+ platform_reads_key$/)]);
  });

  test("in an output", () => {
    const rule =
      "name: r, actions: [read], roles: [account], effect: EFFECT_ALLOW, output: {when: {conditionNotMet: request.auxData.jwt.sub}}";
    expect(withPlatform(platform(rule))).toEqual([expect.stringMatching(/^p\.yaml:7:\d+ platform_reads_key$/)]);
  });

  test("in a variable of its own", () => {
    const rule = `name: r, actions: [read], roles: [account], effect: EFFECT_ALLOW, ${when("V.who == 'x'")}`;
    expect(withPlatform(platform(rule, "variables: {local: {who: request.auxData.jwt.sub}}"))).toEqual([
      expect.stringMatching(/^p\.yaml:5:\d+ platform_reads_key$/),
    ]);
  });

  test("in a variable that another one reads, imported", () => {
    const rule = `name: r, actions: [read], roles: [account], effect: EFFECT_ALLOW, ${when("V.is_x")}`;
    const exported = `apiVersion: api.cerbos.dev/v1
exportVariables:
  name: claims
  definitions:
    who: request.auxData.jwt.sub
    is_x: V.who == "x"
`;
    const found = withPlatform(platform(rule, "variables: {import: [claims]}"), { "v.yaml": exported });
    expect(found).toEqual([expect.stringMatching(/^v\.yaml:5:\d+ platform_reads_key$/)]);
  });

  test("in the condition of a derived role, and in a variable of its set", () => {
    const set = (condition: string) => `apiVersion: api.cerbos.dev/v1
derivedRoles:
  name: roles
  variables: {local: {who: request.auxData.jwt.sub}}
  definitions:
    - name: owner
      parentRoles: [account]
      condition: {match: {expr: '${condition}'}}
`;
    const text = platform(
      "name: r, actions: [read], derivedRoles: [owner], effect: EFFECT_ALLOW",
      "importDerivedRoles: [roles]",
    );
    expect(withPlatform(text, { "r.yaml": set('request.auxData.jwt.sub == "x"') })).toContainEqual(
      expect.stringMatching(/^r\.yaml:8:\d+ platform_reads_key$/),
    );
    expect(withPlatform(text, { "r.yaml": set('V.who == "x"') })).toEqual([
      expect.stringMatching(/^r\.yaml:4:\d+ platform_reads_key$/),
    ]);
  });

  test("a permission policy may read it", () => {
    const text = policy({
      rules: [`name: r, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when("has(request.auxData.jwt.sub)")}`],
    });
    expect(findings({ "a.yaml": text, "p.yaml": platform(SUPPORTED.replace("supported", "other")) })).toEqual([]);
  });
});

describe("a platform denial whose reason would be lost is a warning", () => {
  const denial = (parts: string) =>
    `${parts}actions: [read], roles: [account], effect: EFFECT_DENY, ${when("R.attr.x")}`;

  test.each([
    ["without a name", denial("output: {when: {ruleActivated: '\"x\"'}}, "), "no name"],
    ["without an output", denial("name: x, "), "no output"],
    [
      "with an output for the other case only",
      denial("name: x, output: {when: {conditionNotMet: '\"x\"'}}, "),
      "no output",
    ],
    ["with neither", denial(""), "no name and no output"],
  ])("%s", (_, rule, message) => {
    const set = compiled([
      { path: "a.yaml", text: PERMISSION },
      { path: "p.yaml", text: platform(rule) },
    ]);
    expect(set.warnings).toEqual([
      expect.objectContaining({
        severity: "warning",
        code: "unnamed_denial",
        file: "p.yaml",
        line: 7,
        message: expect.stringContaining(message),
      }),
    ]);
  });

  test("not in the permission layer, and not for a rule that allows", () => {
    const text = policy({
      rules: ['actions: ["*"], roles: [user], effect: EFFECT_ALLOW', denial("").replace("account", "user")],
    });
    const allows = platform("actions: [read], roles: [account], effect: EFFECT_ALLOW");
    expect(findings({ "a.yaml": text, "p.yaml": allows })).toEqual([]);
  });
});

describe("the names of the layers", () => {
  const files = {
    "a.yaml": PERMISSION.replace("version: default", "version: v2024"),
    "p.yaml": platform(SUPPORTED.replace("supported", "other")).replace("version: platform", "version: rules"),
  };
  const names = { permissionVersion: "v2024", platformVersion: "rules" };
  const request = { ...ask("read", { roles: ["user"] }), resource: { kind: "doc", id: "d", attr: {} } };

  test("can be others", () => {
    expect(findings(files, names)).toEqual([]);
    const set = compiled(
      Object.entries(files).map(([path, text]) => ({ path, text })),
      names,
    );
    const decision = decide(set, request);
    expect([decision.outcome, decision.permission.policy, decision.platform.policy]).toEqual([
      "allow",
      "resource.doc.vv2024",
      "resource.doc.vrules",
    ]);
  });

  test("are not those that are not asked for", () => {
    expect(findings(files)).toEqual([".:1:1 no_platform_policies"]);
  });

  test("the wall stands between the layers of those names", () => {
    const keyed = { ...files, "p.yaml": (files["p.yaml"] ?? "").replace("[account]", "[admin]") };
    expect(findings(keyed, names)).toEqual(["p.yaml:6:49 platform_reads_key"]);
  });

  test("must differ: one version cannot be both", () => {
    for (const version of ["default", "platform"]) {
      const same = { permissionVersion: version, platformVersion: version };
      expect(
        findings({ "a.yaml": PERMISSION, "p.yaml": platform(SUPPORTED.replace("supported", "other")) }, same),
      ).toEqual([".:1:1 no_platform_policies"]);
    }
  });

  test("policies of other versions that are named are in neither layer", () => {
    const other = policy({ version: "v1", rules: ['actions: ["*"], roles: [admin, "*"], effect: EFFECT_DENY'] });
    const files = [
      { path: "a.yaml", text: PERMISSION },
      { path: "o.yaml", text: other },
      { path: "p.yaml", text: platform(SUPPORTED.replace("supported", "other")) },
    ];
    const set = compiled(files, { otherVersions: ["v1"] });
    expect(set.warnings).toEqual([]);
    expect(decide(set, request).outcome).toBe("allow");
  });
});

describe("a policy in neither layer", () => {
  const other = platform(SUPPORTED.replace("supported", "other"));
  const stray = (version: string) =>
    policy({ version, rules: ['name: no, actions: ["*"], roles: ["*"], effect: EFFECT_DENY'] }).replace("doc", "page");
  const issuesOf = (files: Files, options?: CompileOptions) => {
    const loaded = compilePolicies(
      Object.entries(files).map(([path, text]) => ({ path, text })),
      options,
    );
    return isLeft(loaded) ? loaded.left : loaded.right.warnings;
  };

  test.each([
    ["plattform", /^did you mean "platform"\? if no layer here should use it, .* --other-version plattform /],
    ["Default", /^did you mean "default"\? /],
    ["v1", /^if no layer here should use it, .* otherVersions: \["v1"\]\)$/],
    // Numbered versions differ in one character by design.
    ["platform2", /^if no layer here should use it, /],
  ])("of the version %s is an error, where the version stands", (version, hint) => {
    expect(issuesOf({ "a.yaml": PERMISSION, "p.yaml": other, "o.yaml": stray(version) })).toEqual([
      {
        severity: "error",
        file: "o.yaml",
        line: 4,
        column: 12,
        code: "no_layer",
        message: `the version ${version} is neither the permission layer's (default) nor the platform layer's (platform): no decision asks this policy`,
        hint: expect.stringMatching(hint),
      },
    ]);
  });

  test("also of principals and roles, whose version may be left out", () => {
    const principal = `apiVersion: api.cerbos.dev/v1
principalPolicy: {principal: ann, version: defalt, rules: [{resource: doc, actions: [{action: read, effect: EFFECT_DENY}]}]}
`;
    const role = `apiVersion: api.cerbos.dev/v1
rolePolicy: {role: user, scope: "", rules: [{resource: doc, allowActions: [read]}]}
`;
    const files = { "p.yaml": other, "a.yaml": PERMISSION, "n.yaml": principal, "r.yaml": role };
    expect(findings(files)).toEqual(["n.yaml:2:44 no_layer"]);
    const versions = { permissionVersion: "v7", otherVersions: ["defalt"] };
    const renamed = { ...files, "a.yaml": PERMISSION.replace("version: default", "version: v7") };
    expect(findings(renamed, versions)).toEqual(["r.yaml:2:20 no_layer"]);
  });

  test("short versions are near each other by nature", () => {
    const files = { "a.yaml": PERMISSION, "p.yaml": other, "o.yaml": stray("plat") };
    const short = { ...files, "p.yaml": other.replace("version: platform", "version: play") };
    const [found] = issuesOf(short, { platformVersion: "play" });
    expect(found?.hint).toMatch(/^if no layer here should use it, /);
    const long = { ...files, "o.yaml": stray("playz"), "p.yaml": other.replace("version: platform", "version: plays") };
    expect(issuesOf(long, { platformVersion: "plays" })[0]?.hint).toMatch(/^did you mean "plays"\? /);
  });

  test("where both layers are missing, what looks like either is reported", () => {
    const files = { "o.yaml": stray("plattform"), "d.yaml": stray("defualt"), "v.yaml": stray("v1") };
    expect(findings(files)).toEqual([".:1:1 no_platform_policies", "d.yaml:4:12 no_layer", "o.yaml:4:12 no_layer"]);
  });

  test("layers of one version are an error, and all that is said", () => {
    const files = { "a.yaml": PERMISSION, "o.yaml": stray("v1") };
    const [found, ...others] = issuesOf(files, { platformVersion: "default" });
    expect(others).toEqual([]);
    expect(found).toEqual({
      severity: "error",
      file: ".",
      line: 1,
      column: 1,
      code: "no_platform_policies",
      message: "the permission and platform layers are the same version",
    });
  });

  test("where a layer is missing, only what looks like it is reported", () => {
    expect(findings({ "a.yaml": PERMISSION, "o.yaml": stray("plattform"), "v.yaml": stray("v1") })).toEqual([
      ".:1:1 no_platform_policies",
      "o.yaml:4:12 no_layer",
    ]);
  });

  test("a permission-only set has policies of any version; a misspelt one is a warning", () => {
    const files = { "a.yaml": PERMISSION, "o.yaml": stray("v1"), "q.yaml": stray("defualt") };
    expect(findings(files, { platform: "none" })).toEqual(["(q.yaml:4:12 no_layer)"]);
    expect(issuesOf(files, { platform: "none" })[0]?.hint).toMatch(/^did you mean "default"\? /);
    expect(findings(files, { platform: "none", otherVersions: ["defualt"] })).toEqual([]);
  });

  test("the version of a layer cannot be named as another", () => {
    const files = [{ path: "a.yaml", text: PERMISSION }];
    for (const version of ["default", "platform"]) {
      expect(() => compilePolicies(files, { otherVersions: [version] })).toThrow("it is the version of a layer");
    }
  });
});

test("findings are in the order of files, lines and columns, whatever they are about", () => {
  const reads = when("request.auxData.jwt.a == 1");
  const rules = [
    `name: both, actions: [a], ${reads}, roles: [admin], effect: EFFECT_ALLOW`,
    `name: reads, actions: [b], ${reads}, roles: [account], effect: EFFECT_ALLOW`,
    "name: role, actions: [c], roles: [admin], effect: EFFECT_ALLOW",
  ];
  const texts = ["doc", "other"].map((resource) => policy({ resource, version: "platform", rules }));
  const found = findings({ "a.yaml": PERMISSION, "q.yaml": texts[0] ?? "", "p.yaml": texts[1] ?? "" });
  expect(found.map((one) => one.replace(/:\d+ platform_reads_key$/, ""))).toEqual([
    "p.yaml:6",
    "p.yaml:6",
    "p.yaml:7",
    "p.yaml:8",
    "q.yaml:6",
    "q.yaml:6",
    "q.yaml:7",
    "q.yaml:8",
  ]);
  const columns = found.filter((one) => one.startsWith("p.yaml:6")).map((one) => Number(one.split(/[: ]/)[2]));
  expect(columns).toEqual([...columns].sort((a, b) => a - b));
  expect(new Set(columns).size).toBe(2);
});

test("what a set without one of its layers lacks is an error, with a hint", () => {
  const loaded = compilePolicies([{ path: "p.yaml", text: platform(SUPPORTED.replace("supported", "other")) }]);
  if (!isLeft(loaded)) throw new Error("loaded");
  expect(loaded.left).toEqual([
    {
      ...{ severity: "error", file: ".", line: 1, column: 1, code: "no_permission_policies" },
      message: "there are no permission policies (version default)",
      hint: "add resource policies with `version: default`",
    },
  ]);
  const alone = compilePolicies([{ path: "a.yaml", text: PERMISSION }], { platformVersion: "default" });
  expect(isLeft(alone) && alone.left.map(({ severity, code }) => [severity, code])).toEqual([
    ["error", "no_platform_policies"],
  ]);
});

test("role policies of the platform's one role, and of any, are no roles of keys", () => {
  const role = (name: string, version = "platform") => ({
    [`role_${name.length}.yaml`]: `apiVersion: api.cerbos.dev/v1\nrolePolicy: {role: "${name}", version: ${version}, rules: [{resource: doc, allowActions: [read]}]}\n`,
  });
  expect(withPlatform(platform(SUPPORTED.replace("supported", "other")), role("account"))).toEqual([]);
  expect(withPlatform(platform(SUPPORTED.replace("supported", "other")), role("admin"))).toEqual([
    "role_5.yaml:2:20 platform_reads_key",
  ]);
  expect(withPlatform(platform(SUPPORTED.replace("supported", "other")), role("admin", "default"))).toEqual([]);
});

test("the whole request has in it what arrives with the key, and the account and the resource have not", () => {
  const read = (expr: string) =>
    withPlatform(platform(`name: r, actions: [read], roles: [account], effect: EFFECT_ALLOW, ${when(expr)}`));
  const refused = (expr: string) => read(expr).some((one) => one.endsWith(" platform_reads_key"));
  const exprs = [
    "dyn(request) == dyn(1)",
    "request.auxData.jwt.a == 1",
    "has(request.auxData.jwt)",
    "dyn(P) == dyn(1)",
    'request.principal.id == "a"',
    "dyn(request.resource) == dyn(1)",
  ];
  expect(exprs.map(refused)).toEqual([true, true, true, false, false, false]);
});
