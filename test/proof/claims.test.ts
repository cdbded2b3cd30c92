/** Claims: what a file of them may say, what is refused, and what is said where no solver is asked. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { issueLine } from "../../src/policy/issue-line.js";
import { IssueLog } from "../../src/policy/issue-log.js";
import { KnownNames } from "../../src/proof/claims/names.js";
import { proveClaims } from "../../src/proof/claims/prove.js";
import { readClaims } from "../../src/proof/claims/read.js";
import type { Claim } from "../../src/proof/claims/types.js";
import { allQuestions } from "../../src/proof/questions.js";
import type { Answer, Solver } from "../../src/solver/solver.js";
import { ROOT } from "../support/built.js";
import { shipped } from "../support/policies.js";
import { keyward, withFiles } from "../support/terminal.js";

function claimOf(...fields: readonly string[]): string {
  return `claims:\n  - claim: It is so.\n${fields.map((field) => `    ${field}\n`).join("")}`;
}

function read(text: string): readonly Claim[] {
  const { claims, issues } = readClaims("a.claims.yaml", text);
  expect(issues).toEqual([]);
  return claims;
}

function answering(answer: Answer): Solver {
  return { ask: () => Promise.resolve(answer), close: () => undefined };
}

describe("a file that is wrong is refused, with its place", () => {
  test.each([
    ["", "1:1"],
    ["- a", "1:1"],
    ["claims: []", "1:9"],
    ["claims: [1]", "1:10"],
    ["clams:\n  - claim: a", "1:1"],
    ["claims:\n  - never: allow", "2:5"],
    [claimOf(), "2:5"],
    [claimOf("never: allow", "always: forbidden"), "2:5"],
    [claimOf("never: permitted"), "3:12"],
    [claimOf("never: allow", "operation: read"), "4:5"],
    [claimOf("never: allow", "operations: []"), "4:17"],
    [claimOf("never: allow", "kinds: 7"), "4:12"],
    [claimOf("never: allow", "assume: key.roles ==="), "4:"],
    [claimOf("never: allow", "assume: [true, key.id == size(1, 2)]"), "4:"],
    [claimOf("never: allow", "assume: nobody.id == 'a'"), "4:13"],
  ])("%j", (text, place) => {
    const { claims, issues } = readClaims("a.claims.yaml", text);
    expect(claims).toEqual([]);
    expect(issues.map((issue) => issueLine(issue, "a.claims.yaml")).join("\n")).toContain(`a.claims.yaml:${place}`);
  });
});

describe("a claim about what the policies do not have is refused, with its place", () => {
  test.each([
    [["operations: apis.deleteApis"], "4:17", "no policy knows the operation"],
    [["kinds: [api, apis]"], "4:18", "no policy is about the kind"],
    [["assume: resource.attr.sytem == true"], "4:26", "attribute sytem of resource"],
    [["assume: has(account.attr.hold)"], "4:", "attribute hold of account"],
    [["assume: key.role == 'admin'"], "4:16", "key has no field role"],
    [["operations: keys.createKey", "assume: P.id == 'a'"], "5:14", "a claim reads"],
  ])("%j", async (fields, place, message) => {
    const claims = read(claimOf("never: allow", ...fields));
    const proofs = await proveClaims(shipped, claims, undefined);
    const lines = proofs.kind === "wrong" ? proofs.issues.map((issue) => issueLine(issue, issue.file)) : [];
    expect(lines.join("\n")).toContain(`a.claims.yaml:${place}`);
    expect(lines.join("\n")).toContain(message);
  });

  test("an assumption that nothing satisfies", async () => {
    const claims = read(
      claimOf("kinds: api", "never: allow", "assume: ['size(key.roles) == 1', 'size(key.roles) == 2']"),
    );
    const proofs = await proveClaims(shipped, claims, answering({ kind: "unsatisfiable" }));
    expect(proofs).toMatchObject({ kind: "wrong", issues: [{ line: 2, message: /nothing satisfies/ }] });
  });

  test("one that contradicts itself in the same words needs no solver", async () => {
    const claims = read(
      claimOf("kinds: api", "never: allow", "assume: ['key.id == resource.id', 'key.id != resource.id']"),
    );
    expect(await proveClaims(shipped, claims, undefined)).toMatchObject({ kind: "wrong" });
  });
});

test("the example of docs/proving.md is one", () => {
  const text = readFileSync(`${ROOT}docs/proving.md`, "utf8");
  const blocks = [...text.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, block = ""]) => block);
  expect(blocks.length).toBeGreaterThan(0);
  for (const block of blocks) {
    const names = new KnownNames(shipped, allQuestions([shipped]).questions);
    const log = new IssueLog();
    for (const claim of read(block)) names.check(claim, log);
    expect(log.issues).toEqual([]);
  }
});

describe("what is not known is not proved", () => {
  const [claim] = read(claimOf("operations: apis.deleteApi", "never: allow", "assume: resource.attr.keyCount >= 1"));
  const claims = claim === undefined ? [] : [claim];

  test.each<[string, Solver | undefined]>([
    ["no solver", undefined],
    ["a solver that ends, or takes too long", answering({ kind: "unknown", why: "it took more than 1 s" })],
    ["values that do not replay", answering({ kind: "satisfiable", values: new Map() })],
  ])("%s", async (_what, solver) => {
    expect(await proveClaims(shipped, claims, solver)).toMatchObject({ claims: [{ result: "unproven" }] });
  });
});

describe("keyward prove", () => {
  const POLICY = `apiVersion: api.cerbos.dev/v1
resourcePolicy: {resource: doc, version: default, rules: [{actions: [read], roles: [user], effect: EFFECT_ALLOW}]}
`;

  test("without claims it proves the laws; not all of them without a solver", async () => {
    const options = ["--permission-only", "--no-solver", "--format", "json"];
    const { code, out } = await withFiles({ "doc.yaml": POLICY }, (dir) => keyward(["prove", dir, ...options]));
    const { result, claims } = JSON.parse(out);
    expect([code, result, claims.length]).toEqual([result === "proved" ? 0 : 5, result, 5]);
    expect(claims.slice(0, 3).map((one: { result: string }) => one.result)).toEqual(["proved", "proved", "proved"]);
  });

  test("a claim that is wrong is bad input: 2, before anything is proved", async () => {
    const files = { "doc.yaml": POLICY, "sub/a.claims.yaml": claimOf("never: allow", "operations: write") };
    const { code, out, err } = await withFiles(files, (dir) => keyward(["prove", dir, "--permission-only"]));
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("sub/a.claims.yaml:4:17");
    expect(err).toContain("no policy knows the operation write");
  });

  test("claims are no policies: whatever reads the directory passes over them", async () => {
    const files = { "doc.yaml": POLICY, "a.claims.yaml": "claims: 7\n" };
    const { code } = await withFiles(files, (dir) => keyward(["check", dir, "--permission-only"]));
    expect(code).toBe(0);
  });
});
