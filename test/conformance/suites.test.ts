/**
 * Cerbos test suites run by this library and by `cerbos compile`: the results are equal, except for the listed
 * differences.
 *
 * @module-tag long
 */

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { NO_SERVER, SERVER } from "../support/server.js";
import { keyward, withFiles } from "../support/terminal.js";
import { FIXTURES, suite } from "../testing/support.js";
import { ABSENT, CORPUS } from "./corpus.js";
import { FILTERED, FIXTURE_SUITES, MALFORMED, POLICIES, RUNNABLE, suiteOf } from "./suite-samples.js";

const SKIPPED = NO_SERVER === undefined ? "" : ` (skipped: ${NO_SERVER})`;

interface Answer {
  readonly code: number;
  readonly results: unknown;
}

/** The server's results for a directory. A failed test is not an exception. */
async function cerbos(directory: string, ...args: string[]): Promise<Answer> {
  const { stdout, code } = await promisify(execFile)(SERVER, ["compile", directory, "--output=json", ...args], {
    maxBuffer: 64 * 1024 * 1024,
  }).then(
    (ended) => ({ stdout: ended.stdout, code: 0 }),
    (error: { readonly stdout: string; readonly code: number }) => error,
  );
  return { code, results: normalised(JSON.parse(stdout)) };
}

async function here(directory: string, ...args: string[]): Promise<Answer> {
  const { code, out } = await keyward(["test", directory, "--format", "json", ...args]);
  return { code, results: normalised(JSON.parse(out)) };
}

/**
 * Removes parts that may differ: the random parts of the server's results, the order of outputs, and the wording of
 * file errors.
 */
function normalised(value: unknown): unknown {
  if (typeof value === "string") return withoutWords(value);
  if (Array.isArray(value)) return value.map(normalised);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, member]): [string, unknown] => {
    const inner = normalised(member);
    return [key, key === "outputs" && Array.isArray(inner) ? inner.sort(byText) : inner];
  });
  return Object.fromEntries(entries);
}

/** Removes the wording of form errors: each side words them differently, and this library reports all of them. */
function withoutWords(error: string): string {
  return error.replace(/(failed to load (?:test suite|principals|resources|aux data):)\n.*$/s, "$1");
}

function byText(a: unknown, b: unknown): number {
  const [x, y] = [stable(a), stable(b)];
  return x < y ? -1 : Number(x > y);
}

function stable(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort())
      : member,
  );
}

describe.skipIf(NO_SERVER !== undefined)(`as cerbos compile does${SKIPPED}`, () => {
  async function same(files: { readonly [path: string]: string }, ...args: string[]): Promise<Answer> {
    return await withFiles({ ...POLICIES, ...files }, async (directory) => {
      const [theirs, ours] = [await cerbos(directory, ...args), await here(directory, ...args)];
      // When no test ran, the server's command succeeds, while this one reports bad usage
      // (docs/differences-from-cerbos.md).
      const ran = /"RESULT_(?:PASSED|FAILED|ERRORED)"/.test(JSON.stringify(theirs.results));
      expect(ours).toEqual(ran ? theirs : { ...theirs, code: 2 });
      return ours;
    });
  }

  test("suites that run", async () => {
    const { code } = await same(RUNNABLE);
    expect(code).toBe(4);
    const { results } = await same(RUNNABLE, "--ignore-schemas");
    expect(JSON.stringify(results)).toContain("RESULT_PASSED");
  });

  test("each action by itself", async () => {
    await same(RUNNABLE, "--skip-batching");
  });

  test("suites that pass, and none at all", async () => {
    expect((await same({ "ok_test.yaml": suiteOf() })).code).toBe(0);
    expect((await same({})).code).toBe(2);
  });

  test("fixtures in directories", async () => {
    await same(FIXTURE_SUITES);
  });

  test("malformed suites", async () => {
    const files = Object.fromEntries([...MALFORMED].map(([name, text], i) => [`${i}_${name}_test.yaml`, text]));
    const { results } = await same(files);
    expect(JSON.stringify(results).match(/"RESULT_ERRORED"/g)?.length).toBeGreaterThan(MALFORMED.size - 3);
  });

  test.each(FILTERED.map((args) => [args.join(" "), args] as const))("%s", async (_, args) => {
    await same(RUNNABLE, ...args);
  });

  test("decision suites and their fixtures in testdata are nothing to it", async () => {
    const files = {
      ...POLICIES,
      "testdata/a.decisions.yaml": suite("{ name: a, expect: allow }"),
      "testdata/b.fixtures.yaml": FIXTURES,
    };
    await withFiles({ ...files, "a_test.yaml": suiteOf() }, async (directory) => {
      const { code, results } = await cerbos(directory);
      expect(code).toBe(0);
      expect(results).toMatchObject({ summary: { overallResult: "RESULT_PASSED", testsCount: 1 } });
    });
  });

  test("suites in another directory", async () => {
    await withFiles({ ...POLICIES, "elsewhere/sub/x_test.yaml": suiteOf() }, async (directory) => {
      const tests = join(directory, "elsewhere");
      const theirs = await cerbos(directory, `--tests=${tests}`);
      expect(await here(directory, "--tests", tests)).toEqual(theirs);
    });
  });

  test.skipIf(ABSENT !== undefined)(`Cerbos's own store ${ABSENT ?? ""}`, async () => {
    const store = join(CORPUS, "store");
    for (const args of [["--ignore-schemas"], []]) {
      const theirs = await cerbos(store, ...args);
      expect(await here(store, ...args)).toEqual(theirs);
      expect(stable(theirs.results)).toContain("policy_04_test.yaml");
    }
  });

  test("`no` is a text", async () => {
    const norway = suiteOf({ principals: "  alice: {id: alice, roles: [user], attr: {country: no}}" })
      .replace("[view]", "[country]")
      .replace("view:", "country:");
    const { results } = await same({ "norway_test.yaml": norway });
    expect(stable(results)).toContain('"success":{"effect":"EFFECT_ALLOW"');
  });

  test("a key that is there twice", async () => {
    const { results } = await same({ "twice_test.yaml": `name: first\n${suiteOf()}` });
    expect(stable(results)).toContain("RESULT_ERRORED");
  });

  test("the server crashes on an empty file; here it is an error", async () => {
    for (const files of [{ "a_test.yaml": "" }, { "a_test.yaml": suiteOf(), "testdata/principals.yaml": "" }]) {
      await withFiles({ ...POLICIES, ...files }, async (directory) => {
        const { code, results } = await here(directory);
        expect(code).toBe(4);
        expect(stable(results)).toMatch(/failed to load (?:test suite|principals):/);
      });
    }
  });
});

test("the samples are of every kind", () => {
  expect(MALFORMED.size).toBeGreaterThan(30);
  expect(readFileSync(new URL("./suite-samples.ts", import.meta.url), "utf8")).toContain("lenientScopeSearch");
});
