/** Comparisons of policy sets other than the shipped ones. */

import { build } from "esbuild";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { diffPolicies, diffText, searchDecisionChanges } from "../../src/audit/index.js";
import { decideAny } from "../../src/decisions/decide.js";
import type { CompileOptions, PolicyFile, PolicySet } from "../../src/index.js";
import type { Solver, SolverAnswer } from "../../src/solver/solver.js";
import { requestOf } from "../../src/space/draft.js";
import { GLOBALS, OTHER_VERSIONS, permuted, policySet, toFiles } from "../property/arbitraries/index.js";
import type { PolicyDocuments } from "../reference/documents.js";
import { ROOT } from "../support/built.js";
import { permissions, policy, supportAll, when } from "../support/compose.js";
import { compiled, compiledDocuments, shipped, shippedFiles } from "../support/policies.js";
import { changed } from "./seeds.js";
import "../support/seed.js";

const reading = (expr: string, body = "") =>
  permissions({
    "doc.yaml": policy({
      body,
      rules: [`name: read, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}`],
    }),
  });

function classes(before: string, after: string): string[] {
  const [a, b] = [reading(before), reading(after)];
  const { changes } = searchDecisionChanges(a, b);
  for (const { request, from, to } of changes) {
    expect([decideAny(a, requestOf(request)).outcome, decideAny(b, requestOf(request)).outcome]).toEqual([from, to]);
  }
  return [...new Set(changes.filter(({ wellFormed }) => wellFormed).map((change) => change.class))];
}

describe("what conditions distinguish", () => {
  test.each([
    ["R.attr.n > 5", "R.attr.n >= 5", ["widening"]],
    ["R.attr.n > 5", "R.attr.n > 6", ["narrowing"]],
    ["R.attr.n - P.attr.n > 5", "R.attr.n - P.attr.n > 4", ["widening"]],
    ["R.attr.a < P.attr.a", "R.attr.a <= P.attr.a", ["widening"]],
    ["R.attr.owner == P.id", "R.attr.owner != P.id", ["widening", "narrowing"]],
    ["size(P.attr.groups) > 1", "size(P.attr.groups) >= 1", ["widening"]],
    ['"a" in P.attr.groups', '"a" in P.attr.groups || "b" in P.attr.groups', ["widening"]],
    ['P.attr.groups.exists(g, g == "a")', 'P.attr.groups.all(g, g == "a")', ["widening", "narrowing"]],
    ["P.attr.groups.exists(g, g == R.attr.group)", "P.attr.groups.exists(g, g == R.id)", ["widening", "narrowing"]],
    ['R.attr.path.startsWith("x")', 'R.attr.path.endsWith("x")', ["widening", "narrowing"]],
    ["has(R.attr.flag) && R.attr.flag", "!has(R.attr.flag) || R.attr.flag", ["widening"]],
    ["timestamp(R.attr.at) < now()", "timestamp(R.attr.at) <= now()", ["widening"]],
    ['timestamp(R.attr.at) > now() - duration("1h")', 'timestamp(R.attr.at) > now() - duration("2h")', ["widening"]],
    ['now() - timestamp(R.attr.at) < duration("1h")', 'now() - timestamp(R.attr.at) <= duration("1h")', ["widening"]],
    [
      'timestamp(R.attr.at) < timestamp("2025-01-01T00:00:00Z")',
      'timestamp(R.attr.at) <= timestamp("2025-01-01T00:00:00Z")',
      ["widening"],
    ],
    ['R.attr.s == (R.attr.b ? "x" : "y")', 'R.attr.s == (R.attr.b ? "x" : "z")', ["widening", "narrowing"]],
    ["R.attr.a && (R.attr.b || R.attr.c)", "R.attr.a && R.attr.b || R.attr.c", ["widening"]],
    ["R.attr.a == 1", "1 == R.attr.a", []],
    ["R.attr.n > 5", "!(R.attr.n <= 5)", []],
    ['R.attr.s in ["a", "b"]', '["b", "a"].exists(x, x == R.attr.s)', []],
  ])("%s, then %s", (before, after, expected) => {
    expect(classes(before, after).sort()).toEqual([...expected].sort());
  });
});

describe("the time for all questions together", () => {
  const why = "the time limit for all questions (2 s) was reached";
  const files = ["a", "b", "c", "d"].map((action) => `actions: [${action}], roles: [user], effect: EFFECT_ALLOW`);
  // Neither the search nor comparing the rules' text decides whether these are equal.
  const both = ["^a+$", "^aa*$"].map((pattern) =>
    permissions({
      "doc.yaml": policy({ rules: files.map((rule) => `${rule}, ${when(`R.attr.s.matches("${pattern}")`)}`) }),
    }),
  );
  const [before = shipped, after = shipped] = both;

  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** Compares with a fake clock that advances one second at each call of the given step. */
  async function compared(solver: Solver | undefined, step: "compared" | "asked") {
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    const told: (readonly [what: string, done: number, total: number])[] = [];
    const found = await diffPolicies(before, after, solver, {
      timeLimit: 2_000,
      onProgress: (...one) => {
        told.push(one);
        if (one[0] === step) now += 1_000;
      },
    });
    return { found, told };
  }

  test("what is not compared when it is over is unproven", async () => {
    const { found, told } = await compared(undefined, "compared");
    const { questions, unchanged } = found.examined;
    const steps = told.flatMap(([what, ...counts]) => (what === "compared" ? [counts] : []));
    expect(steps).toEqual(Array.from({ length: questions }, (_, i) => [i, questions]));
    const over = found.unproven.filter(({ message }) => message === why);
    // The first question is compared within the first second; all remaining ones may change.
    expect(over).toHaveLength(4 * (questions - 1));
    expect([found.result, unchanged]).toEqual(["unproven", 0]);
  });

  test("what a solver was not asked when it is over is unproven", async () => {
    const ask = vi.fn(() => Promise.resolve<SolverAnswer>({ kind: "unsatisfiable" }));
    const solver: Solver = { version: "0", timeLimit: 1, ask, close: () => undefined };
    const { found, told } = await compared(solver, "asked");
    expect(told.flatMap(([what, done, total]) => (what === "asked" ? [[done, total]] : []))).toEqual([
      [0, 4],
      [1, 4],
      [2, 4],
      [3, 4],
    ]);
    // Of one operation it is proved that no more is allowed, no less, and that no refusal becomes a fault.
    expect(ask).toHaveBeenCalledTimes(3);
    expect(found.unproven.map(({ operation, message }) => [operation, message])).toEqual(
      ["b", "c", "d"].flatMap((operation) => [operation, operation, operation]).map((operation) => [operation, why]),
    );
    expect(found.examined.questions - found.examined.unchanged).toBe(3);
  });
});

describe("nothing is silently incomplete", () => {
  const flags = Array.from({ length: 24 }, (_, i) => `R.attr.f${i}`);

  test("too many combinations: a part is examined, the change is found all the same, and the gap is told", {
    tags: "long",
  }, () => {
    const diff = searchDecisionChanges(reading(flags.join(" && ")), reading([...flags.slice(1)].join(" && ")));
    expect(diff.changes.map((change) => change.class)).toContain("widening");
    expect(diff.gaps[0]?.message).toMatch(/^only \d+ of \d+ combinations of values were tried/);
    expect(diffText(diff)).toContain("not fully searched: read on doc, permission layer");
  });

  test("an expression of which not everything is known", () => {
    const diff = searchDecisionChanges(reading('R.attr.s.matches("^a+$")'), reading('R.attr.s.matches("^a*$")'));
    expect(diff.gaps.map(({ message }) => message).join()).toContain('R.attr.s.matches("^a+$")');
  });
});

test("one reason with a comma is another than two", () => {
  const saying = (...reasons: readonly string[]) =>
    permissions({
      "doc.yaml": policy({
        rules: reasons.map((reason, i) => {
          const output = `output: {when: {ruleActivated: ${JSON.stringify(JSON.stringify(reason))}}}`;
          return `name: r${i}, actions: [read], roles: [user], effect: EFFECT_DENY, ${output}`;
        }),
      }),
    });
  const { silent } = searchDecisionChanges(saying("a,b"), saying("a", "b"), { reasons: true });
  expect(silent.map(({ before, after }) => ({ before, after }))).toContainEqual({ before: ["a,b"], after: ["a", "b"] });
});

test("other reasons, if they are asked for", { tags: "long" }, () => {
  const after = compiled(changed("platform/api.yaml", `'"delete_protected"'`, `'"protected"'`));
  expect(searchDecisionChanges(shipped, after)).toMatchObject({ changes: [], silent: [] });
  const { changes, silent } = searchDecisionChanges(shipped, after, { reasons: true });
  expect(changes).toEqual([]);
  expect(silent[0]).toMatchObject({ class: "reasons", operation: "apis.deleteApi", layer: "platform" });
});

describe("schemas", () => {
  const API = "_schemas/api.json";
  const WORKSPACE = "_schemas/workspace.json";

  test.each<[what: string, files: readonly PolicyFile[]]>([
    ["a description", changed(API, "Must be switched off", "MUST be switched off")],
    [
      "an attribute that no policy reads",
      changed(WORKSPACE, '"state": {', '"color": { "type": "string" }, "state": {'),
    ],
    ["a schema that nothing refers to yet", [...shippedFiles, { path: "_schemas/more.json", text: "{}" }]],
  ])("decisions are proved to stay as they are, with no solver: %s", (_, files) => {
    const { result, examined } = searchDecisionChanges(shipped, compiled(files));
    expect([result, examined.combinations]).toEqual(["equal", 0]);
  });

  test("a new kind with a schema of its own is all that changes", () => {
    const body = 'schemas: {resourceSchema: {ref: "cerbos:///new.json"}}';
    const rule = `actions: [look], effect: EFFECT_ALLOW, ${when('R.attr.x == "a"')}`;
    const kind = (version: string, role: string) => ({
      path: `${version}/new.yaml`,
      text: policy({ resource: "new", version, body, rules: [`${rule}, roles: [${role}]`] }),
    });
    const schema = { path: "_schemas/new.json", text: '{"properties": {"x": {"type": "string"}}}' };
    const files = [...shippedFiles, schema, kind("default", "user"), kind("platform", "account")];
    const { changes, unproven } = searchDecisionChanges(shipped, compiled(files));
    expect(new Set([...changes, ...unproven].map((one) => one.kind))).toEqual(new Set(["new"]));
  });

  test.each([
    ["values that are lists", { enum: [["a"], ["b"]] }, { enum: [["a"], ["c"]] }],
    ["what is in a list", { items: { type: "string" } }, { items: { type: "boolean" } }],
    ["what is in a map", { additionalProperties: { type: "string" } }, { additionalProperties: { type: "boolean" } }],
  ])("what decides is not taken for the same: %s", (_, before, after) => {
    const of = (x: object) => {
      const body = 'schemas: {resourceSchema: {ref: "cerbos:///doc.json"}}';
      const rules = [`actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when("size(R.attr.x) > 0")}`];
      return permissions({
        "doc.yaml": policy({ body, rules }),
        "_schemas/doc.json": JSON.stringify({ properties: { x } }),
      });
    };
    expect(searchDecisionChanges(of(before), of(after)).result).not.toBe("equal");
    expect(searchDecisionChanges(of(before), of({ ...before, description: "x" })).result).toBe("equal");
  });
});

test("derived roles that are active in a scope are not those of the scope above", () => {
  const roles = (name: string, expr: string) => `apiVersion: api.cerbos.dev/v1
derivedRoles:
  name: ${name}
  definitions: [{name: dr, parentRoles: ["*"], ${when(expr)}}]
`;
  const files = (inScope: string) => {
    const of = (name: string, expr: string, scope = "") =>
      policy({
        body: `importDerivedRoles: [${name}]\nscope: "${scope}"`,
        rules: [
          `actions: [read], roles: ["*"], effect: EFFECT_ALLOW, ${when(expr)}`,
          "actions: [list], derivedRoles: [dr], effect: EFFECT_ALLOW",
        ],
      });
    const [some, none] = ["size(runtime.effectiveDerivedRoles) > 0", "size(runtime.effectiveDerivedRoles) == 0"];
    return permissions({
      "above.yaml": roles("above", 'R.attr.p.startsWith("/a") && R.attr.p.endsWith(".b")'),
      "below.yaml": roles("below", "R.attr.q == 1"),
      "doc.yaml": of("above", none),
      "scoped.yaml": of("below", inScope === "" ? some : `${some} || ${none}`, "s"),
    });
  };
  // The first set allows all requests in scope `s`. In the second set the root policy still allows those without the
  // role of `above`.
  expect(searchDecisionChanges(files("all"), files("")).result).not.toBe("equal");
});

test("what is the same text is the same, however much of it cannot be looked at", { tags: "long" }, () => {
  const roles = [..."abcdefghijklmnop"].map((char) => `"*${char}*"`);
  const of = (comment: string) =>
    permissions({
      "doc.yaml": `${policy({ rules: [`actions: [read], roles: [${roles}], effect: EFFECT_ALLOW`] })}${comment}`,
    });
  expect(searchDecisionChanges(of(""), of("")).result).toBe("equal");
  expect(searchDecisionChanges(of(""), of("# a comment")).result).toBe("unproven");
});

test.each<[what: string, options: CompileOptions]>([
  ["globals", { globals: { g: 1 } }],
  ["reads that no schema is asked about", { typedReads: false }],
  ["attributes that must satisfy schemas", { schemaEnforcement: "reject" }],
  ["another layer", { platform: "none" }],
])("the same texts are not the same set with %s", (_, options) => {
  const body = 'schemas: {resourceSchema: {ref: "cerbos:///doc.json"}}';
  const rules = [`actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when("R.attr.x == 1 || G.g == 1")}`];
  const files = [
    ...supportAll("doc"),
    { path: "doc.yaml", text: policy({ body, rules }) },
    { path: "_schemas/doc.json", text: '{"properties": {"x": {"type": "string"}, "y": {"type": "string"}}}' },
  ];
  expect(searchDecisionChanges(compiled(files), compiled(files)).result).toBe("equal");
  expect(searchDecisionChanges(compiled(files), compiled(files, options)).result).not.toBe("equal");
});

describe("scopes, principal policies and role policies", () => {
  const root = policy({ rules: ["actions: [read], roles: [user], effect: EFFECT_ALLOW"] });
  const scoped = (rule: string) => ({
    "root.yaml": root,
    "acme.yaml": policy({ body: "scope: acme", rules: [rule] }),
  });

  test("a change in a scope is shown by a request in it, and not by one elsewhere", () => {
    const before = permissions(scoped("actions: [read], roles: [user], effect: EFFECT_ALLOW"));
    const after = permissions(scoped("actions: [read], roles: [user], effect: EFFECT_DENY"));
    const { changes } = searchDecisionChanges(before, after);
    expect(changes.map((change) => [change.class, change.request.resource])).toEqual([
      ["narrowing", expect.objectContaining({ scope: "acme" })],
    ]);
    for (const { request, from, to } of changes) {
      expect([decideAny(before, requestOf(request)).outcome, decideAny(after, requestOf(request)).outcome]).toEqual([
        from,
        to,
      ]);
    }
  });

  test("a principal policy", () => {
    const personal = (effect: string) => ({
      "root.yaml": root,
      "p.yaml": `apiVersion: api.cerbos.dev/v1
principalPolicy:
  principal: alice
  version: default
  rules:
    - resource: doc
      actions: [{action: read, effect: ${effect}}]
`,
    });
    const { changes } = searchDecisionChanges(
      permissions(personal("EFFECT_DENY")),
      permissions(personal("EFFECT_ALLOW")),
    );
    expect(changes[0]).toMatchObject({ class: "widening", request: { key: { id: "alice" } } });
  });
});

/** The same policies in other texts, so that equal text proves nothing. */
function withComments(documents: PolicyDocuments): PolicySet {
  const files = toFiles(documents).map(({ path, text }) => ({
    path,
    text: path.endsWith(".json") ? `${text}\n` : `# a comment\n${text}`,
  }));
  return compiled(files, { globals: GLOBALS, otherVersions: OTHER_VERSIONS });
}

test("a generated set differs neither from itself nor from itself in another order", { tags: "long" }, () => {
  fc.assert(
    fc.property(
      policySet({ profile: "any" }).chain((documents) => fc.tuple(fc.constant(documents), permuted(documents))),
      ([documents, other]) => {
        const policies = compiledDocuments(documents);
        expect(searchDecisionChanges(policies, withComments(documents)).result).toBe("equal");
        expect(searchDecisionChanges(policies, compiledDocuments(other)).changes).toEqual([]);
      },
    ),
    { numRuns: 40, endOnFailure: true },
  );
});

test("keyward/audit is bundled for browsers without Node's modules", async () => {
  const { warnings, metafile } = await build({
    entryPoints: [`${ROOT}src/audit/index.ts`],
    bundle: true,
    write: false,
    platform: "browser",
    format: "esm",
    metafile: true,
    logLevel: "silent",
  });
  expect(warnings).toEqual([]);
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
});
