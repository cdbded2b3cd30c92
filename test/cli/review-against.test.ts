/**
 * `keyward review --against`: one page about a change, its evidence, and exit codes.
 *
 * @module-tag long
 */

import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import type { Evidence } from "../../src/audit/review/evidence.js";
import { BUILT, ROOT } from "../support/built.js";
import { policy, when } from "../support/compose.js";
import { type Files, keyward, withFiles } from "../support/terminal.js";

const platform = policy({
  version: "platform",
  rules: ['name: supported, actions: ["*"], roles: [account], effect: EFFECT_ALLOW'],
});

const rule = (expr: string, name = "read") =>
  `name: ${name}, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}`;

const claim = (sentence: string, assume: string, never = "allow") =>
  `  - claim: ${JSON.stringify(sentence)}\n    operations: read\n    assume: ${JSON.stringify(assume)}\n    never: ${never}\n`;

const SMALL = "Nothing small is read.";
const SHUT = "Nothing shut is read.";
const CLAIMS = `claims:\n${claim(SMALL, "resource.attr.n < 3")}${claim(SHUT, "resource.attr.open == false")}`;

const suite = (expect_: string, n = 5) => `name: reads
keys: { k: { id: k, roles: [user], attr: {} } }
resources: { d: { kind: doc, id: d, attr: { n: ${n}, open: true } } }
accounts: { a: { id: a, attr: {} } }
cases:
  - { name: one, key: k, operation: read, resource: d, account: a, expect: ${expect_} }
`;

const setOf = (expr: string, more: Files = {}): Files => ({
  "doc.yaml": policy({ rules: [rule(expr)] }),
  "platform/doc.yaml": platform,
  "testdata/doc.claims.yaml": CLAIMS,
  "testdata/doc.decisions.yaml": suite("allow"),
  ...more,
});

const OLD = setOf("R.attr.n >= 3 && R.attr.open == true");
/** Moves the boundary of the rule and of one claim. */
const WIDER = setOf("R.attr.n >= 2 && R.attr.open == true");
/** Rewritten so that its formula differs, with the same meaning. */
const REWRITTEN = setOf("!(R.attr.n < 3) && !(R.attr.open != true)");

/** Reviews a set against an older one. In arguments, OUT stands for an output directory. */
async function reviewed(files: Files, older: Files, ...args: readonly string[]) {
  return await withFiles(older, (old) =>
    withFiles(files, (directory) =>
      withFiles({}, async (out) => {
        const given = args.map((arg) => arg.replace("OUT", out));
        const said = await keyward(["review", directory, "--against", old, "--date", "2026-01-31", ...given]);
        const written = async (name: string) => await readFile(join(out, name), "utf8").catch(() => "");
        return { ...said, evidence: await written("evidence.json"), page: await written("page") };
      }),
    ),
  );
}

const evidenceIn = (text: string): Evidence => JSON.parse(text);

describe("what a change comes to", () => {
  test("a wider set: a request that replays, the claim that it breaks, the rule before and now", async () => {
    const all = ["--format", "markdown", "--evidence", "OUT/evidence.json"];
    const { code, out, evidence } = await reviewed(WIDER, OLD, ...all);
    expect(code).toBe(4);
    expect(out).toContain("# Review of a policy change");
    expect(out).toContain("Decisions change: more is allowed");
    expect(out).toMatch(/- When: exactly when all of: .* is not at least .*; .* is at least .*/);
    expect(out).toContain("broken by this change");
    expect(out).toContain(`| ${SHUT} | testdata/doc.claims.yaml:6:5 | kept | held | no request breaks it |`);
    expect(out).toMatch(/^- - \{name: read, .*R\.attr\.n >= 3/m);
    expect(out).toMatch(/^\+ - \{name: read, .*R\.attr\.n >= 2/m);
    const { claims, change, policies, suites, coverage } = evidenceIn(evidence);
    for (const hash of [policies.hash, change?.policies.hash]) expect(out).toContain(`\`${hash}\``);
    expect(suites).toEqual([
      {
        file: "testdata/doc.decisions.yaml",
        result: "passed",
        tests: { passed: 1, failed: 0, errored: 0, skipped: 0 },
        failures: [],
      },
    ]);
    expect(coverage?.rules).toEqual({ covered: 2, total: 2 });
    expect(change?.rules).toEqual({ added: [], removed: [], changed: ["resource.doc.vdefault#read"] });
    expect(change?.files).toEqual({ added: [], removed: [], changed: ["doc.yaml"] });
    const broken = claims.find((one) => one.claim === SMALL);
    expect(broken).toMatchObject({ listed: "stated", before: { result: "proved" }, after: { result: "broken" } });
    // Both sets decide each shown request as the review says.
    const shown = (change?.decisions.changes ?? []).map(({ request, from, to }) => ({ request, outcomes: [from, to] }));
    expect(shown.length).toBeGreaterThan(0);
    const breaking = broken?.after.request;
    expect(breaking).toBeDefined();
    if (breaking !== undefined) shown.push({ request: breaking, outcomes: ["insufficient_permissions", "allow"] });
    for (const { request, outcomes } of shown) {
      const decided = [OLD, WIDER].map((files) =>
        withFiles(files, async (directory) => {
          const answer = await keyward(["decide", "--policies", directory], JSON.stringify(request));
          return JSON.parse(answer.out).outcome;
        }),
      );
      expect(await Promise.all(decided)).toEqual(outcomes);
    }
  });

  test("a set that decides the same: proved, and 0", async () => {
    const { code, out } = await reviewed(REWRITTEN, OLD, "--format", "json");
    expect(code).toBe(0);
    const { change } = JSON.parse(out);
    expect(change.decisions.result).toBe("equal");
    expect(change.written.rules).toHaveLength(1);
    expect(new Set(change.claims.map((one: Evidence["claims"][number]) => one.after.result))).toEqual(
      new Set(["proved"]),
    );
  });

  test("without a solver the page says what is not proved, and why; 5, or 0 where that is allowed", async () => {
    const { code, out } = await reviewed(REWRITTEN, OLD, "--no-solver", "--format", "markdown");
    expect(code).toBe(5);
    expect(out).toContain("No change was found, but this is not proved.");
    expect(out).toContain("Not proved. No solver was used: --no-solver was given.");
    expect(out).toContain("`read` on `doc`: whether more is allowed, whether less is allowed");
    expect(out).toContain(
      "the law “Removing an attribute, or giving it another type, never allows more.” \\(read on doc: no solver was used",
    );
    expect((await reviewed(REWRITTEN, OLD, "--no-solver", "--format", "json", "--allow-unproven")).code).toBe(0);
    // A change that the search shows needs no proof.
    expect((await reviewed(WIDER, OLD, "--no-solver", "--format", "json", "--allow-unproven")).code).toBe(4);
  });

  test("a claim that was withdrawn, one that is new, one that the older set knows nothing of", async () => {
    const files = setOf("R.attr.n >= 2 && R.attr.open == true", {
      "doc.yaml": policy({
        rules: [
          rule("R.attr.n >= 2 && R.attr.open == true"),
          "name: write, actions: [write], roles: [user], effect: EFFECT_ALLOW",
        ],
      }),
      "testdata/doc.claims.yaml": `claims:\n${claim(SHUT, "resource.attr.open == false")}${claim("No admin only writes.", "key.roles == ['admin']").replace("operations: read", "operations: write")}`,
    });
    const { code, out } = await reviewed(files, OLD, "--format", "markdown");
    expect(code).toBe(4);
    expect(out).toContain(`| ${SMALL} | testdata/doc.claims.yaml:2:5 | withdrawn: broken | held | read on doc |`);
    expect(out).toContain("| No admin only writes. | testdata/doc.claims.yaml:6:5 | new: holds | did not apply |");
    expect(out).toContain("### write: added");
  });

  test("claims of one file are asked of both sets", async () => {
    await withFiles(
      { "more.claims.yaml": `claims:\n${claim("Two is not read.", "resource.attr.n == 2")}` },
      async (directory) => {
        const file = join(directory, "more.claims.yaml");
        const { code, out } = await reviewed(WIDER, OLD, "--format", "json", "--claims", file);
        expect(code).toBe(4);
        const { claims } = JSON.parse(out).change;
        expect(claims.slice(5)).toMatchObject([
          { claim: "Two is not read.", listed: "stated", before: { result: "proved" }, after: { result: "broken" } },
        ]);
      },
    );
  });

  test("findings are new or gone, wherever they stand", async () => {
    const odd = `${rule("R.attr.n > 5 && R.attr.n < 3", "odd")}`;
    const before = setOf("", { "doc.yaml": policy({ rules: [rule("R.attr.open == true"), odd] }) });
    const after = setOf("", {
      "doc.yaml": policy({
        rules: [odd, rule("R.attr.open == true"), rule("R.attr.n == 1 && R.attr.n == 2", "other")],
      }),
    });
    const { out } = await reviewed(after, before, "--no-solver", "--format", "json");
    const { findings, written } = JSON.parse(out).change;
    expect(findings.gone).toEqual([]);
    expect(findings.new.map((one: { code: string; rule: string }) => [one.code, one.rule])).toEqual([
      ["contradictory_condition", "resource.doc.vdefault#other"],
    ]);
    expect(written).toMatchObject({ rules: [{ after: { facts: { name: "other" } } }], unchangedRules: 3 });
  });
});

describe("evidence", () => {
  const validate = async () =>
    new Ajv({ strict: false }).compile(JSON.parse(await readFile(`${ROOT}schemas/evidence.schema.json`, "utf8")));

  test("the same files give the same bytes, wherever they are and in whatever order they were written", async () => {
    const turned = (files: Files): Files => Object.fromEntries(Object.entries(files).reverse());
    const options = [
      "--format",
      BUILT ? "html" : "markdown",
      "--output",
      "OUT/page",
      "--evidence",
      "OUT/evidence.json",
    ];
    const first = await reviewed(WIDER, OLD, ...options);
    const second = await reviewed(turned(WIDER), turned(OLD), ...options);
    expect(second.evidence).toBe(first.evidence);
    expect(second.page).toBe(first.page);
    expect(first.evidence).not.toBe("");
    const { page } = first;
    expect(page).toContain(
      `sha256:${execFileSync("sha256sum", { input: first.evidence, encoding: "utf8" }).slice(0, 64)}`,
    );
    const isValid = await validate();
    isValid(JSON.parse(first.evidence));
    expect(isValid.errors).toBeNull();
  });

  test("of one set: its claims are proved, its suites are run", async () => {
    const of = (files: Files, ...more: readonly string[]) =>
      withFiles(files, async (directory) => {
        const file = join(directory, "evidence.json");
        const { code } = await keyward(["review", directory, "--format", "markdown", "--evidence", file, ...more]);
        return { code, evidence: evidenceIn(await readFile(file, "utf8")) };
      });
    const good = await of(OLD);
    expect(good.code).toBe(0);
    expect(good.evidence.change).toBeUndefined();
    expect(good.evidence.solver).toEqual({ name: "z3-solver", version: "5.2.0", timeLimit: 10_000 });
    expect(good.evidence.claims.map(({ after }) => after.result)).toEqual(Array.from({ length: 7 }, () => "proved"));
    expect((await validate())(good.evidence)).toBe(true);
    expect((await of(OLD, "--no-solver")).evidence.solver).toBeUndefined();
    expect((await of(OLD, "--no-solver")).code).toBe(5);
    const failing = await of({ ...OLD, "testdata/doc.decisions.yaml": suite("forbidden") });
    expect(failing.code).toBe(4);
    expect(failing.evidence.suites).toMatchObject([{ result: "failed", tests: { failed: 1 } }]);
    expect((await of({ ...OLD, "doc.yaml": String(WIDER["doc.yaml"]) })).code).toBe(4);
  });

  test("it says what there is, and no more: the schema refuses anything else", async () => {
    const { evidence } = await reviewed(
      WIDER,
      OLD,
      "--no-solver",
      "--format",
      "json",
      "--evidence",
      "OUT/evidence.json",
    );
    const isValid = await validate();
    const parsed = JSON.parse(evidence);
    expect(isValid(parsed)).toBe(true);
    expect(isValid({ ...parsed, more: 1 })).toBe(false);
    expect(isValid({ ...parsed, change: { ...parsed.change, decisions: undefined } })).toBe(false);
  });
});

describe("what is read", () => {
  test("a revision, with its claims and suites", async () => {
    await withFiles(OLD, async (root) => {
      const git = (...args: string[]) =>
        execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
          cwd: root,
          stdio: "pipe",
        });
      git("init", "-q");
      git("add", "-A");
      git("commit", "-q", "-m", "first");
      const args = ["review", ".", "--against", "HEAD:.", "--format", "json", "--no-solver"];
      const { out } = await keyward(args, "", root);
      const { change } = JSON.parse(out);
      expect(change.decisions.result).toBe("equal");
      expect(change.claims.map((one: { listed: string }) => one.listed)).toEqual(
        Array.from({ length: 7 }, () => "stated"),
      );
      expect(change.findings).toEqual({ new: [], gone: [] });
      expect((await keyward(["review", ".", "--against", "nowhere:.", "--format", "json"], "", root)).code).toBe(2);
    });
  });

  test("suites and claims of the older set that are wrong count as not there, and the page says so", async () => {
    const damaged = { ...OLD, "testdata/doc.decisions.yaml": "name: [", "testdata/doc.claims.yaml": "claims: 1" };
    const { code, out } = await reviewed(WIDER, damaged, "--format", "markdown", "--no-solver");
    expect(code).toBe(4);
    expect(out).toContain("These parts of the older set could not be read. They count as missing:");
    expect(out).toMatch(/^- testdata\/doc\.decisions\.yaml:\d+:\d+ /m);
    expect(out).toMatch(/^- testdata\/doc\.claims\.yaml:\d+:\d+ /m);
    expect(out).toContain("new: broken | not proved");
  });

  test("what is wrong with the set itself is refused", async () => {
    const refused = async (files: Files, older: Files = OLD) =>
      await reviewed(files, older, "--format", "json", "--no-solver");
    expect(await refused({ ...OLD, "testdata/doc.claims.yaml": "claims: 1" })).toMatchObject({ code: 2, out: "" });
    expect(await refused({ ...OLD, "testdata/doc.decisions.yaml": "name: [" })).toMatchObject({ code: 2, out: "" });
    expect(await refused({ ...OLD, "doc.yaml": "apiVersion: x" })).toMatchObject({ code: 3, out: "" });
    expect(await refused(OLD, { ...OLD, "doc.yaml": "apiVersion: x" })).toMatchObject({ code: 3, out: "" });
  });
});
