/** The results of mutants: killed, equivalent, survivor or unproven; and the cases that kill survivors. */

import * as E from "fp-ts/lib/Either.js";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { decideAny } from "../../src/decisions/decide.js";
import type { CompileOptions, PolicyFile } from "../../src/index.js";
import { ClaimChecks, SuiteChecks } from "../../src/mutate/checks.js";
import { type Mutant, mutantsOf, mutatedFiles } from "../../src/mutate/mutants.js";
import type { MutationReport, Survivor } from "../../src/mutate/report.js";
import { type MutationOptions, runMutants } from "../../src/mutate/run.js";
import { UnusableSuite, withCases } from "../../src/mutate/suite-text.js";
import { readClaims } from "../../src/proof/claims/read.js";
import { isWellFormed } from "../../src/proof/well-formed.js";
import { findSolver } from "../../src/solver/solver.js";
import { requestOf } from "../../src/space/draft.js";
import { hasFailures, runSuites, type SuiteFiles } from "../../src/testing/suites.js";
import { policy, when } from "../support/compose.js";
import { compiled } from "../support/policies.js";

const solver = findSolver({ timeLimit: 30_000 });
afterAll(() => solver?.close());

const SCHEMA = JSON.stringify({
  type: "object",
  properties: { owner: { type: "string", minLength: 1 }, size: { type: "integer", minimum: 0 } },
  required: ["owner", "size"],
});

/** A permission-only set whose documents declare an owner and a size. */
function files(...rules: readonly string[]): readonly PolicyFile[] {
  const body = "schemas: {resourceSchema: {ref: cerbos:///doc.json}}";
  return [
    { path: "doc.yaml", text: policy({ body, rules }) },
    { path: "_schemas/doc.json", text: SCHEMA },
  ];
}

const read = (expr: string) => `name: a, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}`;
const COMPILE: CompileOptions = { platform: "none", globals: {} };

const FIXTURES = `
keys:
  user: {id: u1, roles: [user], attr: {}}
resources:
  own: {kind: doc, id: d1, attr: {owner: u1, size: 3}}
  other: {kind: doc, id: d2, attr: {owner: u2, size: 3}}
defaults: {key: user, operation: read}
`;

interface Checked {
  readonly suites?: SuiteFiles;
  readonly claims?: string;
  readonly options?: Omit<MutationOptions, "compile">;
  readonly withSolver?: boolean;
}

async function run(
  policies: readonly PolicyFile[],
  { suites = new Map(), claims = "claims: []", options = {}, withSolver = true }: Checked,
): Promise<MutationReport> {
  const set = compiled(policies, COMPILE);
  const asked = withSolver ? solver : { notAsked: "it is not to be asked" };
  const checks = SuiteChecks.read(suites, set, COMPILE);
  const claimed = await ClaimChecks.of(readClaims("c.claims.yaml", claims).claims, set, asked);
  if (E.isLeft(checks) || E.isLeft(claimed)) throw new Error("the suite or the claims have faults");
  return await runMutants(set, { suites: checks.right, claims: claimed.right }, asked, {
    compile: COMPILE,
    ...options,
  });
}

function suite(...cases: readonly string[]): SuiteFiles {
  const lines = cases.map((one) => `  - {${one}}\n`).join("");
  return new Map([["doc.decisions.yaml", `name: docs${FIXTURES}cases:\n${lines}`]]);
}

const OWNED = "R.attr.owner == P.id && R.attr.size < 5.0";
const words = (all: readonly { readonly change: string }[]) => all.map(({ change }) => change);

describe("with a suite", () => {
  const cases = [
    "name: own, resource: own, expect: allow",
    "name: other, resource: other, expect: insufficient_permissions",
  ];

  test("survivors are the changes that no case notices, each with a request that the schemas allow", async () => {
    const policies = files(read(OWNED));
    const report = await run(policies, { suites: suite(...cases) });
    expect(words(report.survivors)).toEqual([
      "conjunct left out: R.attr.size < 5.0",
      "< exchanged for <=: R.attr.size < 5.0",
      "< exchanged for !=: R.attr.size < 5.0",
      "constant exchanged: 5.0 for 4.0",
      "constant exchanged: 5.0 for 6.0",
    ]);
    expect(report.unproven).toEqual([]);
    expect(report.mutants).toBe(report.killed + report.equivalent.length + report.survivors.length);
    expect(report.score).toBeCloseTo((100 * report.killed) / (report.killed + report.survivors.length));
    const set = compiled(policies, COMPILE);
    for (const one of report.survivors) {
      expect(isWellFormed([set], one.request)).toBe(true);
      expect(decideAny(set, requestOf(one.request)).outcome).toBe(one.before.outcome);
      expect(decideAny(changed(policies, one), requestOf(one.request)).outcome).toBe(one.after.outcome);
      expect(one.before.outcome).not.toBe(one.after.outcome);
    }
  });

  test("the case of a survivor passes on the policies, and kills the mutant", async () => {
    const policies = files(read(OWNED));
    const { survivors } = await run(policies, { suites: suite(...cases) });
    for (const one of survivors) {
      const files = new Map([["s.decisions.yaml", one.suite]]);
      expect(fails(policies, files)).toBe(false);
      expect(fails(mutatedFiles(policies, mutantOf(policies, one)), files)).toBe(true);
    }
    const together = new Map([...suite(...cases), ["s.decisions.yaml", withCases(undefined, survivors, false)]]);
    expect(await run(policies, { suites: together })).toMatchObject({ survivors: [], score: 100 });
  });

  test("a reason that differs is noticed where no outcome does", async () => {
    const second = `name: b, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when("R.attr.owner == P.id")}`;
    const policies = files(read("R.attr.owner == P.id"), second);
    const report = await run(policies, { suites: suite(...cases) });
    const [left] = report.survivors.filter(({ change }) => change === "rule left out: b");
    expect(left).toMatchObject({ before: { outcome: "allow", reasons: ["a", "b"] }, after: { reasons: ["a"] } });
    const cases_ = new Map([["s.decisions.yaml", left?.suite ?? ""]]);
    expect(parse(left?.suite ?? "").cases).toMatchObject([{ expect: "allow", reasons: ["a", "b"] }]);
    expect(fails(policies, cases_)).toBe(false);
  });

  test("a change of data that only the schemas refuse is shown as such", async () => {
    const policies = files(read('R.attr.size == 3.0 || R.attr.owner == ""'));
    const { survivors } = await run(policies, {
      suites: suite("name: size, resource: own, expect: allow"),
      options: { isWanted: ({ change }) => change.startsWith("disjunct left out: R.attr.owner") },
    });
    expect(survivors).toMatchObject([{ malformed: true, request: { resource: { attr: { owner: "" } } } }]);
    for (const one of survivors) {
      const cases = new Map([["s.decisions.yaml", one.suite]]);
      expect(fails(policies, cases)).toBe(false);
      expect(fails(mutatedFiles(policies, mutantOf(policies, one)), cases)).toBe(true);
    }
  });

  test("equivalent mutants are proved, and unproven without a solver", async () => {
    const policies = files(read("R.attr.size >= 3.0 && R.attr.size > 2.0"));
    const isWanted = ({ change }: Mutant) => change.startsWith("conjunct left out: R.attr.size > 2.0");
    const report = await run(policies, { options: { isWanted } });
    // With a size of 2.5, which the schema refuses as no integer, both conjuncts still refuse.
    expect(report).toMatchObject({ mutants: 1, equivalent: [{ from: " && R.attr.size > 2.0" }], score: 100 });
    const unproven = await run(policies, { options: { isWanted }, withSolver: false });
    expect(unproven).toMatchObject({ mutants: 1, unproven: [{ why: expect.stringContaining("no solver") }], score: 0 });
  });
});

test("a claim kills, and is named", async () => {
  const claims = `claims:
  - claim: Nobody reads the documents of others.
    operations: [read]
    assume: [resource.attr.owner != key.id]
    never: allow
`;
  const policies = files(read(OWNED));
  const report = await run(policies, {
    claims,
    options: { isWanted: ({ change }) => change.startsWith("conjunct left out") },
  });
  expect(report.kills).toMatchObject([{ by: "c.claims.yaml:2:5 Nobody reads the documents of others." }]);
  expect(report.survivors).toMatchObject([{ change: "conjunct left out: R.attr.size < 5.0" }]);
});

test("a Cerbos suite kills", async () => {
  const cerbos = `name: CerbosSuite
principals: {u: {id: u1, roles: [user]}}
resources: {d: {kind: doc, id: d1, attr: {owner: u1, size: 3}}}
tests:
  - name: own
    input: {principals: [u], resources: [d], actions: [read]}
    expected: [{principal: u, resource: d, actions: {read: EFFECT_ALLOW}}]
`;
  const report = await run(files(read(OWNED)), {
    suites: new Map([["doc_test.yaml", cerbos]]),
    options: { isWanted: ({ change }) => change.startsWith("effect turned") },
  });
  expect(report.kills).toMatchObject([{ by: "doc_test.yaml CerbosSuite" }]);
});

test("--max draws as many mutants as load, the same for the same seed", async () => {
  const policies = files(read(OWNED));
  const draw = async (max: number, seed: number) => {
    const { mutants, equivalent, survivors, kills } = await run(policies, { options: { max, seed } });
    return { mutants, ids: [...equivalent, ...survivors, ...kills].map(({ id }) => id) };
  };
  const [one, same, other] = [await draw(6, 1), await draw(6, 1), await draw(6, 2)];
  expect(one.mutants).toBe(6);
  expect(same).toEqual(one);
  expect(other).not.toEqual(one);
});

describe("cases in a file", () => {
  const survivor: Survivor = {
    ...{ id: "doc.yaml:1:2#1", file: "doc.yaml", line: 1, column: 2, from: "a", to: "b", change: "a for b" },
    request: {
      key: { id: "k", roles: ["user"], attr: {} },
      operation: "read",
      resource: { kind: "doc", id: "d", attr: {} },
    },
    ...{
      malformed: false,
      before: { outcome: "allow", reasons: [] },
      after: { outcome: "forbidden", reasons: [] },
      suite: "",
    },
  };

  test("are appended; comments, other cases and fixtures stay", () => {
    const before =
      "# Mine.\nname: mine\nkeys:\n  anna: { id: anna, roles: [user] } # hers\ncases:\n  - name: one\n    key: anna\n";
    const after = withCases(before, [survivor], false);
    expect(after).toContain("# Mine.\nname: mine\nkeys:\n  anna: { id: anna, roles: [user] } # hers\n");
    expect(parse(after).cases).toMatchObject([{ name: "one" }, { name: survivor.id, expect: "allow" }]);
    expect(withCases(after, [survivor], false)).toBe(after);
  });

  test("once for each request, and as JSON", () => {
    const text = withCases('{"name": "mine", "cases": []}', [survivor, { ...survivor, id: "other" }], true);
    expect(JSON.parse(text).cases).toHaveLength(1);
  });

  test.each(["- a", "a: [", "text", "name: mine\ncases: []"])("no suite: %j", (text) => {
    expect(() => withCases(text, [survivor], false)).toThrow(UnusableSuite);
  });
});

function mutantOf(policies: readonly PolicyFile[], { id }: Pick<Survivor, "id">): Mutant {
  const mutant = mutantsOf(compiled(policies, COMPILE)).find((one) => one.id === id);
  if (mutant === undefined) throw new Error(`no mutant ${id}`);
  return mutant;
}

function changed(policies: readonly PolicyFile[], survivor: Pick<Survivor, "id">) {
  return compiled(mutatedFiles(policies, mutantOf(policies, survivor)), COMPILE);
}

function fails(policies: readonly PolicyFile[], suites: SuiteFiles): boolean {
  const report = runSuites(policies, suites, { compile: COMPILE });
  if (E.isLeft(report)) throw new Error("the policies do not load");
  return hasFailures(report.right);
}
