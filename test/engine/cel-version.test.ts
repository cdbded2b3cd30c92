/** `celVersion` everywhere that policies are loaded, and what is decided by policies that use later versions. */

import { isLeft } from "fp-ts/lib/Either.js";
import { describe, expect, test } from "vitest";
import type { CelVersion } from "../../src/cel/versions.js";
import { compileCheckEngine, EmbeddedClient } from "../../src/cerbos/index.js";
import { Draft } from "../../src/engine/generate/draft.js";
import { condition } from "../../src/engine/generate/expressions.js";
import { type CompileOptions, compilePolicies, type DecisionRequest, decide } from "../../src/index.js";
import { loadCheckEngine, loadPolicies } from "../../src/node/index.js";
import { checkedTree } from "../cel/support.js";
import { keyward, withFiles } from "../support/terminal.js";

const CONDITION = 'R.attr.?owner.orValue("nobody") == P.id && cidr("10.0.0.0/8").containsIP(P.attr.?ip.orValue("::1"))';

function policyFiles(condition: string) {
  const policy = (version: string, role: string, match: unknown) => ({
    apiVersion: "api.cerbos.dev/v1",
    resourcePolicy: {
      resource: "doc",
      version,
      rules: [
        {
          name: "r",
          actions: ["read"],
          roles: [role],
          effect: "EFFECT_ALLOW",
          ...(match ? { condition: { match } } : {}),
        },
      ],
    },
  });
  return [
    { path: "a.json", text: JSON.stringify(policy("default", "user", { expr: condition })) },
    { path: "b.json", text: JSON.stringify(policy("platform", "account", undefined)) },
  ];
}

const FILES = policyFiles(CONDITION);

function request(attr: DecisionRequest["key"]["attr"], resource: DecisionRequest["resource"]["attr"]): DecisionRequest {
  return {
    key: { id: "k", roles: ["user"], attr },
    account: { id: "a", attr: {} },
    resource: { kind: "doc", id: "1", attr: resource },
    operation: "read",
  };
}

function compiled(condition: string, options: CompileOptions = {}) {
  const loaded = compilePolicies(policyFiles(condition), { celVersion: "0.55", ...options });
  if (isLeft(loaded)) throw new Error(loaded.left[0].message);
  return loaded.right;
}

const refused = {
  file: "a.json",
  code: "expression",
  message: "optional syntax came with Cerbos 0.55; these policies are read as of 0.51 (celVersion)",
};

describe("where policies are loaded", () => {
  test("compilePolicies", () => {
    expect(compilePolicies(FILES)).toMatchObject({ left: [refused] });
    expect(compilePolicies(FILES, { celVersion: "0.54" })).toMatchObject({ _tag: "Left" });
    const set = compiled(CONDITION);
    expect(decide(set, request({ ip: "10.1.2.3" }, { owner: "k" })).outcome).toBe("allow");
    expect(decide(set, request({ ip: "11.1.2.3" }, { owner: "k" })).outcome).toBe("insufficient_permissions");
    expect(decide(set, request({}, { owner: "k" })).outcome).toBe("insufficient_permissions");
    expect(decide(set, request({ ip: "10.1.2.3" }, {})).outcome).toBe("insufficient_permissions");
    // An address that is none is an error, and denies.
    expect(decide(set, request({ ip: "x" }, { owner: "k" }))).toMatchObject({
      outcome: "insufficient_permissions",
      permission: { errors: [{ message: expect.stringContaining("not an IP address") }] },
    });
  });

  test("compileCheckEngine and EmbeddedClient", async () => {
    expect(compileCheckEngine(FILES)).toMatchObject({ left: [refused] });
    const engine = compileCheckEngine(FILES, { celVersion: "0.55" });
    if (isLeft(engine)) throw new Error(engine.left[0].message);
    const client = new EmbeddedClient(engine.right);
    const principal = { id: "k", roles: ["user"], attr: { ip: "10.0.0.1" } };
    const resource = { kind: "doc", id: "1", attr: { owner: "k" } };
    expect(await client.isAllowed({ principal, resource, action: "read" })).toBe(true);
    expect(await client.isAllowed({ principal: { ...principal, attr: {} }, resource, action: "read" })).toBe(false);
  });

  const onDisk = Object.fromEntries(FILES.map(({ path, text }) => [path, text]));

  test("loadPolicies and loadCheckEngine", async () => {
    await withFiles(onDisk, async (directory) => {
      for (const load of [loadPolicies, loadCheckEngine]) {
        expect(await load(directory)()).toMatchObject({ _tag: "Left", left: [{ code: "expression" }] });
        expect(await load(directory, { celVersion: "0.55" })()).toMatchObject({ _tag: "Right" });
      }
    });
  });

  test("the command", async () => {
    const input = JSON.stringify(request({ ip: "10.1.2.3" }, { owner: "k" }));
    const check = JSON.stringify({
      principal: { id: "k", roles: ["user"], attr: { ip: "10.0.0.1" } },
      resources: [{ actions: ["read"], resource: { kind: "doc", id: "1", attr: { owner: "k" } } }],
    });
    await withFiles(onDisk, async (directory) => {
      const commands = [
        { args: ["check", directory], input: "", out: "" },
        { args: ["decide", "--policies", directory], input, out: '"outcome":"allow"' },
        { args: ["check-resources", "--policies", directory], input: check, out: '"EFFECT_ALLOW"' },
      ];
      for (const command of commands) {
        const run = (...more: string[]) => keyward([...command.args, ...more], command.input);
        expect((await run()).code).toBe(3);
        expect((await run("--cel-version", "0.52")).code).toBe(3);
        const { code, out } = await run("--cel-version", "0.55");
        expect(code).toBe(0);
        expect(out).toContain(command.out);
        const wrong = await run("--cel-version", "0.50");
        expect([wrong.code, wrong.err]).toEqual([
          2,
          `keyward ${command.args[0]}: --cel-version must be one of 0.51, 0.52, 0.53, 0.54, 0.55\n`,
        ]);
      }
    });
  });

  test.each(["0.50", "", "1", "constructor", 0.51, null])("a version that is none (%j) is refused", (version) => {
    const celVersion = version as CelVersion;
    const issue = {
      file: "",
      line: 1,
      column: 1,
      severity: "error",
      code: "unsupported",
      message: "celVersion must be one of 0.51, 0.52, 0.53, 0.54, 0.55",
    };
    expect(compilePolicies(FILES, { celVersion })).toEqual({ _tag: "Left", left: [issue] });
    expect(compileCheckEngine(FILES, { celVersion })).toEqual({ _tag: "Left", left: [issue] });
  });

  test("two versions do not disturb each other", () => {
    const source = 'isSubset(R.attr.list, [1, 2, 3, 4]) && "a".startsWith("a")';
    const attr = { list: [1, 2] };
    const [older, newer] = [compiled(source, { celVersion: "0.51" }), compiled(source)];
    for (let i = 0; i < 3; i++) {
      expect(decide(older, request({}, attr)).outcome).toBe("insufficient_permissions");
      expect(decide(newer, request({}, attr)).outcome).toBe("allow");
    }
  });
});

test("a platform policy that reads the key through an optional is refused", () => {
  const [permission] = FILES;
  for (const expr of ["request.principal.?attr.x.hasValue()", "runtime.?effectiveDerivedRoles.hasValue()"]) {
    expect(compiled(expr)).toBeDefined();
  }
  const token = JSON.stringify({
    apiVersion: "api.cerbos.dev/v1",
    resourcePolicy: {
      resource: "doc",
      version: "platform",
      rules: [
        {
          name: "r",
          actions: ["read"],
          roles: ["account"],
          effect: "EFFECT_ALLOW",
          condition: { match: { expr: "request.auxData.jwt.?sub.hasValue()" } },
        },
      ],
    },
  });
  expect(
    compilePolicies([permission ?? { path: "", text: "" }, { path: "b.json", text: token }], { celVersion: "0.55" }),
  ).toMatchObject({
    left: [{ code: "platform_reads_key" }],
  });
});

describe("no code is generated for what is newer", () => {
  test.each([
    ["R.attr.open == true", true],
    ["R.attr.?open.orValue(false) == true", false],
    ["R.attr[?'open'].orValue(false)", false],
    ["R.attr.?open == optional.of(true)", false],
    ["has(R.attr.?open.x) || R.attr.open == true", false],
    ["true in [?R.attr.?open]", false],
    ["hasIntersection(R.attr.list, [?R.attr.?open]) || R.attr.open == true", false],
    ["[?R.attr.?open] == [true]", false],
    ["{?'a': R.attr.?open} == {'a': true}", false],
    ["sets.contains([true], [R.attr.open])", false],
    ["R.attr.?open.optMap(o, o == true).orValue(false)", false],
    ["R.attr.open == true && isIP('10.0.0.1')", false],
    ["isSubset([R.attr.open], [true])", false],
  ])("%s", (source, isGenerated) => {
    const draft = new Draft(new Map());
    expect(condition(checkedTree(source, undefined, "0.55"), draft) !== undefined).toBe(isGenerated);
    const set = compiled(source);
    const closures = compiled(source, { codegen: false });
    const requests = [{ open: true, list: [true] }, { open: false, list: [] }, {}, { open: 1 }];
    for (let i = 0; i < 25; i++) {
      for (const attr of requests) {
        const one = request({}, attr);
        expect(decide(set, one)).toEqual(decide(closures, one));
      }
    }
    expect(decide(set, request({}, { open: true, list: [true] })).outcome).toBe("allow");
  });
});
