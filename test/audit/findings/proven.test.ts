/**
 * The solver's findings in rules: seeded flaws are found, and sound policies have none. Findings in generated policies
 * are compared with decisions.
 *
 * @module-tag long
 */

import { afterAll, describe, expect, test } from "vitest";
import { provenFindings } from "../../../src/audit/findings/proven.js";
import { decide, type PolicySet } from "../../../src/index.js";
import { allQuestions } from "../../../src/proof/questions.js";
import { forbiddenGrants } from "../../../src/proof/rules/grants.js";
import { faultyRules } from "../../../src/proof/rules/rules.js";
import { findSolver, type Solver } from "../../../src/solver/solver.js";
import { Random } from "../../differential/random.js";
import { type PlainRequest, places, retyped, without } from "../../property/arbitraries/index.js";
import { policy, when } from "../../support/compose.js";
import { compiled, SHIPPED_ROOT, shipped } from "../../support/policies.js";
import { SEED, say } from "../../support/seed.js";
import { sized } from "../../support/size.js";
import { keyward, withFiles } from "../../support/terminal.js";
import { FLAWS, type Flaw } from "./flaws.js";

const found = findSolver({ timeLimit: 2_000 });
afterAll(() => found?.close());
if (found === undefined) throw new Error("z3-solver is not installed");
const solver: Solver = found;

const RESOURCE = {
  type: "object",
  required: ["state", "size", "limit", "owner", "name", "tags", "flag", "count"],
  properties: {
    state: { enum: ["draft", "active", "closed"] },
    size: { type: "number" },
    limit: { type: "number" },
    count: { type: "integer" },
    owner: { type: "string" },
    name: { type: "string" },
    note: { type: "string" },
    flag: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
  },
};
const KEY = { type: "object", required: ["rank"], properties: { rank: { type: "number" } } };
const SCHEMAS = [
  "schemas:",
  "  principalSchema: {ref: cerbos:///key.json}",
  "  resourceSchema: {ref: cerbos:///doc.json}",
].join("\n");
const SUPPORTED = ['name: supported, actions: ["*"], roles: [account], effect: EFFECT_ALLOW'];

function setOf({ rules, platform = SUPPORTED }: Pick<Flaw, "rules" | "platform">): PolicySet {
  const resourceSchema = "schemas:\n  resourceSchema: {ref: cerbos:///doc.json}";
  return compiled([
    { path: "doc.yaml", text: policy({ body: SCHEMAS, rules }) },
    { path: "platform.yaml", text: policy({ version: "platform", body: resourceSchema, rules: platform }) },
    { path: "_schemas/doc.json", text: JSON.stringify(RESOURCE) },
    { path: "_schemas/key.json", text: JSON.stringify(KEY) },
  ]);
}

const RULES = new Set([
  "contradictory_condition",
  "tautological_condition",
  "shadowed_rule",
  "redundant_rule",
  "always_errs",
  "unsupported_operation",
]);

async function saidOf(set: PolicySet): Promise<readonly string[]> {
  const findings = await provenFindings(set, solver);
  return findings.flatMap(({ code, rule = "" }) => (RULES.has(code) ? [`${code} ${rule.replace(/^.*#/, "")}`] : []));
}

describe("seeded flaws", () => {
  test("there are at least fifty", () => {
    expect(FLAWS.length).toBeGreaterThanOrEqual(50);
    expect(new Set(FLAWS.map(({ what }) => what)).size).toBe(FLAWS.length);
  });

  test.each(FLAWS)("$what", async (flaw) => {
    expect(await saidOf(setOf(flaw))).toEqual([`${flaw.code} ${flaw.rule}`]);
  });
});

test("nothing is found in the shipped policies", async () => {
  expect(await provenFindings(shipped, solver)).toEqual([]);
});

/** Conditions; many of them imply or exclude each other. */
const ATOMS = [
  ...["draft", "active", "closed"].map((state) => `R.attr.state == "${state}"`),
  'R.attr.state in ["draft", "active"]',
  ...[1, 2, 3].flatMap((n) => [`R.attr.size > ${n}.0`, `R.attr.size <= ${n}.0`]),
  "R.attr.size < R.attr.limit",
  "R.attr.flag",
  "R.attr.owner == P.id",
  '"a" in R.attr.tags',
  'R.attr.tags.exists(t, t == "b")',
  'R.attr.name.startsWith("ab")',
  'R.attr.name.startsWith("a")',
  '"guest" in P.roles',
  "has(R.attr.note)",
  'R.attr.note == "x"',
];

function conditionOf(random: Random): string {
  const some = random.some(ATOMS, 1, 3).map((one) => (random.chance(0.25) ? `!(${one})` : one));
  return some.map((one) => `(${one})`).join(random.chance(0.6) ? " && " : " || ");
}

function rulesOf(random: Random, roles: readonly string[], count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => {
    const effect = random.chance(0.65) ? "EFFECT_ALLOW" : "EFFECT_DENY";
    const condition = random.chance(0.85) ? `, ${when(conditionOf(random))}` : "";
    return `name: r${i}, actions: [read], roles: [${random.pick(roles)}], effect: ${effect}${condition}`;
  });
}

function requestFrom(random: Random): PlainRequest {
  const attr = {
    state: random.pick(["draft", "active", "closed"]),
    size: random.pick([0, 1, 1.5, 2, 2.5, 3, 4]),
    limit: random.pick([0, 2, 3, 5]),
    count: 1,
    owner: random.pick(["key_1", "other"]),
    name: random.pick(["a", "ab", "abc", "x", ""]),
    tags: random.some(["a", "b", "c"], 0, 3),
    flag: random.chance(0.5),
    ...(random.chance(0.5) ? { note: random.pick(["x", "y"]) } : {}),
  };
  const request = {
    key: { id: "key_1", roles: random.some(["user", "guest", "other"], 1, 3), attr: { rank: 1 } },
    operation: "read",
    resource: { kind: "doc", id: "doc_1", attr },
    account: { id: "account_1", attr: {} },
  };
  if (random.chance(0.7)) return request;
  const place = random.pick(places(request));
  return random.chance(0.5) ? without(request, place) : random.pick([...retyped(request, place), request]);
}

/** Decides with the rules that are reported as useless, and without them. */
test("what is found in generated policies is so", async () => {
  const random = new Random(SEED);
  const counts = { sets: 0, idle: 0, conditions: 0, grants: 0, decisions: 0, allowed: 0 };
  for (; counts.sets < sized(300, 25); counts.sets++) {
    const rules = rulesOf(random, ["user", "guest", '"*"'], random.int(2, 6));
    const denials = rulesOf(random, ["account"], random.int(0, 3)).map((rule) => rule.replaceAll("P.roles", "[P.id]"));
    const platform = [...SUPPORTED, ...denials];
    const set = setOf({ rules, platform });
    const { questions, proverOf } = allQuestions([set]);
    const inquiries = questions.map(proverOf);
    for (const prover of inquiries) prover.close(set);
    const faults = await faultyRules(set, inquiries, solver);
    const grants = await forbiddenGrants(set, inquiries, () => [], solver);
    const idle = faults.filter(({ fault }) => "by" in fault);
    const left = (of: readonly string[], key: string) =>
      of.filter((_, order) => !idle.some((one) => one.policy === key && one.order === order));
    const [own, others] = [left(rules, "resource.doc.vdefault"), left(platform, "resource.doc.vplatform")];
    expect(own.length + others.length).toBe(rules.length + platform.length - idle.length);
    // A policy without rules would not load.
    const nothing = "name: nothing, actions: [nothing], roles: [nobody], effect: EFFECT_DENY";
    const fewer = setOf({ rules: [...own, nothing], platform: [...others, nothing.replace("nobody", "account")] });
    counts.idle += idle.length;
    counts.conditions += faults.length - idle.length;
    counts.grants += grants.length;
    for (let i = 0; i < REQUESTS; i++) {
      const request = requestFrom(random);
      const { outcome } = decide(set, request);
      counts.decisions++;
      if (outcome === "allow") counts.allowed++;
      const what = () => JSON.stringify({ rules, denials, faults, request });
      if (decide(fewer, request).outcome !== outcome) expect.fail(`decided otherwise: ${what()}`);
      if (grants.length > 0 && outcome === "allow") expect.fail(`allowed: ${what()}`);
    }
  }
  say(`findings: ${JSON.stringify(counts)}`);
  expect(counts.idle).toBeGreaterThan(sized(150, 10));
  expect(counts.conditions).toBeGreaterThan(sized(40, 2));
  expect(counts.grants).toBeGreaterThan(sized(10, 0));
  expect(counts.allowed).toBeGreaterThan(sized(10_000, 500));
}, 3_600_000);

const REQUESTS = 300;

describe("keyward check --prove", () => {
  const rules = [0, 1].map(
    (i) => `name: r${i}, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(`R.attr.size > ${i}.0`)}`,
  );
  const files = { "doc.yaml": policy({ rules }) };

  test("finds what the text does not show", async () => {
    const [without, proved] = await withFiles(files, async (directory) => [
      await keyward(["check", directory, "--permission-only"]),
      await keyward(["check", directory, "--permission-only", "--prove"]),
    ]);
    expect([without?.code, without?.out]).toEqual([0, ""]);
    expect(proved?.code).toBe(0);
    expect(proved?.out).toMatch(
      /doc\.yaml:7:7 note redundant_rule rule r1 changes no decision: whenever it holds, r0 decides the same \(remove it\)\n$/,
    );
  });

  test("a time limit that is none is bad usage", async () => {
    expect((await keyward(["check", SHIPPED_ROOT, "--prove", "--time-limit", "0"])).code).toBe(2);
  });

  test("a review has them too", async () => {
    const { out } = await withFiles(files, (directory) =>
      keyward(["review", directory, "--permission-only", "--prove", "--format", "json", "--date", "2026-01-01"]),
    );
    expect(JSON.parse(out).findings).toContainEqual(expect.objectContaining({ code: "redundant_rule", line: 7 }));
  });
});
