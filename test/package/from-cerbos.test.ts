/**
 * Runs every command and every program of docs/from-cerbos.md as written, in a repository like the page's.
 *
 * @module-tag long
 */

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BIN, BUILT, ROOT } from "../support/built.js";
import { say } from "../support/seed.js";
import { NO_SERVER, startServer } from "../support/server.js";

const PAGE = readFileSync(`${ROOT}docs/from-cerbos.md`, "utf8");

function blocks(language: string): readonly string[] {
  return [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, block = ""]) => block);
}

const COMMANDS = blocks("sh").flatMap((block) => block.trimEnd().split("\n"));

/** Not run here: test/package/cerbos-core.test.ts installs a packed package. */
const INSTALLATION = "npm install keyward";

/** The policy of a second kind, which gets no platform policy. */
const CONTRACT = `apiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: contract
  version: default
  rules:
    - { name: read, actions: [view], roles: [employee], effect: EFFECT_ALLOW }
`;

interface Expected {
  readonly code: number;
  readonly out?: RegExp;
  readonly err?: RegExp;
}

/** The expected results of commands, in the order of the page. */
const EXPECTED: { readonly [command: string]: Expected } = {
  "npx keyward check policies --permission-only": { code: 0, err: /^policies: 4 policies, no errors$/m },
  "npx keyward test policies --permission-only": { code: 0, out: /^19 tests executed \[19 OK\]$/m },
  "npx keyward test policies --permission-only --coverage text": { code: 0, out: /never reached$/m },
  "npx keyward check-resources --policies policies --input check.json": { code: 0, out: /"approve":"EFFECT_ALLOW"/ },
  "npx keyward build policies --permission-only --output policies.mjs": { code: 0 },
  "npx keyward explain --policies policies --permission-only --input request.json": {
    code: 0,
    out: /^ {2}- key\.attr\.limit = 800$/m,
  },
  "npx keyward diff HEAD~1 HEAD -- policies --permission-only": {
    code: 4,
    out: /^WIDENED: refused before, allowed now/m,
  },
  "npx keyward review policies --permission-only --output review.html": {
    code: 0,
    err: /^review\.html: 4 operations/m,
  },
  "npx keyward decide --policies policies --permission-only --input request.json": {
    code: 0,
    out: /^\{"outcome":"insufficient_permissions".*"asked":false/,
  },
  "npx keyward check policies": { code: 0, err: /^policies: 6 policies, no errors, 0 warnings, 1 note$/m },
  "npx keyward decide --policies policies --input request-with-account.json": {
    code: 0,
    out: /^\{"outcome":"forbidden".*"reason":"suspended"/,
  },
};

test("the page's commands are those that are run here, in this order", () => {
  expect(COMMANDS).toEqual([INSTALLATION, ...Object.keys(EXPECTED)]);
});

describe.skipIf(!BUILT)("in a repository (skipped without dist/: npm run build)", () => {
  const home = mkdtempSync(join(tmpdir(), "keyward-from-cerbos-"));
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args], { cwd: home });

  beforeAll(() => {
    // The state after an installation.
    mkdirSync(join(home, "node_modules", ".bin"), { recursive: true });
    symlinkSync(ROOT, join(home, "node_modules", "keyward"));
    symlinkSync(BIN, join(home, "node_modules", ".bin", "keyward"));
    writeFileSync(join(home, "package.json"), JSON.stringify({ private: true, type: "module" }));
    cpSync(`${ROOT}examples/cerbos`, home, { recursive: true });
    const roles = join(home, "policies", "roles.yaml");
    const text = readFileSync(roles, "utf8");
    git("init", "--quiet");
    writeFileSync(roles, text.replace("R.attr.amount <= P.attr.limit", "R.attr.amount <= 50.0"));
    git("add", "policies");
    git("commit", "--quiet", "--message", "before");
    writeFileSync(roles, text);
    git("commit", "--quiet", "--all", "--message", "after");
  });

  afterAll(() => rmSync(home, { recursive: true, force: true }));

  test("the package is found by its name and its command", () => {
    expect(existsSync(join(home, "node_modules", ".bin", "keyward"))).toBe(true);
  });

  test.each(Object.entries(EXPECTED))("%s", (command, { code, out, err }) => {
    // The page tells readers to save these files before the commands without the option.
    if (command === "npx keyward check policies") {
      mkdirSync(join(home, "policies", "platform"));
      const [platform = "", configuration = ""] = blocks("yaml");
      writeFileSync(join(home, "policies", "platform", "invoice.yaml"), platform);
      writeFileSync(join(home, "policies", ".keyward.yaml"), configuration);
      writeFileSync(join(home, "policies", "contract.yaml"), CONTRACT);
      writeFileSync(join(home, "policies", "_schemas", "account.json"), blocks("json")[0] ?? "");
    }
    const run = spawnSync(command, { shell: true, cwd: home, encoding: "utf8" });
    expect(run.status, run.stderr).toBe(code);
    if (out !== undefined) expect(run.stdout).toMatch(out);
    if (err !== undefined) expect(run.stderr).toMatch(err);
  });

  test("a kind without a platform policy is as its permission policy says", () => {
    const key = { id: "ann", roles: ["employee"], attr: { department: "sales" } };
    const ask = (operation: string) =>
      JSON.stringify({ key, operation, resource: { kind: "contract", id: "1" }, account: { id: "acme" } });
    const command = "npx keyward decide policies";
    const run = spawnSync(command, {
      shell: true,
      cwd: home,
      encoding: "utf8",
      input: `${ask("view")}\n${ask("sign")}\n`,
    });
    const outcomes = run.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).outcome);
    expect(outcomes).toEqual(["allow", "insufficient_permissions"]);
  });

  test("Cerbos suites run without --permission-only, and checks do not", () => {
    const [suites, check] = ["test", "check"].map((name) =>
      spawnSync(process.execPath, [BIN, name, "policies"], { cwd: `${ROOT}examples/cerbos`, encoding: "utf8" }),
    );
    expect([suites?.status, suites?.stdout]).toEqual([0, expect.stringContaining("19 tests executed [19 OK]")]);
    expect([check?.status, check?.stdout]).toEqual([3, expect.stringContaining("needs --permission-only")]);
  });

  test("the report of the review was written", () => {
    expect(readFileSync(join(home, "review.html"), "utf8")).toContain("no platform layer (permission-only)");
  });

  test.each(blocks("js").map((block, i) => [i + 1, block] as const))("program %i", (_, block) => {
    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", block], {
      cwd: home,
      encoding: "utf8",
    });
    const [, promised] = /console\.log\(.*\); \/\/ (.*)$/m.exec(block) ?? [];
    expect(output.trim()).toBe(promised);
  });

  if (NO_SERVER !== undefined) say(NO_SERVER);

  test.skipIf(NO_SERVER !== undefined)("the server loads the repository, and answers check.json alike", async () => {
    const server = await startServer(join(home, "policies"));
    try {
      const body = readFileSync(join(home, "check.json"), "utf8");
      const { status, text } = await server.check(body);
      const { cerbosCallId: _, ...theirs } = JSON.parse(text);
      const ours = execFileSync(
        "npx",
        ["keyward", "check-resources", "--policies", "policies", "--input", "check.json"],
        {
          cwd: home,
          encoding: "utf8",
        },
      );
      expect([status, JSON.parse(ours)]).toEqual([200, theirs]);
    } finally {
      await server.stop();
    }
  });
});
