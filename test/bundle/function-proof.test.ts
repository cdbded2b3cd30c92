/** The proof of generated functions enumerates the outcomes of operands, and refutes functions that are wrong. */

import { expect, test } from "vitest";
import { planPairsOf } from "../../src/bundle/bundled-questions.js";
import { MAX_OPERANDS, proveJudge, RefutedFunction } from "../../src/bundle/function-proof.js";
import { build } from "../../src/bundle/module.js";
import { Js } from "../../src/engine/frame/js.js";
import type { MarkedOperands } from "../../src/engine/generate/draft.js";
import { generateLayer } from "../../src/engine/generate/generate.js";
import { IndexPlaces } from "../../src/engine/generate/reads.js";
import { policy, supportAll, when } from "../support/compose.js";
import { compiled, shipped } from "../support/policies.js";

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

/** The judges of a set, with a change of their texts. How many change, and how many of these are refuted? */
function judgesOf(set: Parameters<typeof planPairsOf>[0], change: (text: string) => string) {
  const counts = { changed: 0, refuted: 0 };
  for (const { permission } of planPairsOf(set)) {
    const marked: MarkedOperands = [];
    const made = permission.isSteady ? undefined : generateLayer(permission.wanted, new IndexPlaces(), marked);
    if (made === undefined) continue;
    const text = change(made.text.text);
    if (text === made.text.text) continue;
    counts.changed++;
    try {
      // Only `frame/js.ts` makes pieces of code.
      const changed: Js = Object.assign(Object.create(Js.prototype), { text });
      proveJudge(permission.wanted, { ...made, text: changed }, marked);
    } catch (error) {
      expect(error).toBeInstanceOf(RefutedFunction);
      counts.refuted++;
    }
  }
  return counts;
}

test("the functions of the shipped policies are proved, and the certificate has a hash of each", async () => {
  const { certificate } = await build(shipped);
  expect(certificate).toMatchObject({ unproved: 0, texts: expect.stringMatching(/^[0-9a-f]{64}$/) });
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
  expect(await certificateOf(expressions, body)).toMatchObject({ unproved: 0, proved: { judges: 1, combinations } });
});

test("a condition with more operands than the bound is not proved, and the others of its function are", async () => {
  for (const by of [" && ", " || "]) {
    const certificate = await certificateOf([operands(MAX_OPERANDS + 1, by), `R.attr.b == "y"`]);
    expect(certificate).toMatchObject({ unproved: 1, proved: { judges: 0, combinations: 3 } });
  }
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
  const { changed, refuted } = judgesOf(
    setOf([`R.attr.a == "x" && R.attr.b == "y"`, `R.attr.c || R.attr.d == 1`]),
    change,
  );
  expect(changed).toBeGreaterThan(0);
  expect(refuted).toBe(changed);
});
