/**
 * Where code from strings is forbidden, everything works with the same results: in Node with the flag that forbids it,
 * on a page with a content security policy, and in an edge worker. Each runs the built package.
 *
 * @module-tag long
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { Miniflare } from "miniflare";
import { describe, expect, test } from "vitest";
import { bundleText } from "../../src/bundle/module.js";
import { compileCheckEngineOrThrow, EmbeddedClient } from "../../src/cerbos/index.js";
import { compilePolicies, decide, type PolicyFile } from "../../src/index.js";
import { BIN, BUILT, ROOT } from "../support/built.js";
import { shipped, shippedFiles } from "../support/policies.js";
import { ask, KINDS } from "../support/requests.js";
import { say } from "../support/seed.js";
import { launch, NO_BROWSER } from "./browser.js";

const FORBIDDING = "--disallow-code-generation-from-strings";

const REQUESTS = Object.keys(KINDS).flatMap((operation) => [
  ask(operation),
  ask(operation, { roles: ["custom", "viewer"] }),
  ask(operation, { resource: { system: true, state: "suspended" }, account: { holds: ["abuse"] } }),
  ask(operation, { key: { accountId: 7 } }),
]);

/** Each file has one kind of fault: shape, schema, expression or regular expression. */
const BROKEN: readonly PolicyFile[] = [
  {
    path: "shape.yaml",
    text: "apiVersion: api.cerbos.dev/v1\nresourcePolicy: { resource: a, version: '!', rulez: [] }",
  },
  {
    path: "uses.yaml",
    text: `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: a
  version: default
  schemas: { principalSchema: { ref: cerbos:///a.json } }
  rules:
    - { actions: [a], roles: [b], effect: EFFECT_ALLOW, condition: { match: { expr: 'R.id.matches("(") && &' } } }`,
  },
  { path: "_schemas/a.json", text: '{ "type": "text", "properties": { "a": { "pattern": "(" } } }' },
];

/** The expected results of the program below, computed here. */
const EXPECTED = json({
  decisions: REQUESTS.map((request) => decide(shipped, request)),
  checks: await checks(),
  issues: compilePolicies(BROKEN),
});

async function checks(): Promise<readonly unknown[]> {
  const client = new EmbeddedClient(compileCheckEngineOrThrow(shippedFiles, { schemaEnforcement: "reject" }));
  return await Promise.all(
    REQUESTS.map(({ key, resource, operation }) =>
      client.checkResource({
        principal: { ...key, roles: [...key.roles] },
        resource,
        actions: [operation],
        includeMetadata: true,
        requestId: "a",
      }),
    ),
  );
}

const IS_FORBIDDEN = `
  export function isForbidden() {
    try { return !new Function("return true")(); } catch { return true; }
  }`;

const CHECKS = `
  checks: await Promise.all(requests.map(({ key, resource, operation }) =>
    client.checkResource({ principal: key, resource, actions: [operation], includeMetadata: true, requestId: "a" })))`;

/** Asks each question often enough to trigger code generation where it is permitted. */
const PROGRAM = `
  import { compilePolicies, decide } from "keyward";
  import { compileCheckEngineOrThrow, EmbeddedClient } from "keyward/cerbos";
  const { files, broken, requests } = ${JSON.stringify({ files: shippedFiles, broken: BROKEN, requests: REQUESTS })};
  ${IS_FORBIDDEN}
  export function decisions(options) {
    const loaded = compilePolicies(files, options);
    if (loaded._tag === "Left") return loaded;
    let decided = [];
    for (let i = 0; i < 30; i++) decided = requests.map((request) => decide(loaded.right, request));
    return decided;
  }
  export async function answers(options) {
    const client = new EmbeddedClient(compileCheckEngineOrThrow(files, { schemaEnforcement: "reject" }));
    return {
      decisions: decisions(options),
      ${CHECKS},
      issues: compilePolicies(broken),
    };
  }`;

/** The same program for a bundle, without the issues: loading a bundle compiles nothing. */
const OF_BUNDLE = `
  import { decide, loadBundle } from "keyward/runtime";
  import { EmbeddedClient, loadCheckEngine } from "keyward/runtime/cerbos";
  import { EVERYTHING } from "keyward/runtime/everything";
  import { bundle } from "./policies.mjs";
  const { requests } = ${JSON.stringify({ requests: REQUESTS })};
  ${IS_FORBIDDEN}
  export function decisions() {
    const loaded = loadBundle(bundle);
    if (loaded._tag === "Left") return loaded;
    let decided = [];
    for (let i = 0; i < 30; i++) decided = requests.map((request) => decide(loaded.right, request));
    return decided;
  }
  export async function answers() {
    const engine = loadCheckEngine(bundle, { schemaEnforcement: "reject", equipment: EVERYTHING });
    if (engine._tag === "Left") return engine;
    const client = new EmbeddedClient(engine.right);
    return {
      decisions: decisions(),
      ${CHECKS},
    };
  }`;

const { issues: _, ...ANSWERS_OF_BUNDLE } = Object(EXPECTED);

/** Resolves the program's import of the bundle. */
const POLICIES: Plugin = {
  name: "policies",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/policies\.mjs$/ }, ({ path }) => ({ path, namespace: "bundle" }));
    onLoad({ filter: /./, namespace: "bundle" }, async () => ({
      contents: await bundleText(shipped),
      resolveDir: ROOT,
    }));
  },
};

/** Bundles a program and the environment's code into one module, with the built package. */
async function bundled(program: string, use: string, conditions: string[]): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `${program}\n${use}`, resolveDir: ROOT },
    plugins: [POLICIES],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    conditions,
    // The repository's own tsconfig resolves the package to its sources.
    tsconfigRaw: "{}",
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

function json(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe.skipIf(!BUILT)("built (skipped without dist/: npm run build)", () => {
  test("in Node: loading, deciding, checking", () => {
    const { stdout, stderr } = spawnSync(process.execPath, [FORBIDDING, "--input-type=module"], {
      cwd: ROOT,
      encoding: "utf8",
      input: `${PROGRAM}
        import { loadPoliciesOrThrow, shippedPolicies } from "keyward/node";
        const loaded = await loadPoliciesOrThrow(shippedPolicies);
        const read = requests.map((request) => decide(loaded, request));
        console.log(JSON.stringify({ forbidden: isForbidden(), read, answers: await answers() }));`,
    });
    expect(stderr).toBe("");
    const read = Object(EXPECTED).decisions;
    expect(JSON.parse(stdout)).toEqual({ forbidden: true, read, answers: EXPECTED });
  });

  test.each([
    ["test", ["test", "policies"]],
    ["check", ["check", "policies"]],
    ["check, of what is wrong", ["check", "test"]],
    ["decide", ["decide", "--policies", "policies", "--input", "examples/requests.jsonl"]],
    ["explain", ["explain", "--policies", "policies", "--input", "examples/requests.jsonl"]],
    ["review", ["review", "policies", "--date", "2026-01-31"]],
    ["diff", ["diff", "policies", "policies"]],
    ["types", ["types", "policies"]],
  ])("in Node: the command %s", (_, args) => {
    const [free, bound] = [[], [FORBIDDING]].map((flags) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, BIN, ...args], {
        cwd: ROOT,
        encoding: "utf8",
        maxBuffer: 2 ** 28,
      });
      return { status, stdout, stderr };
    });
    expect(bound).toEqual(free);
    expect(`${bound?.stdout}${bound?.stderr}`.length).toBeGreaterThan(20);
  });

  test("in Node: a bundle is read, but nothing of it is proved", async () => {
    const directory = mkdtempSync(join(tmpdir(), "keyward-"));
    const bundle = join(directory, "policies.mjs");
    writeFileSync(bundle, await bundleText(shipped));
    const run = (...args: readonly string[]) => spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });
    const input = ["decide", "--policies", bundle, "--input", "examples/requests.jsonl"];
    const [free, bound] = [run(BIN, ...input), run(FORBIDDING, BIN, ...input)];
    expect([bound.status, bound.stdout]).toEqual([free.status, free.stdout]);
    const { status, stdout, stderr } = run(FORBIDDING, BIN, "verify", bundle);
    expect(status).toBe(5);
    expect(stdout).toMatch(
      /; 0 judge conditions .*\nnot proved: \S+:\d+:\d+: code may not be made from strings here\n/,
    );
    expect(stderr).toMatch(/\d+ conditions not proved \(exit 5\)\n$/);
    writeFileSync(bundle, readFileSync(bundle, "utf8").replace(/ h \+= 1;/, " h += 2;"));
    expect(run(FORBIDDING, BIN, "verify", bundle).status).toBe(4);
    rmSync(directory, { recursive: true });
  });

  if (NO_BROWSER !== undefined) say(NO_BROWSER);

  test.skipIf(NO_BROWSER !== undefined).each([
    ["as it comes, with one report: of the attempt that finds out", PROGRAM, {}, EXPECTED, 1],
    ["with codegen: false, and none", PROGRAM, { codegen: false }, EXPECTED, 0],
    ["a bundle, and none", OF_BUNDLE, {}, ANSWERS_OF_BUNDLE, 0],
  ])("in a page whose policy is script-src 'self': %s", async (_, program, options, expected, attempts) => {
    const script = await bundled(
      program,
      `let reports = 0;
       addEventListener("securitypolicyviolation", () => { reports++; });
       const found = await answers(${JSON.stringify(options)});
       await new Promise((resolve) => setTimeout(resolve, 100));
       const before = reports;
       document.body.textContent = JSON.stringify({ forbidden: isForbidden(), reports: before, answers: found });`,
      ["browser", "import"],
    );
    const server = createServer((request, response) => {
      const isScript = request.url === "/program.js";
      response.setHeader("content-security-policy", "default-src 'none'; script-src 'self'");
      response.setHeader("content-type", isScript ? "text/javascript" : "text/html; charset=utf-8");
      response.end(isScript ? script : `<!doctype html><body><script type="module" src="/program.js"></script></body>`);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const browser = await launch();
    try {
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on("pageerror", ({ message }) => errors.push(message));
      const address: AddressInfo | string | null = server.address();
      await page.goto(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`);
      await expect
        .poll(async () => (await page.textContent("body")) || errors.join(), { timeout: 60_000 })
        .toMatch(/./);
      expect(errors).toEqual([]);
      const found = JSON.parse((await page.textContent("body")) ?? "");
      expect(found).toEqual({ forbidden: true, reports: attempts, answers: expected });
    } finally {
      await browser.close();
      server.close();
    }
  });

  test.each([
    ["texts", PROGRAM, EXPECTED],
    ["a bundle", OF_BUNDLE, ANSWERS_OF_BUNDLE],
  ])("in an edge worker, %s: inside fetch, and from policies loaded when it started", async (_, program, expected) => {
    const script = await bundled(
      program,
      `const atStart = decisions();
       export default {
         async fetch() {
           return Response.json({ forbidden: isForbidden(), atStart, later: decisions(), answers: await answers() });
         },
       };`,
      ["workerd", "worker", "browser", "import"],
    );
    const worker = new Miniflare({ modules: true, script, compatibilityDate: "2025-10-01" });
    try {
      const response = await worker.dispatchFetch("http://localhost/");
      const { decisions } = Object(expected);
      expect(await response.json()).toEqual({
        forbidden: true,
        atStart: decisions,
        later: decisions,
        answers: expected,
      });
    } finally {
      await worker.dispose();
    }
  });
});

/**
 * These files need generated functions or import a bundle as text. They must fail, which shows that the process forbids
 * code from strings.
 */
const OF_GENERATED_FUNCTIONS = [
  "test/decisions/kept-frames.test.ts",
  "test/decisions/policy-set.test.ts",
  "test/decisions/two-layers.test.ts",
  "test/decisions/undefined.test.ts",
  "test/decisions/whole-decisions.test.ts",
  "test/engine/evaluate/compiled-plan.test.ts",
  "test/engine/evaluate/generator.test.ts",
  "test/engine/evaluate/plan-pair.test.ts",
  "test/engine/generated-forms.test.ts",
];

test("the tests of loading, deciding, checking and suites pass in a process that forbids it", () => {
  const folders = ["cerbos", "decisions", "engine/evaluate", "engine/plan", "node", "policy", "testing"];
  const args = ["run", "--project", "keyward", "--reporter=json", "--tags-filter=!long", ...OF_GENERATED_FUNCTIONS];
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [FORBIDDING, `${ROOT}node_modules/vitest/vitest.mjs`, ...args, ...folders.map((folder) => `test/${folder}/`)],
    { cwd: ROOT, encoding: "utf8", maxBuffer: 2 ** 28 },
  );
  const start = stdout.indexOf('{"numTotalTestSuites"');
  if (start < 0) throw new Error(stderr.slice(-2_000));
  const { numPassedTests, testResults }: Results = JSON.parse(stdout.slice(start));
  const failed = testResults.filter(({ status }) => status === "failed").map(({ name }) => name);
  expect(failed.sort()).toEqual(OF_GENERATED_FUNCTIONS.map((file) => ROOT + file));
  expect(numPassedTests).toBeGreaterThan(1_500);
});

/** The fields of vitest's report that the test reads. */
interface Results {
  readonly numPassedTests: number;
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
}
