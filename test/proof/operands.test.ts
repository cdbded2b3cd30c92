/** The code of operands is proved over all requests; faults in it are refuted, or at least not proved. */

import { parseExpressionAt } from "acorn";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { marksOf, operandsOf, RefutedFunction } from "../../src/bundle/function-proof.js";
import { WrittenFunctions, type WrittenJudge } from "../../src/bundle/written-functions.js";
import { Js } from "../../src/engine/frame/js.js";
import type { PolicySet } from "../../src/index.js";
import { judgeSyntax } from "../../src/proof/operands/judge-syntax.js";
import { proveOperands } from "../../src/proof/operands/operand-proof.js";
import { replayOf } from "../../src/proof/operands/operand-replay.js";
import { findSolver, type Solver } from "../../src/solver/solver.js";
import type { RequestJson } from "../../src/space/draft.js";
import { policySet } from "../property/arbitraries/index.js";
import { policy, supportAll, when } from "../support/compose.js";
import { compiled, compiledDocuments, shipped } from "../support/policies.js";
import { SEED } from "../support/seed.js";
import { sized } from "../support/size.js";

const found = findSolver({ timeLimit: 5_000 });
if (found === undefined) throw new Error("these tests need the package z3-solver");
const prover = found;
afterAll(() => prover.close());

const VARIABLES = `variables:
  local:
    same: R.attr.a == R.attr.b
    sum: R.attr.m + 1.0
    flag: R.attr.b == "y" && R.attr.c
constants:
  local:
    word: draft
    words: [draft, live]`;

const SCHEMA = {
  type: "object",
  properties: {
    state: { enum: ["draft", "live", "gone"] },
    word: { type: "string" },
    count: { type: "integer" },
    share: { type: "number" },
    on: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    owner: { type: "object", properties: { name: { type: "string" } } },
  },
};

function judgesOf(set: PolicySet): readonly WrittenJudge[] {
  return new WrittenFunctions(set).judges;
}

function setOf(expressions: readonly string[]): PolicySet {
  const rules = expressions.map(
    (expr, i) => `name: r${i}, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}`,
  );
  const body = `schemas: { resourceSchema: { ref: "cerbos:///doc.json" } }\n${VARIABLES}`;
  return compiled([
    { path: "a.yaml", text: policy({ rules, body }) },
    { path: "_schemas/doc.json", text: JSON.stringify(SCHEMA) },
    ...supportAll("doc"),
  ]);
}

const SEARCH = "it searches a list";
const TIMES = "it computes with times";

/** Two conditions that share a variable, which is evaluated before them. */
const SUMS = "V.sum < 3.0|V.sum > 5.0";

/** Expressions of one operand, and why it is not proved; undefined: it is. */
const OPERANDS: readonly (readonly [expr: string, why?: string])[] = [
  [`R.attr.a == "x"`],
  [`R.attr.a != "x"`],
  [`R.attr.a == 3`],
  [`R.attr.a == 2.5`],
  [`R.attr.a == true`],
  [`R.attr.a == null`],
  [`R.attr.a != null`],
  [`R.attr.a`],
  [`R.attr.a == R.attr.b`],
  [`R.attr.a != P.attr.b`],
  [`P.id == R.attr.owner.name`],
  [`R.id == "r1"`],
  [`R.kind == R.attr.a`],
  [`R.attr.n < 3`],
  [`R.attr.n <= 3.5`],
  [`R.attr.n > R.attr.m`],
  [`R.attr.n >= -1`],
  [`R.attr.n + 1.0 < R.attr.m`],
  [`R.attr.n - R.attr.m > 0.0`],
  [`R.attr.n * 2.0 == 4.0`],
  [`-R.attr.n < 2.0`],
  [`R.attr.n / 2.0 < 1.0`],
  [`R.attr.n / R.attr.m < 1.0`, "a quotient of two values of the request"],
  [`R.attr.a in ["x", "y"]`],
  [`R.attr.a in [1, 2, 3]`],
  [`!(R.attr.a in ["x", "y"])`],
  [`R.attr.a in C.words`],
  [`R.attr.a == C.word`],
  [`"x" in R.attr.l`],
  [`R.attr.a in P.attr.l`],
  [`"admin" in P.roles`],
  [`R.attr.l == []`],
  [`R.attr.l == ["x"]`, "it reads elements of a list"],
  [`size(R.attr.l) > 2`],
  [`size(R.attr.a) == 0`],
  [`has(R.attr.a)`],
  [`has(R.attr.o.a)`],
  [`R.attr.o.a == "x"`],
  [`R.attr.a.startsWith("x-")`],
  [`R.attr.a.endsWith(R.attr.b)`],
  [`R.attr.a.contains("x")`],
  [`R.attr.a == "x-" + R.id`],
  [`R.attr.a ? R.attr.b == 1 : R.attr.c == 2`],
  [`(R.attr.a == "x") == R.attr.b`],
  [`["x", "y"].exists(x, R.attr.a == x)`],
  [`["x", "y"].all(x, R.attr.a != x)`],
  [`V.sum < 3.0`],
  [`V.sum > 5.0`],
  [`V.flag ? R.attr.a == "x" : V.same`],
  [`R.attr.state == "draft"`],
  [`R.attr.state in ["draft", "live"]`],
  [`R.attr.state != R.attr.word`],
  [`R.attr.count == 0`],
  [`R.attr.count < 10`],
  [`R.attr.share <= 0.5`],
  [`R.attr.on`],
  [`!R.attr.on`],
  [`R.attr.on == false`],
  [`R.attr.tags == []`],
  [`"x" in R.attr.tags`],
  [`size(R.attr.tags) > 1`],
  [`has(R.attr.word)`],
  [`hasIntersection(R.attr.l, ["x", R.id])`],
  [`hasIntersection(P.attr.l, ["x", R.id])`],
  [`hasIntersection(P.attr.l, ["*", "x-" + R.id])`],
  [`hasIntersection(P.attr.l, ["x-" + R.attr.a + "-y", "x", P.id])`],
  [`hasIntersection(R.attr.tags, ["x", "y"])`],
  [`hasIntersection(R.attr.tags, ["x-" + P.id])`],
  [`hasIntersection(R.attr.l, [])`],
  [`R.attr.tags.hasIntersection(["x", R.id])`],
  [`hasIntersection(R.attr.l, P.attr.l)`, SEARCH],
  [`R.attr.l.exists(x, x == "a")`, SEARCH],
  [`timestamp(R.attr.a) < now()`, TIMES],
  [`R.attr.ip.inIPAddrRange("10.0.0.0/8")`, "it looks up an address in a network"],
];

test("operands of every form are proved, or it is said why not", async () => {
  const found: (readonly [string, string?])[] = [];
  for (const [expr] of OPERANDS) {
    const { proved, unproved } = await proveOperands(judgesOf(setOf([expr])), prover);
    const [first] = unproved;
    found.push(
      proved === 0 && first === undefined ? [expr, "no operand"] : first === undefined ? [expr] : [expr, first.why],
    );
  }
  expect(found).toEqual(OPERANDS);
}, 120_000);

/** A judge with other code. Only `frame/js.ts` makes pieces of code. */
function withText(judge: WrittenJudge, text: string): WrittenJudge {
  const js: Js = Object.assign(Object.create(Js.prototype), { text });
  return { ...judge, made: { ...judge.made, text: js } };
}

/** A judge whose code of an operand is changed. */
interface Mutant {
  readonly judge: WrittenJudge;
  readonly mark: number;
  readonly what: string;
}

function mutantsOf(judge: WrittenJudge): readonly Mutant[] {
  const { text } = judge.made;
  const reads = [...(judgeSyntax(text.unmarked().text)?.reads.keys() ?? [])];
  return text.pieces.flatMap(({ number, code }) => {
    const whole = `\u0001${number}:${code.text}\u0002`;
    if (!text.text.includes(whole)) return [];
    return editsOf(code.text, reads).map(({ start, end, by }) => {
      const changed = `${code.text.slice(0, start)}${by}${code.text.slice(end)}`;
      const all = text.text.replace(whole, () => `\u0001${number}:${changed}\u0002`);
      return { judge: withText(judge, all), mark: number, what: changed };
    });
  });
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

const OTHER_OPERATORS: { readonly [operator: string]: readonly string[] } = {
  "===": ["!=="],
  "!==": ["==="],
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "+": ["-"],
  "-": ["+"],
  "*": ["+"],
  "/": ["*"],
  "&&": ["||"],
  "||": ["&&"],
  "&": ["|"],
  ">>": ["<<"],
};

/** Single faults: other operators, constants, names and helpers, a flag that is not set, swapped branches. */
function editsOf(code: string, reads: readonly string[]): readonly Edit[] {
  const edits: Edit[] = [];
  const text = (node: { start: number; end: number }) => code.slice(node.start, node.end);
  const replace = (node: { start: number; end: number }, by: string) =>
    text(node) === by ? 0 : edits.push({ start: node.start, end: node.end, by });
  // biome-ignore lint/suspicious/noExplicitAny: a walk over all nodes of all types.
  const walk = (node: any): void => {
    if (Array.isArray(node)) for (const one of node) walk(one);
    if (node === null || typeof node !== "object" || typeof node.type !== "string") return;
    switch (node.type) {
      case "BinaryExpression":
      case "LogicalExpression":
        for (const by of OTHER_OPERATORS[node.operator] ?? [])
          replace(node, `${text(node.left)} ${by} ${text(node.right)}`);
        replace(node, text(node.left));
        replace(node, text(node.right));
        break;
      case "UnaryExpression":
        if (node.operator === "!") replace(node, text(node.argument));
        break;
      case "ConditionalExpression":
        replace(node, `${text(node.test)} ? ${text(node.alternate)} : ${text(node.consequent)}`);
        replace(node, text(node.consequent));
        break;
      case "AssignmentExpression":
        if (node.left.name === "z") {
          replace(node, "0");
          replace(node, "z = 0");
        } else replace(node, text(node.right));
        break;
      case "SequenceExpression":
        replace(node, text(node.expressions.at(-1)));
        break;
      case "Literal":
        if (typeof node.value === "number") {
          replace(node, String(node.value + 1));
          replace(node, "1");
          replace(node, "2");
        }
        if (typeof node.value === "string")
          for (const by of ["", `${node.value}_`, "string", "number"]) replace(node, JSON.stringify(by));
        if (typeof node.value === "boolean") replace(node, String(!node.value));
        if (node.value === null) replace(node, "undefined");
        break;
      case "Identifier":
        if (/^a\d+$|^[pr][ik]$/.test(node.name)) for (const by of [...reads, "undefined", "null"]) replace(node, by);
        if (node.name === "undefined") replace(node, "null");
        if (node.name === "k") replace(node, "0");
        if (node.name === "D") replace(node, "L");
        if (node.name === "L") replace(node, "D");
        break;
      case "MemberExpression": {
        const name = text(node.property);
        if (name === "startsWith") replace(node.property, "endsWith");
        if (name === "endsWith") replace(node.property, "startsWith");
        break;
      }
      case "CallExpression":
        if (node.arguments.length > 1) {
          const [first, second, ...more] = node.arguments.map(text);
          replace(node, `${text(node.callee)}(${[second, first, ...more].join(", ")})`);
        }
    }
    for (const [key, part] of Object.entries(node)) if (key !== "type") walk(part);
  };
  walk(parseExpressionAt(code, 0, { ecmaVersion: 2022 }));
  return edits;
}

/** Values of attributes, among them those that the expressions ask about. */
const VALUES: readonly unknown[] = [
  ..."x|y|x-|x-r1|r1|k1|draft|live|gone||-x|10.0.0.1|admin".split("|"),
  ...["x".repeat(600), "y".repeat(511), 0, 1, 2, 3, 2.5, 4, -1, -0, 1e300, true, false, null],
  ...[undefined, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1n, () => 1, new Date(0), new Map()],
  ...[[], ["x"], ["x", "y"], ["x", "y", 1], ["admin", null], [Number.NaN], {}, { a: "x" }, { a: 1 }, { a: Number.NaN }],
  ...[{ a: new Date(0) }, { name: "k1" }, { name: 3 }],
];

const ATTRIBUTES = "a b c l m n o owner state word count share on tags".split(" ");

const requests = fc
  .sample(
    fc.record({
      values: fc.array(fc.constantFrom(...VALUES), { minLength: 18, maxLength: 18 }),
      id: fc.constantFrom("k1", "r1", "x"),
    }),
    { numRuns: 1_500, seed: SEED },
  )
  .map(({ values, id }) => {
    const [ofA, ofB, ofL, ...rest] = values;
    const attr: unknown = Object.fromEntries(ATTRIBUTES.map((name, i) => [name, rest[i]]));
    return {
      key: { id, roles: ["user", "admin"], attr: { a: ofA, b: ofB, l: ofL } },
      operation: "read",
      resource: { kind: "doc", id: "r1", attr },
      account: { id: "acc", attr: {} },
    } as RequestJson;
  });

/** Whether a request shows that the code is wrong. */
function isWrong({ judge, mark }: Mutant): boolean {
  const { wanted, made, operands } = judge;
  const piece = made.text.pieces.find(({ number }) => number === mark);
  const syntax = judgeSyntax(made.text.unmarked().text);
  const expr = operands[mark];
  const [{ what } = { what: undefined }] = wanted.conditions;
  if (piece === undefined || syntax === undefined || expr === undefined || what === undefined) return false;
  const differs = replayOf(judge, "key", piece, syntax, expr, what.definitions);
  return requests.some((request) => differs(request));
}

type Verdict = "proved" | "not proved" | "refuted";

async function verdictOf(judge: WrittenJudge): Promise<Verdict> {
  try {
    const { unproved } = await proveOperands([judge], prover);
    return unproved.length === 0 ? "proved" : "not proved";
  } catch (error) {
    if (error instanceof RefutedFunction) return "refuted";
    throw error;
  }
}

test("no request shows that the generated code is wrong", () => {
  for (const [expr] of OPERANDS) {
    for (const judge of judgesOf(setOf([expr]))) {
      const [condition] = judge.wanted.conditions;
      if (condition === undefined) throw new Error("no condition");
      for (const { marks } of operandsOf(condition.what, marksOf(judge.operands))) {
        expect([expr, marks.some((mark) => isWrong({ judge, mark, what: "" }))]).toEqual([expr, false]);
      }
    }
  }
});

test("no fault that a request shows is proved", { tags: "long", timeout: 600_000 }, async () => {
  const mutants = OPERANDS.flatMap(([expr, why]) =>
    why === undefined ? judgesOf(setOf([expr])).flatMap(mutantsOf) : [],
  );
  const every = Math.ceil(mutants.length / sized(3_000));
  const wrong = mutants.filter((_, i) => i % every === 0).filter((one) => isWrong(one));
  expect(wrong.length).toBeGreaterThan(sized(1_000));
  const verdicts: Verdict[] = [];
  for (const { judge, what } of wrong) {
    const verdict = await verdictOf(judge);
    if (verdict === "proved") expect(what).toBe("not proved");
    verdicts.push(verdict);
  }
  expect(verdicts.filter((one) => one === "refuted").length).toBeGreaterThan(sized(500));
});

test.each<readonly [what: string, expr: string, from: string | RegExp, to: string, verdict: Verdict]>([
  ["another order", "R.attr.n < 3", ") < (", ") <= (", "refuted"],
  ["a negation lost", `R.attr.a != "x"`, "!(a0", "(a0", "refuted"],
  ["a flag that is not set for an absent value", `R.attr.a == "x"`, "(z = 1, false)", "false", "refuted"],
  ["a flag that is not set for values that are no JSON", `R.attr.a == "x"`, "!D(a0)", "a0 === undefined", "not proved"],
  ["a flag that is not set for NaN", "R.attr.n < 3", " && a0 - a0 === 0", "", "not proved"],
  [
    "absence of values that are no JSON",
    "has(R.attr.a)",
    "(a0 !== undefined && (z = 1, false))",
    "false",
    "not proved",
  ],
  ["another constant", `R.attr.a == "x"`, `"x"`, `"y"`, "refuted"],
  ["another slot", "R.attr.a == P.attr.b", "a0 === a1", "a0 === a0", "refuted"],
  ["the other end of a text", `R.attr.a.startsWith("x")`, "startsWith", "endsWith", "refuted"],
  ["swapped branches", "R.attr.l == []", /\? (\S+ === 0) : (\(.*\))\)/, "? $2 : $1)", "not proved"],
  ["an answer without its flag", "R.attr.a == R.attr.b", "z |= t0 & 2, ", "", "refuted"],
  ["a flag that is cleared", `R.attr.a == "x"`, `(a0 === "x"`, `(z = 0, a0 === "x"`, "not proved"],
  [
    "code that the code around it tears apart",
    `R.attr.a == "x"`,
    `(\u00010:(a0 === "x" || (!D(a0) && (z = 1, false)))\u0002)`,
    `(true && \u00010:a0 === "x" || (!D(a0) && (z = 1, false))\u0002)`,
    "not proved",
  ],
  ["a temporary variable that nothing has assigned", "R.attr.n < 3", "(t1 = 3)", "t1", "not proved"],
  ["a value that is no boolean", "R.attr.a", "a0 === true", "a0 === 3 ? 3 : a0 === true", "not proved"],
  ["a constant that reads another slot", "R.attr.a == P.attr.b", "const a1 = P.s0;", "const a1 = v.s0;", "refuted"],
  ["a value that was evaluated ahead otherwise", SUMS, "+ 1", "+ 2", "not proved"],
  ["a value of the other flag", SUMS, /(t\d+) === 0 \? (t\d+)/g, "$1 !== 0 ? $2", "not proved"],
])("a fault is found: %s", async (_, expr, from, to, verdict) => {
  const [judge, ...others] = judgesOf(setOf(expr.split("|")));
  if (judge === undefined) throw new Error("no judge");
  expect(others).toEqual([]);
  const { text } = judge.made.text;
  expect(await verdictOf(judge)).toBe("proved");
  const changed = text.replace(from, to);
  expect(changed).not.toBe(text);
  expect(await verdictOf(withText(judge, changed))).toBe(verdict);
});

test("operands of the shipped policies are proved, except searches of lists", async () => {
  const { proved, unproved } = await proveOperands(judgesOf(shipped), prover);
  expect(proved).toBeGreaterThan(15);
  expect(new Set(unproved.map(({ why }) => why))).toEqual(new Set([SEARCH]));
  expect(unproved.every(({ at }) => /^permissions\/\w+\.yaml:\d+:\d+$/.test(at))).toBe(true);
});

test("of a solver that does not answer, nothing is proved", async () => {
  const silent: Solver = {
    ...prover,
    version: "0",
    ask: async () => ({ kind: "unknown", why: "no time" }),
    close() {},
  };
  const { proved, unproved } = await proveOperands(judgesOf(setOf([`R.attr.a == "x"`])), silent);
  expect([proved, unproved]).toEqual([0, [{ at: expect.stringMatching(/^a\.yaml:/), why: "no time" }]]);
});

test("most operands of generated policies are proved, and none is refuted", {
  tags: "long",
  timeout: 600_000,
}, async () => {
  let [all, proved] = [0, 0];
  for (const documents of fc.sample(policySet({ profile: "any" }), { numRuns: sized(60), seed: SEED })) {
    const proofs = await proveOperands(judgesOf(compiledDocuments(documents)), prover);
    proved += proofs.proved;
    all += proofs.proved + proofs.unproved.length;
  }
  expect(all).toBeGreaterThan(sized(300));
  expect(proved / all).toBeGreaterThan(0.6);
});
