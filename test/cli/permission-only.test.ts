/** Every command on unchanged Cerbos repositories: without a second layer, and without accounts. */

import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ABSENT, CORPUS } from "../conformance/corpus.js";
import { ROOT } from "../support/built.js";
import { SHIPPED_ROOT } from "../support/policies.js";
import { say } from "../support/seed.js";
import { type Files, keyward, withFiles } from "../support/terminal.js";

const EXAMPLE = join(ROOT, "examples/cerbos");
const POLICIES = join(EXAMPLE, "policies");
const REQUEST = join(EXAMPLE, "request.json");

/** Copies the example's policies and adds or replaces files. */
async function withExample<T>(files: Files, use: (directory: string) => Promise<T>): Promise<T> {
  return withFiles({}, async (directory) => {
    await cp(POLICIES, directory, { recursive: true });
    for (const [path, content] of Object.entries(files)) await writeFile(join(directory, path), content);
    return use(directory);
  });
}

const NOT_ASKED = expect.objectContaining({ asked: false, effect: "allow" });

describe("check", () => {
  test("without the option: one sentence names it", async () => {
    const { code, out, err } = await keyward(["check", POLICIES]);
    expect([code, err]).toEqual([3, ""]);
    expect(out).toMatch(
      /^\/.*\/examples\/cerbos\/policies:1:1 error no_platform_policies the policies are all of version default: a plain Cerbos repository needs --permission-only [^\n]*\n$/,
    );
  });

  test("with it: the policies are fine", async () => {
    const { code, out, err } = await keyward(["check", POLICIES, "--permission-only"]);
    expect([code, out, err]).toEqual([0, "", `${POLICIES}: 4 policies, no errors\n`]);
  });

  test("a repository of another version: the sentence says which option that needs, and it is enough", async () => {
    const text = (await readFile(join(POLICIES, "ann.yaml"), "utf8")).replace("version: default", 'version: "7"');
    await withFiles({ "ann.yaml": text }, async (directory) => {
      const { out } = await keyward(["check", directory]);
      expect(out).toContain("needs --permission-only --permission-version 7 ");
      expect((await keyward(["check", directory, "--permission-only"])).code).toBe(3);
      expect((await keyward(["check", directory, "--permission-only", "--permission-version", "7"])).code).toBe(0);
    });
  });

  test("with policies of several versions, as they are", async () => {
    const text = (await readFile(join(POLICIES, "ann.yaml"), "utf8")).replace("version: default", "version: v2");
    await withExample({ "ann.v2.yaml": text }, async (directory) => {
      const { code, out } = await keyward(["check", directory, "--permission-only"]);
      expect([code, out]).toEqual([0, ""]);
    });
  });

  test("what is wrong with a policy is found all the same", async () => {
    await withExample({ "bad.yaml": "apiVersion: api.cerbos.dev/v1\nresourcePolicy: {}\n" }, async (directory) => {
      const { code, out } = await keyward(["check", directory, "--permission-only"]);
      expect(code).toBe(3);
      expect(out).toMatch(/\/bad\.yaml:2:17 error shape /);
    });
  });
});

test("a set that has a platform layer: a warning says that it is left aside", async () => {
  const { code, out } = await keyward(["check", SHIPPED_ROOT, "--permission-only"]);
  expect([code, out.split("\n").length]).toEqual([0, 2]);
  expect(out).toMatch(/\/platform\/api\.yaml:\d+:\d+ warning platform_not_asked a permission-only set does not ask /);
});

describe("decide and explain", () => {
  test("a request needs no account, and the decision says that no platform layer was asked", async () => {
    const { code, out } = await keyward(["decide", "--policies", POLICIES, "--permission-only", "--input", REQUEST]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ outcome: "insufficient_permissions", platform: NOT_ASKED });
  });

  test("an account may be given, and has to be one", async () => {
    const request = JSON.parse(await readFile(REQUEST, "utf8"));
    const lines = [
      { ...request, account: { id: "acc_1" } },
      { ...request, account: {} },
    ].map((each) => JSON.stringify(each));
    const { code, out } = await keyward(["decide", "--policies", POLICIES, "--permission-only"], lines.join("\n"));
    const [given, bad] = out.trimEnd().split("\n");
    expect(code).toBe(2);
    expect(JSON.parse(given ?? "")).toMatchObject({ outcome: "insufficient_permissions", platform: NOT_ASKED });
    expect(JSON.parse(bad ?? "")).toMatchObject({ invalid: [{ path: "account.id" }] });
  });

  test("the caller is told insufficient_permissions", async () => {
    const body = ["--error-body", "--docs-url", "docs.example.com", "--request-id", "req_1"];
    const { out } = await keyward([
      ...["decide", "--policies", POLICIES, "--permission-only", "--input", REQUEST],
      ...body,
    ]);
    expect(JSON.parse(out).error.type).toMatch(/\/insufficient_permissions$/);
  });

  test("explain shows one layer, and what would have to change", async () => {
    const { code, out } = await keyward(["explain", "--policies", POLICIES, "--permission-only", "--input", REQUEST]);
    expect(code).toBe(0);
    expect(out).toContain("Permission layer");
    expect(out).not.toContain("Platform layer");
    expect(out).toContain("It would be allowed with any one of:\n  - key.attr.limit = 800");
    const allowed = JSON.parse(await readFile(REQUEST, "utf8"));
    allowed.resource.attr.amount = 1;
    const { out: other } = await keyward(
      ["explain", "--policies", POLICIES, "--permission-only"],
      JSON.stringify(allowed),
    );
    expect(other).toContain("\nThe key may do it. These policies have no platform layer.\n");
  });
});

describe("test", () => {
  test("Cerbos suites, with coverage", async () => {
    const { code, out } = await keyward(["test", POLICIES, "--permission-only", "--coverage", "text"]);
    expect(code).toBe(0);
    expect(out).toContain("19 tests executed [19 OK]");
    expect(out).toMatch(/^Coverage \d+(\.\d)? %$/m);
  });

  const SUITE = `name: Decisions
keys:
  cleo: { roles: [employee, manager], attr: { department: sales, limit: 500 } }
resources:
  small: { kind: invoice, attr: { owner: ben, department: sales, amount: 1, state: draft } }
  large: { extends: small, attr: { amount: 900 } }
defaults: { key: cleo, operation: approve }
cases:
  - { name: within the limit, resource: small, expect: allow }
  - { name: over it, resource: large, expect: insufficient_permissions, reasons: [not_granted] }
  - { name: a table, resource: small, table: { view: { cleo: allow }, edit: { cleo: insufficient_permissions } } }
`;

  test("decision suites, without accounts", async () => {
    await withExample({ "testdata/invoice.decisions.yaml": SUITE }, async (directory) => {
      const { code, out } = await keyward(["test", directory, "--permission-only", "--coverage", "json"]);
      expect([code, out.includes("23 tests executed [23 OK]")]).toEqual([0, true]);
    });
  });

  test("what fails is shown without one, in each form", async () => {
    const wrong = SUITE.replace(
      "resource: large, expect: insufficient_permissions, reasons: [not_granted]",
      "resource: large, expect: allow",
    );
    await withExample({ "testdata/invoice.decisions.yaml": wrong }, async (directory) => {
      const shown = async (output: string) =>
        (await keyward(["test", directory, "--permission-only", "--output", output])).out;
      const tree = await shown("tree");
      expect(tree).toContain("cleo, approve, large [FAILED]");
      expect(tree).toContain("key.attr.limit = 900");
      expect(await shown("junit")).toContain('classname="cleo.approve.large"');
      expect(await shown("github")).toContain("over it: cleo approve large: expected allow");
    });
  });

  test("without the option a case without an account is an error, as is a set without a platform layer", async () => {
    await withExample({ "testdata/invoice.decisions.yaml": SUITE }, async (directory) => {
      const { code, err } = await keyward(["test", directory]);
      expect([code, err.includes("needs --permission-only")]).toEqual([3, true]);
    });
  });
});

describe("diff", () => {
  test("what was refused and is now allowed, with a request that replays", { tags: "long" }, async () => {
    const text = await readFile(join(POLICIES, "roles.yaml"), "utf8");
    const wider = text.replace("R.attr.amount <= P.attr.limit", "R.attr.amount <= P.attr.limit * 2.0");
    await withExample({ "roles.yaml": wider }, async (directory) => {
      const { code, out } = await keyward(["diff", POLICIES, directory, "--permission-only", "--format", "json"]);
      expect(code).toBe(4);
      const [change] = JSON.parse(out).changes;
      expect(change).toMatchObject({ class: "widening", kind: "invoice", operation: "approve" });
      for (const [where, outcome] of [
        [POLICIES, change.from],
        [directory, change.to],
      ]) {
        const args = ["decide", "--policies", where, "--permission-only"];
        const decided = await keyward(args, JSON.stringify(change.request));
        expect(JSON.parse(decided.out).outcome).toBe(outcome);
      }
    });
  });

  test("nothing, where nothing changed", async () => {
    await withExample({}, async (directory) => {
      const { code, out } = await keyward(["diff", POLICIES, directory, "--permission-only"]);
      expect([code, out.startsWith("No decision changes. This is proved.")]).toEqual([0, true]);
    });
  });
});

describe("review", () => {
  const review = async (format: string) =>
    (await keyward(["review", POLICIES, "--permission-only", "--date", "2026-01-31", "--format", format])).out;

  test("as data: no platform version, and no operation is unsupported", async () => {
    const facts = JSON.parse(await review("json"));
    expect(facts.policies).toMatchObject({ permissionVersion: "default" });
    expect(facts.policies).not.toHaveProperty("platformVersion");
    const codes: string[] = facts.findings.map(({ code }: { readonly code: string }) => code);
    expect(codes).not.toContain("unsupported_operation");
    expect(facts.operations.map(({ operation }: { readonly operation: string }) => operation).sort()).toEqual([
      ...["approve", "delete", "edit", "view"],
    ]);
  });

  test("checks of Cerbos suites are tests of operations", async () => {
    const facts = JSON.parse(await review("json"));
    const counts = facts.operations.map(
      ({ operation, tests }: { readonly operation: string; readonly tests: number }) => `${operation} ${tests}`,
    );
    expect(counts.sort()).toEqual(["approve 7", "delete 0", "edit 6", "view 6"]);
    const untested = facts.findings.filter(({ code }: { readonly code: string }) => code === "untested_operation");
    expect(untested.map(({ message }: { readonly message: string }) => message)).toEqual([
      "no test covers delete on invoice",
    ]);
  });

  test("as Markdown: nothing of a platform but that there is none", async () => {
    const text = await review("markdown");
    expect(text.match(/^.*platform.*$/gim)).toEqual(["- Layers: permissions are version `default`, no platform layer"]);
  });
});

test("check-resources takes the option, which changes nothing there", async () => {
  const args = ["check-resources", "--policies", POLICIES, "--input", join(EXAMPLE, "check.json")];
  const plain = await keyward(args);
  expect(plain.code).toBe(0);
  expect(await keyward([...args, "--permission-only"])).toEqual(plain);
  expect(JSON.parse(plain.out).results[0].actions).toEqual({
    view: "EFFECT_DENY",
    edit: "EFFECT_DENY",
    approve: "EFFECT_ALLOW",
  });
});

test.each([
  ["check-resources", {}],
  ["plan-resources", { resources: undefined, resource: { kind: "invoice" }, action: "approve" }],
])("%s: --permission-version is the version that requests ask which name none", async (command, other) => {
  const input = JSON.stringify({ ...JSON.parse(await readFile(join(EXAMPLE, "check.json"), "utf8")), ...other });
  const usual = await keyward([command, "--policies", POLICIES], input);
  expect(usual.code).toBe(0);
  await withExample({}, async (directory) => {
    for (const { parentPath, name } of await readdir(directory, { recursive: true, withFileTypes: true })) {
      if (!name.endsWith(".yaml")) continue;
      const text = await readFile(join(parentPath, name), "utf8");
      await writeFile(join(parentPath, name), text.replace("version: default", "version: v7"));
    }
    const other = await keyward([command, "--policies", directory], input);
    expect(other.out).not.toBe(usual.out);
    const versions = ["--permission-version", "v7", "--other-version", "v1"];
    const asked = await keyward([command, "--policies", directory, ...versions], input);
    expect({ ...asked, out: asked.out.replaceAll("v7", "default") }).toEqual(usual);
  });
});

test.each([
  ["check", POLICIES],
  ["check-resources", "--policies", POLICIES],
  ["plan-resources", "--policies", POLICIES],
  ["decide", "--policies", POLICIES],
  ["explain", "--policies", POLICIES],
  ["diff", POLICIES, POLICIES],
  ["review", POLICIES],
  ["test", POLICIES],
])("%s: a version without a name is bad usage", async (...args) => {
  const { code, err } = await keyward([...args, "--permission-only", "--permission-version", ""]);
  expect([code, err]).toEqual([2, `keyward ${args[0]}: --permission-version must be a version of policies\n`]);
});

if (ABSENT !== undefined) say(ABSENT);

test.skipIf(ABSENT !== undefined)("Cerbos's own store: checked, and reviewed", { tags: "long" }, async () => {
  const store = join(CORPUS, "store");
  expect(await keyward(["check", store, "--permission-only"])).toMatchObject({ code: 0 });
  expect(await keyward(["review", store, "--permission-only", "--format", "json"])).toMatchObject({ code: 0 });
});
