/** Claims: the contents of a claims file, the refused ones, and the report when there is no solver. */

import { readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { run } from "../../src/cli/run.js";
import { decideAny } from "../../src/decisions/decide.js";
import { issueLine } from "../../src/policy/issue-line.js";
import { IssueLog } from "../../src/policy/issue-log.js";
import { KnownNames } from "../../src/proof/claims/names.js";
import { type Proofs, proveAll, proveClaims } from "../../src/proof/claims/prove.js";
import { readClaims } from "../../src/proof/claims/read.js";
import type { Claim, Proved } from "../../src/proof/claims/types.js";
import { allQuestions } from "../../src/proof/questions.js";
import type { Solver, SolverAnswer } from "../../src/solver/solver.js";
import { requestOf } from "../../src/space/draft.js";
import { ROOT } from "../support/built.js";
import { SHIPPED_ROOT, shipped } from "../support/policies.js";
import { keyward, withFiles } from "../support/terminal.js";

function claimOf(...fields: readonly string[]): string {
  return `claims:\n  - claim: It is so.\n${fields.map((field) => `    ${field}\n`).join("")}`;
}

function read(text: string): readonly Claim[] {
  const { claims, issues } = readClaims("a.claims.yaml", text);
  expect(issues).toEqual([]);
  return claims;
}

function answering(answer: SolverAnswer): Solver {
  return { version: "0", timeLimit: 0, ask: () => Promise.resolve(answer), close: () => undefined };
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
    [claimOf("never: [allow, 7]"), "3:20"],
    [claimOf("never: []"), "3:12"],
    [claimOf("never: permitted"), "3:12"],
    [claimOf("never: allow", "operation: read"), "4:5"],
    [claimOf("never: allow", "operations: []"), "4:17"],
    [claimOf("together: [a]"), "3:15"],
    [claimOf("together: [a, a]"), "3:15"],
    [claimOf("together: [a, b, c]"), "3:15"],
    [claimOf("together: [a, b]", "never: allow"), "2:5"],
    [claimOf("together: [a, b]", "operations: a"), "2:5"],
    [claimOf("role: admin"), "2:5"],
    [claimOf("includes: editor"), "2:5"],
    [claimOf("role: admin", "includes: admin"), "2:5"],
    [claimOf("role: admin", "includes: [editor, viewer]"), "2:5"],
    [claimOf("role: admin", "includes: editor", "always: allow"), "2:5"],
    [claimOf("together: [a, b]", "apart: 1"), "4:12"],
    [claimOf("never: allow", "apart: true"), "2:5"],
    [claimOf("absent: a", "operations: a"), "2:5"],
    [claimOf("absent: a", "assume: valid"), "2:5"],
    [claimOf("absent: []"), "3:13"],
    [claimOf("hears: 7"), "3:12"],
    [claimOf("hears: a", "never: allow"), "2:5"],
    [claimOf("subset: a"), "3:13"],
    [claimOf("subset: {child: {roles: a}}"), "3:13"],
    [claimOf("subset: {child: {}, of: {roles: a}}"), "3:21"],
    [claimOf("subset: {child: {id: a}, of: {roles: a}}"), "3:22"],
    [claimOf("subset: {child: {attr: 7}, of: {roles: a}}"), "3:28"],
    [claimOf("subset: {child: {roles: [7]}, of: {roles: a}}"), "3:30"],
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

test.each([
  [
    claimOf(),
    "a claim needs one of `never` (outcomes that must not occur), `always` (the only permitted outcomes), `hears` and `hearsOnly` (the reasons of refusals), `together` (two operations: no key may do both), `role` and `includes` (a role that may do everything that another may do), `subset` (a key that may do no more than another) or `absent` (operations that no policy knows)",
  ],
  [claimOf("never: allow", "always: forbidden"), "a claim has both `never` and `always`: split it into two claims"],
  [claimOf("never: []"), "`never` must not be empty"],
])("what is wrong with the outcomes of %j", (text, message) => {
  expect(readClaims("a.claims.yaml", text).issues.map((issue) => issue.message)).toEqual([message]);
});

describe("a claim about what the policies do not have is refused, with its place", () => {
  test.each([
    [["operations: apis.deleteApis"], "4:17", "no policy knows the operation"],
    [["kinds: [api, apis]"], "4:18", "no policy is about the kind"],
    [["assume: resource.attr.sytem == true"], "4:26", "attribute sytem of resource"],
    [["assume: has(account.attr.hold)"], "4:", "attribute hold of account"],
    [["assume: key.role == 'admin'"], "4:16", "key has no field role"],
    [["operations: keys.createKey", "assume: P.id == 'a'"], "5:14", "an expression about requests may read only"],
  ])("%j", async (fields, place, message) => {
    const claims = read(claimOf("never: allow", ...fields));
    const proofs = await proveClaims(shipped, claims, undefined);
    const lines = proofs.kind === "wrong" ? proofs.issues.map((issue) => issueLine(issue, issue.file)) : [];
    expect(lines.join("\n")).toContain(`a.claims.yaml:${place}`);
    expect(lines.join("\n")).toContain(message);
  });

  test("a role that no policy names", async () => {
    const proofs = await proveClaims(shipped, read(claimOf("role: admin", "includes: editr")), undefined);
    expect(proofs).toMatchObject({ kind: "wrong", issues: [{ line: 4, column: 15, hint: 'did you mean "editor"?' }] });
  });

  test.each([
    [["hears: quota_exceded"], 3, 12, 'did you mean "quota_exceeded"?'],
    [["hearsOnly: [not_granted, nothing]"], 3, 30, undefined],
    [["together: [keys.createKey, keys.create]", "apart: true"], 3, 32, 'did you mean "keys.createKey"?'],
    [["subset: {child: {roles: admn}, of: {roles: admin}}"], 3, 29, 'did you mean "admin"?'],
    [["subset: {child: {attr: {permission: []}}, of: {roles: admin}}"], 3, 29, 'did you mean "permissions"?'],
  ])("names in %j", async (fields, line, column, hint) => {
    const proofs = await proveClaims(shipped, read(claimOf(...fields)), undefined);
    const [issue] = proofs.kind === "wrong" ? proofs.issues : [];
    expect([issue?.line, issue?.column, issue?.hint]).toEqual([line, column, hint]);
  });

  test("a role that the assumptions exclude", async () => {
    const claims = read(claimOf("role: admin", "includes: editor", "assume: '\"viewer\" in key.roles'"));
    expect(await proveClaims(shipped, claims, undefined)).toMatchObject({
      kind: "wrong",
      issues: [{ line: 2, message: /no request satisfies the assumptions/ }],
    });
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
    for (const claim of read(block)) names.checkClaim(claim, log);
    expect(log.issues).toEqual([]);
  }
});

describe("what is not known is not proved", () => {
  const claims = read(claimOf("operations: apis.deleteApi", "never: allow", "assume: resource.attr.keyCount >= 1"));

  test.each<[string, Solver | undefined]>([
    ["no solver", undefined],
    ["a solver that ends, or takes too long", answering({ kind: "unknown", why: "it took more than 1 s" })],
    ["values that do not replay", answering({ kind: "satisfiable", values: new Map() })],
  ])("%s", async (_what, solver) => {
    expect(await proveClaims(shipped, claims, solver)).toMatchObject({ claims: [{ result: "unproven" }] });
  });
});

test.each([
  [["operations: apis.getApi", "never: allow"], "allow"],
  [["operations: apis.getApi", "always: allow"], "insufficient_permissions"],
  [["operations: apis.getApi", "always: allow", "assume: '\"viewer\" in key.roles'"], "insufficient_permissions"],
  [["kinds: workspace", "always: [allow, insufficient_permissions]"], "forbidden"],
])("a claim that ordinary requests break is broken without a solver: %j", async (fields, outcome) => {
  const proofs = await proveClaims(shipped, read(claimOf(...fields)), undefined);
  const [one] = proofs.kind === "proved" ? proofs.claims : [];
  expect(one).toMatchObject({ result: "broken", outcome });
  if (one?.request === undefined) throw new Error("there is no request");
  expect(decideAny(shipped, requestOf(one.request)).outcome).toBe(outcome);
  if (fields.length > 2) expect(one.request.key.roles).toContain("viewer");
});

describe("the time for all questions together", () => {
  const claims = read(claimOf("kinds: [api, key]", "never: allow"));
  const why = expect.stringMatching(/^\S+ on \S+: the time limit for all questions \(2 s\) was reached$/);

  /** Proves claims with a fake clock that advances one second for each solver query. */
  async function proved(): Promise<readonly [proofs: Proofs, asked: number, told: readonly Proved[]]> {
    let asked = 0;
    const told: Proved[] = [];
    vi.spyOn(performance, "now").mockImplementation(() => asked * 1_000);
    const solver: Solver = {
      ...answering({ kind: "unsatisfiable" }),
      ask: () => {
        asked++;
        return Promise.resolve({ kind: "unsatisfiable" });
      },
    };
    const proofs = await proveAll(shipped, claims, solver, { timeLimit: 2_000, onProved: (one) => told.push(one) });
    vi.restoreAllMocks();
    return [proofs, asked, told];
  }

  test("what is not proved when it is over is unproven, and nothing else is asked", async () => {
    const [proofs, asked, told] = await proved();
    expect(asked).toBe(2);
    expect(proofs).toMatchObject({ kind: "proved", claims: told });
    expect(told.map(({ result }) => result)).toEqual([
      "proved",
      "proved",
      "proved",
      "unproven",
      "unproven",
      "unproven",
    ]);
    for (const one of told.slice(3)) expect(one).toMatchObject({ why });
  });
});

describe("keyward prove", () => {
  test.each(["0", "-1", "soon"])("--total-time %s is bad usage", async (time) => {
    expect((await keyward(["prove", SHIPPED_ROOT, "--total-time", time])).code).toBe(2);
  });

  test("each is said as it comes, and on a terminal how far it is", async () => {
    const said: string[] = [];
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (now += 100));
    const streams = {
      stdin: (async function* () {})(),
      out: (text: string) => said.push(`out ${text}`),
      err: (text: string) => said.push(`err ${text}`),
      errIsTerminal: true,
    };
    const code = await run(["prove", SHIPPED_ROOT, "--no-solver"], streams);
    vi.restoreAllMocks();
    expect(code).toBe(5);
    const claims = said.flatMap((text, i) => (/^out (?:proved|unproven|broken) /.test(text) ? [i] : []));
    expect(claims.length).toBeGreaterThan(5);
    const progress = said.flatMap((text, i) => (/^err .*\d+ of \d+ operations: /s.test(text) ? [i] : []));
    expect(progress.some((at) => at > (claims[0] ?? 0) && at < (claims.at(-1) ?? 0))).toBe(true);
    // The progress line is wiped before any result is printed.
    for (const at of claims) if (progress.includes(at - 1)) expect.unreachable("something is shown beside it");
    const end = /^out \n\d+ proved, \d+ broken, \d+ unproven\nno solver was used: --no-solver was given\n$/;
    expect(said.at(-2)).toMatch(end);
    expect(said.at(-1)).toMatch(/^err keyward prove: .* \(exit 5\)\n$/);
    expect(said.join("").split("--no-solver was given").length).toBe(2);
  });

  const POLICY = `apiVersion: api.cerbos.dev/v1
resourcePolicy: {resource: doc, version: default, rules: [{actions: [read], roles: [user], effect: EFFECT_ALLOW}]}
`;

  test("without claims it proves the laws; not all of them without a solver", async () => {
    const options = ["--permission-only", "--no-solver", "--format", "json"];
    const { code, out } = await withFiles({ "doc.yaml": POLICY }, (dir) => keyward(["prove", dir, ...options]));
    const { result, claims } = JSON.parse(out);
    expect([code, result, claims.length]).toEqual([result === "proved" ? 0 : 5, result, 3]);
    expect(claims[0].result).toBe("proved");
  });

  const TWO = `claims:
  - {claim: Guests read nothing., operations: read, assume: '!("user" in key.roles)', never: allow}
  - {claim: Users read everything., operations: read, assume: '"user" in key.roles', always: allow}
`;

  test("--claim proves the claims with that text alone, without the laws", async () => {
    const sentences = async (...options: readonly string[]) => {
      const files = { "doc.yaml": POLICY, "a.claims.yaml": TWO };
      const args = ["--permission-only", "--format", "json", ...options.flatMap((one) => ["--claim", one])];
      const { code, out, err } = await withFiles(files, (dir) => keyward(["prove", dir, ...args]));
      return out === "" ? [code, err] : JSON.parse(out).claims.map(({ claim }: { claim: string }) => claim);
    };
    expect(await sentences("guests")).toEqual(["Guests read nothing."]);
    expect(await sentences("Users read everything.", "nothing")).toEqual([
      "Guests read nothing.",
      "Users read everything.",
    ]);
    const refused = async (text: string) => {
      const [code, err] = await sentences(text);
      expect(code).toBe(2);
      return err;
    };
    expect(await refused("Guests raed nothing.")).toContain('did you mean "Guests read nothing."');
    expect(await refused("nothing gests")).toContain('(did you mean "Guests read nothing."?)');
    expect(await refused("raed")).toContain('(did you mean "Guests read nothing.", "Users read everything."?)');
    expect(await refused("secrets")).toContain('(the claims are "Guests read nothing.", "Users read everything.")');
  });

  test("a hierarchy is broken without a solver, by two requests that differ in the role alone", async () => {
    const rules =
      "[{actions: [read], roles: [user], effect: EFFECT_ALLOW}, {actions: [list], roles: [guest, user], effect: EFFECT_ALLOW}]";
    const policy = POLICY.replace(/rules: .*\]\}/, `rules: ${rules}}`);
    const files = { "doc.yaml": policy, "a.claims.yaml": claimOf("role: guest", "includes: user") };
    const run = async (...options: readonly string[]) => {
      const args = ["--permission-only", "--no-solver", "--claim", "It is so.", ...options];
      return await withFiles(files, (dir) => keyward(["prove", dir, ...args]));
    };
    const { code, out } = await run("--format", "json");
    const [{ request, changed, outcome }] = JSON.parse(out).claims;
    expect([code, outcome, request.operation]).toEqual([4, "insufficient_permissions", "read"]);
    expect(request.key.roles).toEqual(["user"]);
    expect(changed).toEqual({ ...request, key: { ...request.key, roles: ["guest"] } });
    const text = await run();
    expect(text.out).toContain(`this request gets allow: ${JSON.stringify(request)}`);
    expect(text.out).toContain(`this second request gets insufficient_permissions: ${JSON.stringify(changed)}`);
  });

  test("claims about a bundle", async () => {
    const files = { "p/doc.yaml": POLICY, "a.claims.yaml": TWO };
    const { code, out } = await withFiles(files, async (dir) => {
      const bundle = `${dir}/bundle.mjs`;
      const built = await keyward(["build", `${dir}/p`, "--permission-only", "--output", bundle]);
      expect(built.code).toBe(0);
      return await keyward([
        "prove",
        bundle,
        "--permission-only",
        "--claims",
        `${dir}/a.claims.yaml`,
        "--claim",
        "guests",
        "--format",
        "json",
      ]);
    });
    expect([code, JSON.parse(out).result]).toEqual([0, "proved"]);
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
