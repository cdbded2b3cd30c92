/** The proof of generated functions enumerates the outcomes of operands, and refutes functions that are wrong. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { planPairsOf } from "../../src/bundle/bundled-questions.js";
import { isSameTree, statementsOf } from "../../src/bundle/condition-structure.js";
import { MAX_OPERANDS, marksOf, proveJudge, RefutedFunction } from "../../src/bundle/function-proof.js";
import { build } from "../../src/bundle/module.js";
import { Js } from "../../src/engine/frame/js.js";
import type { MarkedOperands } from "../../src/engine/generate/draft.js";
import { generateLayer } from "../../src/engine/generate/generate.js";
import { IndexPlaces } from "../../src/engine/generate/reads.js";
import { policySet } from "../property/arbitraries/index.js";
import { policy, supportAll, when } from "../support/compose.js";
import { importersOf } from "../support/importers.js";
import { compiled, compiledDocuments, shipped } from "../support/policies.js";
import { SEED } from "../support/seed.js";
import { sized } from "../support/size.js";

const operands = (count: number, by: string) => Array.from({ length: count }, (_, i) => `R.attr.a${i} == "x"`).join(by);

function setOf(expressions: readonly string[], body = "") {
  const rules = expressions.map(
    (expr, i) => `name: r${i}, actions: [read], roles: [user], effect: EFFECT_ALLOW, ${when(expr)}`,
  );
  return compiled([{ path: "a.yaml", text: policy({ rules, body }) }, ...supportAll("doc")]);
}

async function certificateOf(expressions: readonly string[], body = "") {
  return (await build(setOf(expressions, body))).certificate;
}

/** The proofs of the judges of a set, with a change of their texts; only of those that change. */
function proofsOf(
  set: Parameters<typeof planPairsOf>[0],
  change: (text: string) => string,
): readonly (() => ReturnType<typeof proveJudge>)[] {
  return [...planPairsOf(set)].flatMap(({ permission }) => {
    const marked: MarkedOperands = [];
    const made = permission.isSteady ? undefined : generateLayer(permission.wanted, new IndexPlaces(), marked);
    const text = made && change(made.text.text);
    if (made === undefined || text === made.text.text) return [];
    // Only `frame/js.ts` makes pieces of code.
    const changed: Js = Object.assign(Object.create(Js.prototype), { text });
    return [() => proveJudge(permission.wanted, { ...made, text: changed }, marked)];
  });
}

test("the functions of the shipped policies are proved, and the certificate has a hash of each", async () => {
  const { certificate } = await build(shipped);
  expect(certificate).toMatchObject({ unproved: [], texts: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(certificate.functions.every((hash) => /^[0-9a-f]{64}$/.test(hash))).toBe(true);
  expect(certificate.proved.judges).toBeGreaterThan(20);
  expect(certificate.proved.combinations).toBeGreaterThan(1_000);
});

test.each([
  ["one operand", [`R.attr.a == "x"`], "", 3],
  ["operands of `&&`, `||` and `!`", [`R.attr.a == "x" || !(R.attr.b == "y" && R.attr.c)`], "", 27],
  ["the same operand twice is two", [`R.attr.a == "x" || R.attr.a == "x"`], "", 9],
  [
    "a conditional and a macro are one operand each",
    ["R.attr.a ? R.attr.b == 1 : false", `R.attr.l.exists(x, x == "a" && R.attr.b)`],
    "",
    6,
  ],
  [
    "variables stand for their definitions",
    ["V.both && R.attr.c", "!V.both"],
    'variables:\n  local:\n    both: R.attr.a == "x" && R.attr.b',
    36,
  ],
  ["as many as the bound", [operands(MAX_OPERANDS, " && ")], "", 3 ** MAX_OPERANDS],
])("combinations: %s", async (_, expressions, body, combinations) => {
  expect(await certificateOf(expressions, body)).toMatchObject({
    unproved: [],
    proved: { judges: 1, combinations, compared: 0 },
  });
});

const MANY = 2 * MAX_OPERANDS;

/** A pattern of the code of an operand. */
const operandOf = (number: number) => `\u0001${number}:[^\u0002]*\u0002`;

test.each<readonly [what: string, expressions: readonly string[], body: string, compared: number]>([
  ["a conjunction", [operands(MANY, " && ")], "", 1],
  ["a disjunction, and a short condition beside it", [operands(MANY, " || "), `R.attr.b == "y"`], "", 1],
  ["three hundred operands", [operands(300, " || ")], "", 1],
  [
    "more conditions than a word has bits",
    Array.from({ length: 60 }, (_, i) => `(${operands(MANY, " || ")}) && R.attr.c${i}`),
    "",
    60,
  ],
  [
    "junctions within others, and negations",
    [`!(${operands(5, " && ")}) || (${operands(5, " || ")} || !R.attr.b) && !!(R.attr.c || R.attr.d == 1)`],
    "",
    1,
  ],
  [
    "variables, once and twice, in variables",
    [
      `V.some && (R.attr.b || V.all) || V.some && !V.all || ${operands(MANY, " && ")}`,
      `V.once || ${operands(9, " || ")}`,
    ],
    `variables:\n  local:\n    some: ${operands(4, " || ")}\n    all: V.some && ${operands(4, " && ")}\n    once: R.attr.c && R.attr.d`,
    2,
  ],
])("a condition with more operands is compared node by node: %s", async (_, expressions, body, compared) => {
  expect(await certificateOf(expressions, body)).toMatchObject({ unproved: [], proved: { judges: 1, compared } });
});

test("`all`, `any` and `none` are compared node by node", async () => {
  const members = (name: string) => Array.from({ length: 6 }, (_, i) => `{ expr: R.attr.${name}${i} == "x" }`).join();
  const match = `all: { of: [{ none: { of: [${members("a")}] } }, { any: { of: [${members("b")}] } }] }`;
  const rule = `name: r, actions: [read], roles: [user], effect: EFFECT_ALLOW, condition: { match: { ${match} } }`;
  const set = compiled([{ path: "a.yaml", text: policy({ rules: [rule] }) }, ...supportAll("doc")]);
  const { certificate } = await build(set);
  expect(certificate).toMatchObject({ unproved: [], proved: { judges: 1, combinations: 0, compared: 1 } });
});

test.each([
  ["one operand", "R.attr.a == C.word", "V.shared", { combinations: 6 }],
  [
    "many operands, evaluated ahead",
    `R.attr.a == C.word && ${operands(MANY, " && ")}`,
    "V.shared || !V.shared",
    { compared: 2 },
  ],
])("an exported variable is another one for each importer: %s", async (_, shared, read, proved) => {
  const set = importersOf(shared, read);
  expect((await build(set)).certificate).toMatchObject({ unproved: [], proved: { judges: 1, ...proved } });
});

test("code with the operand of another importer is refuted", () => {
  const [first, second] = ["draft", "live"].map((word) => new RegExp(`\u0001\\d:[^\u0002]*"${word}"[^\u0002]*\u0002`));
  const [proof] = proofsOf(importersOf("R.attr.a == C.word"), (text) =>
    text.replace(second ?? "", first?.exec(text)?.[0] ?? ""),
  );
  expect(proof).toThrow(RefutedFunction);
});

test("code that reads the variable of another importer is refuted", () => {
  const set = importersOf(`R.attr.a == C.word && ${operands(MANY, " && ")}`, "V.shared || !V.shared");
  const read = (number: number) => `(t${number + 1} === 0 ? t${number} : (z = 1, t${number}))`;
  const [proof] = proofsOf(set, (text) => text.replaceAll(read(2), read(0)));
  expect(proof).toThrow(RefutedFunction);
});

test("the code of every condition of generated policies is the condition, node by node", () => {
  let compared = 0;
  for (const documents of fc.sample(policySet({ profile: "any" }), { numRuns: sized(100), seed: SEED })) {
    for (const { permission } of planPairsOf(compiledDocuments(documents))) {
      const { wanted } = permission;
      const marked: MarkedOperands = [];
      const made = permission.isSteady ? undefined : generateLayer(wanted, new IndexPlaces(), marked);
      if (made === undefined) continue;
      const statements = statementsOf(made.text);
      for (const [index, { what }] of wanted.conditions.entries()) {
        if (made.left.includes(index)) continue;
        compared++;
        const isSame =
          statements !== undefined && isSameTree(what, index, statements, marksOf(marked, what.definitions));
        if (!isSame) expect({ at: what.at, documents }).toBe("the same tree");
      }
    }
  }
  expect(compared).toBeGreaterThan(sized(1_000));
});

test.each<readonly [what: string, change: (text: string) => string]>([
  [
    "two operands are swapped",
    (text) => text.replace(new RegExp(`(${operandOf(0)}) && (${operandOf(1)})`), "$2 && $1"),
  ],
  ["a group", (text) => text.replace(new RegExp(`\\(${operandOf(0)} && ${operandOf(1)}\\)`), "($&)")],
  ["a constant in front", (text) => text.replace("\nif ((", "\nif (true && ((").replace(") h += 1", ")) h += 1")],
  ["code between statements", (text) => text.replace("\nif (z !== 0)", "\nz |= 0;\nif (z !== 0)")],
  ["a second statement for the bit", (text) => text.replace("\nif (z !== 0)", "\nif (false) h += 1;\nif (z !== 0)")],
  ["locals of another form", (text) => text.replace("let h = 0, z = 0", "let h = 0, z = (0)")],
])("code of another form is not proved: %s", (_, change) => {
  const [proof] = proofsOf(setOf([operands(MANY, " && ")]), change);
  const why = `it has ${MANY} operands, and code of another form`;
  expect(proof?.()).toEqual({ combinations: 0, compared: 0, unproved: [{ at: "a.yaml:6:7", why }] });
});

test.each<readonly [what: string, change: (text: string) => string]>([
  ["another junction", (text) => text.replace(" && \u0001", " || \u0001")],
  ["an operand left out", (text) => text.replace(new RegExp(`${operandOf(0)} && `), "")],
  ["the operand of another place", (text) => text.replace("\u00011:", "\u00010:")],
  ["the flag is forgotten", (text) => text.replace("if (z !== 0) return (-1);", "")],
])("code with many operands is refuted with %s", (_, change) => {
  const [proof, ...others] = proofsOf(setOf([operands(MANY, " && ")]), change);
  expect(others).toEqual([]);
  expect(proof).toThrow(RefutedFunction);
});

test.each<readonly [what: string, change: (text: string) => string]>([
  ["the read of another", (text) => text.replace("(t3 === 0 ? t2 : (z = 1, t2))", "(t1 === 0 ? t0 : (z = 1, t0))")],
  [
    "the code of another",
    (text) => text.replace(/t0 = (.*);\nt1 = z;\nz = 0;\nt2 = (.*);/, "t0 = $2;\nt1 = z;\nz = 0;\nt2 = $1;"),
  ],
])("code with variables that are evaluated ahead is not proved with %s", (_, change) => {
  const body = "variables:\n  local:\n    both: R.attr.b && R.attr.c\n    one: R.attr.b || R.attr.c";
  const set = setOf([`V.both && V.one || !V.both && !V.one || ${operands(MANY, " && ")}`], body);
  const [proof, ...others] = proofsOf(set, change);
  expect(others).toEqual([]);
  expect(proof?.()).toMatchObject({ compared: 0, unproved: [{ at: "a.yaml:10:7" }] });
});

test.each<readonly [what: string, change: (text: string) => string]>([
  ["another junction", (text) => text.replace(" && \u0001", " || \u0001")],
  ["a negation more", (text) => text.replace(/if \((?!z)/g, "if (!")],
  ["another bit", (text) => text.replace("h += 1;", "h += 2;")],
  ["a condition that is left out", (text) => text.replace("h += 1;", "")],
  [
    "the flag is forgotten",
    (text) => text.replace("if (z !== 0) return (-1);", "").replace(/if \(z !== 0\) \{/, "if (false) {"),
  ],
  ["a set at once", (text) => text.replace("let h = 0", "return 1; let h = 0")],
  ["no set at all", (text) => text.replace("let h = 0", "return (-1); let h = 0")],
  ["the operand of another place", (text) => text.replace("\u00011:", "\u00010:")],
])("a function is refuted with %s", (_, change) => {
  const proofs = proofsOf(setOf([`R.attr.a == "x" && R.attr.b == "y"`, `R.attr.c || R.attr.d == 1`]), change);
  expect(proofs.length).toBeGreaterThan(0);
  for (const proof of proofs) expect(proof).toThrow(RefutedFunction);
});
