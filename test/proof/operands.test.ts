/** The code of operands is proved over all requests; faults in it are refuted, or at least not proved. */

import { parse } from "acorn";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { RefutedFunction } from "../../src/bundle/function-proof.js";
import { WrittenFunctions, type WrittenJudge } from "../../src/bundle/written-functions.js";
import { type Code, type CompileEnv, compile, Slots } from "../../src/cel/compile.js";
import { FUNCTIONS } from "../../src/cel/functions/registry.js";
import type { JsonMap } from "../../src/cel/values.js";
import { Activation } from "../../src/engine/evaluate/activation.js";
import {
  ALL_NAMES,
  copiedPrincipal,
  copiedResource,
  keptFrame,
  principalFrame,
  resourceFrame,
} from "../../src/engine/frame/frame.js";
import { Js } from "../../src/engine/frame/js.js";
import { compileText, type GeneratedReader, generateReader } from "../../src/engine/generate/generate.js";
import { functionOf, NO_SET } from "../../src/engine/generate/written.js";
import type { PolicySet } from "../../src/index.js";
import { judgeSyntax } from "../../src/proof/operands/judge-syntax.js";
import { proveOperands } from "../../src/proof/operands/operand-proof.js";
import { findSolver, type Solver } from "../../src/solver/solver.js";
import { policySet } from "../property/arbitraries/index.js";
import { policy, supportAll, when } from "../support/compose.js";
import { importersOf } from "../support/importers.js";
import { compiled, compiledDocuments, shipped } from "../support/policies.js";
import { SEED } from "../support/seed.js";
import { sized } from "../support/size.js";

function solverOf(timeLimit: number): Solver {
  const found = findSolver({ timeLimit });
  if (found === undefined) throw new Error("these tests need the package z3-solver");
  return found;
}

const prover = solverOf(60_000);
/** For faults, which it need not refute. */
const hasty = solverOf(300);
/** It proves what it proves without a look into texts, and finds no request. That is fast for searches. */
const blind: Solver = {
  version: hasty.version,
  timeLimit: hasty.timeLimit,
  ask: async (query) => (query.texts === "whole" ? { kind: "unknown", why: "not asked" } : await hasty.ask(query)),
  close() {},
};
afterAll(() => {
  for (const one of [prover, hasty]) one.close();
});

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

const STATE = 'R.attr.state != "draft"';

/** The list of a key, which has no declared type here: see `setOf`. */
const TAGS = 'hasIntersection(P.attr.l, ["x", "y"])';

/** Two conditions that share a variable, which is evaluated before them. */
const SUMS = "V.sum < 3.0|V.sum > 5.0";

/** The function that searches this list answers 3, with both bits, for one of other elements than texts. */
const INTERSECTION = 'hasIntersection(R.attr.tags, ["x", "y"])';

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

/** Judges with a fault in the code of an operand, in a function beside the judge, or in an index. */
function mutantsOf(judge: WrittenJudge): readonly string[] {
  const { text, pieces } = judge.made.text;
  const reads = [...(judgeSyntax(judge.made.text.unmarked().text)?.reads.keys() ?? [])];
  const parts = [
    ...pieces.map(({ code }) => code.text),
    ...(text.match(/^function f\d+[\s\S]*?\nreturn c \* 4;\n\}$/gm) ?? []),
    ...(text.match(/(?<== )p\.indexes === null.*(?=;)/g) ?? []),
  ];
  return parts.flatMap((part) => {
    const at = text.indexOf(part);
    if (at < 0) return [];
    return editsOf(part, reads).map(({ start, end, by }) => `${text.slice(0, at + start)}${by}${text.slice(at + end)}`);
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
          for (const by of [0, 1, 2, 3]) replace(node, String(by));
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
    // Other heads of loops might not end.
    if (node.type === "ForStatement") walk(node.body);
    else for (const [key, part] of Object.entries(node)) if (key !== "type") walk(part);
  };
  walk(parse(code, { ecmaVersion: 2022, allowReturnOutsideFunction: true }).body);
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
      key: { id, roles: ["user", "admin"], attr: { a: ofA, b: ofB, l: ofL } as JsonMap },
      operation: "read",
      resource: { kind: "doc", id: "r1", attr: attr as JsonMap },
    };
  });

/**
 * Whether a request shows that the judge of one condition is wrong. It runs as in decisions, for a frame of one request
 * and for a kept one, which has indexes.
 */
function isWrong({ wanted, made }: WrittenJudge): boolean {
  const types = [wanted.types];
  const functionIn = (text: Js, checks: GeneratedReader["checks"] = []) => {
    const factory = compileText(text);
    if (factory === undefined) throw new Error("no code");
    return functionOf(factory, checks, types);
  };
  const judge = functionIn(made.text);
  const readPrincipal = functionIn(made.reader.text, made.reader.checks);
  const reader = generateReader([made.resource], false, true);
  const readResource = functionIn(reader.text, reader.checks);
  const [{ what } = { what: undefined }] = wanted.conditions;
  if (what?.condition?.kind !== "expr") throw new Error("no condition");
  const variables = new Map<string, Code>();
  const { constants, variables: defined } = what.definitions;
  const env: CompileEnv = { functions: FUNCTIONS, variables, constants, slots: new Slots() };
  for (const [name, { expr }] of defined) variables.set(name, compile(expr, env));
  const closure = compile(what.condition.expr.expr, env);
  return requests.some(({ key, resource }) => {
    const once = principalFrame("key", key.id, key.roles, key.attr, "");
    const r = resourceFrame(resource.kind, resource.id, resource.attr, "");
    const [principal, row] = [copiedPrincipal(once, ALL_NAMES), copiedResource(r, ALL_NAMES)];
    if (principal === undefined || row === undefined) throw new Error("no copy");
    const activation = new Activation();
    activation.begin(principal, row, undefined, {}, wanted.types);
    const expected = closure(activation);
    readResource(r, r.attr);
    const kept = keptFrame({ ...once, attr: principal.attr });
    return [once, kept].some((frame) => {
      readPrincipal(frame, frame.attr);
      const found = resultOf(() => judge(frame, r, r.first, undefined));
      return found !== NO_SET && (typeof expected !== "boolean" || found !== Number(expected));
    });
  });
}

/** The result of code, or a text if it throws. */
function resultOf(run: () => unknown): unknown {
  try {
    return run();
  } catch {
    return "it throws";
  }
}

type Verdict = "proved" | "not proved" | "refuted";

async function verdictOf(judge: WrittenJudge, solver = prover): Promise<Verdict> {
  try {
    const { unproved } = await proveOperands([judge], solver);
    return unproved.length === 0 ? "proved" : "not proved";
  } catch (error) {
    if (error instanceof RefutedFunction) return "refuted";
    throw error;
  }
}

test("no request shows that the generated code is wrong", () => {
  for (const [expr] of OPERANDS) {
    for (const judge of judgesOf(setOf([expr]))) {
      expect([expr, isWrong(withText(judge, judge.made.text.unmarked().text))]).toEqual([expr, false]);
    }
  }
});

test("no fault that a request shows is proved", { tags: "long", timeout: 1_200_000 }, async () => {
  const mutants = OPERANDS.flatMap(([expr, why]) =>
    why === undefined
      ? judgesOf(setOf([expr])).flatMap((judge) => mutantsOf(judge).map((text) => ({ judge, text })))
      : [],
  );
  const every = Math.ceil(mutants.length / sized(5_000));
  let wrong = 0;
  const verdicts: Verdict[] = [];
  for (const [i, { judge, text }] of mutants.entries()) {
    if (i % every !== 0) continue;
    const code = withText(judge, text).made.text.unmarked().text;
    // Some changes are no JavaScript.
    if (judgeSyntax(code) === undefined || !isWrong(withText(judge, code))) continue;
    wrong++;
    const verdict = await verdictOf(withText(judge, text), text.includes("\nfor (") ? blind : hasty);
    if (verdict === "proved") expect(text).toBe("not proved");
    verdicts.push(verdict);
  }
  expect(wrong).toBeGreaterThan(sized(1_400));
  expect(verdicts.filter((one) => one === "refuted").length).toBeGreaterThan(sized(400));
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
  ["an answer that asks beside its lowest bit", INTERSECTION, ") === 1", ") === 3", "not proved"],
  ["an answer of which one bit is read", INTERSECTION, ") === 1", " & 1) === 1", "not proved"],
  ["an answer that asks, taken for a free one", INTERSECTION, "!== 0", "!== 3", "not proved"],
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
  ["a frame with values of other types", STATE, "if (P.k < 0 || v.k < 0) return (-1);", "", "not proved"],
  ["a resource with values of other types", STATE, "P.k < 0 || v.k < 0", "P.k < 0", "not proved"],
  ["the slots of the resource as those of the key", STATE, "const P = p.values", "const P = v", "not proved"],
  ["a statement before the others", STATE, "\nlet ", "\nv.s0 = 1;\nlet ", "not proved"],
  ["a changed frame", STATE, "h += 1;", "h += (v.s0 = 1);", "not proved"],
  ["a changed slot", STATE, "h += 1;", "h += v.s0++;", "not proved"],
  ["a slot that is deleted", STATE, "h += 1;", "h += delete v.s0;", "not proved"],
  ["a list that is replaced without a search", TAGS, "t1 === 3 && p.indexes", "p.indexes", "not proved"],
  ["a search that reads the flag", TAGS, "if (w === 1 &&", "if (z === 0 && w === 1 &&", "not proved"],
  ["another list that is replaced", TAGS, "P.s0 = NT", "P.s1 = NT", "not proved"],
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

test("of two lists, or two searches, with indexes in one place, none is proved by its index", async () => {
  for (const expr of [TAGS.replaceAll("P.attr.l", "P.attr.a"), 'hasIntersection(P.attr.l, ["z"])']) {
    const [judge] = judgesOf(setOf([TAGS, expr]));
    if (judge === undefined) throw new Error("no judge");
    const { text } = judge.made.text;
    expect(await verdictOf(judge)).toBe("proved");
    const changed = text.replaceAll("p.indexes, 1", "p.indexes, 0");
    expect(changed).not.toBe(text);
    expect(await verdictOf(withText(judge, changed))).toBe("not proved");
  }
});

test("an exported variable is proved for each importer, by its own constants", async () => {
  const [judge, ...others] = judgesOf(importersOf("R.attr.a == C.word"));
  if (judge === undefined) throw new Error("no judge");
  expect(others).toEqual([]);
  expect(await verdictOf(judge)).toBe("proved");
  const { text } = judge.made.text;
  expect(await verdictOf(withText(judge, text.replace('"live"', '"draft"')))).toBe("refuted");
  expect(await verdictOf(withText(judge, text.replace('"draft"', '"live"')))).toBe("refuted");
});

test("all operands of the shipped policies are proved", async () => {
  const { proved, unproved } = await proveOperands(judgesOf(shipped), prover);
  expect(unproved).toEqual([]);
  expect(proved).toBeGreaterThan(30);
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
