/**
 * The examples of docs/testing.md for test runners pass where only keyward and the runner are installed, and laws pass
 * the `fc.assert` of a fast-check that is another copy than the bundled parts.
 *
 * @module-tag long
 */

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BUILT, ROOT } from "../support/built.js";

let home = "";
beforeAll(() => {
  if (!BUILT) return;
  home = mkdtempSync(join(tmpdir(), "keyward-runners-"));
  const installed = join(home, "node_modules", "keyward");
  mkdirSync(installed, { recursive: true });
  // A copy: from a link, Node would find the packages of this repository.
  for (const part of ["dist", "policies", "package.json"])
    cpSync(ROOT + part, join(installed, part), { recursive: true });
  cpSync(`${ROOT}node_modules/fp-ts`, join(home, "node_modules", "fp-ts"), { recursive: true });
  writeFileSync(join(home, "package.json"), "{}");
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A program of docs/testing.md, by the name in its first line. */
function program(name: string): string {
  const text = readFileSync(`${ROOT}docs/testing.md`, "utf8");
  const found = [...text.matchAll(/^```js\n(.*?)^```/gms)].find(([, code = ""]) => code.startsWith(`// ${name}\n`));
  if (found?.[1] === undefined) throw new Error(`no program ${name}`);
  return found[1];
}

function ran(command: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: home,
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "", NODE_TEST_CONTEXT: undefined, VITEST: undefined, ...env },
  });
  return { status, output: stdout + stderr };
}

const JEST = `${ROOT}test/platforms/node_modules/jest/bin/jest.js`;
const MODULES = { NODE_OPTIONS: "--experimental-vm-modules" };

describe.skipIf(!BUILT)("test runners (skipped without dist/: npm run build)", { timeout: 60_000 }, () => {
  test("node:test runs suites, and finds a failing one", () => {
    writeFileSync(join(home, "suites.test.mjs"), program("suites.test.mjs"));
    expect(ran(["--test", "suites.test.mjs"])).toMatchObject({
      status: 0,
      output: expect.stringContaining("# pass 1"),
    });
    const suite = join(home, "node_modules", "keyward", "policies", "testdata", "operations.decisions.yaml");
    const text = readFileSync(suite, "utf8");
    writeFileSync(suite, text.replace("expect: allow", "expect: forbidden").replace(": allow", ": forbidden"));
    const failed = ran(["--test", "suites.test.mjs"]);
    writeFileSync(suite, text);
    expect(failed).toMatchObject({ status: 1, output: expect.stringContaining("keyward test shows the failures") });
  });

  test("Vitest runs suites", () => {
    writeFileSync(join(home, "suites.test.mjs"), program("suites.test.mjs").replace('"node:test"', '"vitest"'));
    mkdirSync(join(home, "node_modules", "vitest"), { recursive: true });
    const entry = `export * from ${JSON.stringify(`file://${ROOT}node_modules/vitest/dist/index.js`)};`;
    writeFileSync(join(home, "node_modules", "vitest", "index.js"), entry);
    writeFileSync(join(home, "node_modules", "vitest", "package.json"), '{"type":"module","exports":"./index.js"}');
    const found = ran([`${ROOT}node_modules/vitest/vitest.mjs`, "run", "--root", home, "suites"]);
    expect(found, found.output).toMatchObject({ status: 0, output: expect.stringMatching(/1 passed/) });
  });

  test("Jest runs matchers under the flag that the document names, and refuses the program without it", () => {
    const code = program("decisions.test.mjs");
    writeFileSync(join(home, "decisions.test.mjs"), code);
    const found = ran([JEST, "--rootDir", home, "decisions"], MODULES);
    expect(found, found.output).toMatchObject({ status: 0, output: expect.stringMatching(/1 passed/) });
    expect(ran([JEST, "--rootDir", home, "decisions"])).toMatchObject({ status: 1 });
    writeFileSync(join(home, "decisions.test.mjs"), code.replace("toLackPermission(", "toBeForbidden("));
    const wrong = ran([JEST, "--rootDir", home, "decisions"], MODULES);
    expect(wrong).toMatchObject({ status: 1, output: expect.stringContaining("it is insufficient_permissions") });
  });

  test("a CommonJS program requires suites and matchers", () => {
    const code =
      'const { runSuites, matchers } = require("keyward/testing"); console.log(typeof runSuites, typeof matchers)';
    expect(ran(["--eval", code]).output).toContain("function object");
  });

  test.each([
    ["4", `${ROOT}node_modules/fast-check`],
    ["3", `${ROOT}test/platforms/node_modules/fast-check-3`],
  ])("laws are asserted by the program's own fast-check %s, and a broken one is shown", (version, installed) => {
    const link = join(home, "node_modules", "fast-check");
    rmSync(link, { force: true });
    symlinkSync(installed, link);
    const code = `
      import fc from "fast-check";
      import { decide } from "keyward";
      import { loadPoliciesOrThrow, shippedPolicies } from "keyward/node";
      import { keySwap, LawViolation, requests } from "keyward/testing";
      const policies = await loadPoliciesOrThrow(shippedPolicies);
      fc.assert(keySwap(policies, { requests: fc.oneof(requests(policies), requests(policies).filter(() => true)) }));
      const broken = (set, request) => {
        const decision = decide(set, request);
        return decision.outcome === "forbidden" && request.key.roles.includes("admin") ? { ...decision, outcome: "allow" } : decision;
      };
      try { fc.assert(keySwap(policies, { decide: broken }), { numRuns: 2000, seed: 1 }); }
      catch (error) {
        const isCause = error.cause instanceof LawViolation || error.message.includes("Got LawViolation: Key swap: ");
        console.log(fc.__version[0], isCause, /Shrunk \\d+ time/.test(error.message));
      }`;
    const output = execFileSync(process.execPath, ["--input-type=module", "-"], {
      cwd: home,
      input: code,
      encoding: "utf8",
    });
    expect(output.trim()).toBe(`${version} true true`);
  });
});
