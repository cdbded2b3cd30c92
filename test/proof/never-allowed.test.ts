/**
 * "Nobody is allowed" is never proved of a condition that some request meets: each condition of the corpus and its
 * opposite, and conditions about lists and maps that expressions make.
 *
 * @module-tag long
 */

import { afterAll, expect, test } from "vitest";
import { decide } from "../../src/index.js";
import { proveClaims } from "../../src/proof/claims/prove.js";
import { readClaims } from "../../src/proof/claims/read.js";
import { findSolver } from "../../src/solver/solver.js";
import { corpus, EXPRESSIONS, RESOURCES, requestOf, SEVERAL } from "../engine/language/corpus.js";

const solver = findSolver({ timeLimit: 300 });
afterAll(() => solver?.close());

const MANY = Array.from({ length: 70 }, (_, i) => i).join();

/** Elements, keys and members that are no data of a request: whole numbers, instants, keys that are no texts. */
const MADE = [
  `[${MANY}].exists(k, type(k) == int)`,
  `[${MANY}][1] == R.attr.x`,
  `type([${MANY}][1]) == int`,
  `R.attr.x in [${MANY}]`,
  `9007199254740993 in [${MANY}, 9007199254740993] && !(9007199254740992 in [${MANY}, 9007199254740993])`,
  `[${MANY}, {1: 2}].exists(m, type(m) == map && R.attr.x in m)`,
  `[[${MANY}], [1.0]][0].exists(k, type(k) == int)`,
  `[${MANY}, now()].exists(t, type(t) == type(now()))`,
  `[${MANY}, now()].exists(t, type(t) == type(now()) && t > timestamp("2000-01-01T00:00:00Z"))`,
  `now() in [${MANY}, now()]`,
  "{1: 2, 3: 4}.exists(k, type(k) == int)",
  "{1: 2, 3: 4}.exists(k, k / 2 == 0)",
  "{1: 2, 3: 4}.all(k, k == R.attr.x || k / 2 >= 0)",
  "{1: 2}[1] == 2 && type({1: 2}[1]) == int",
  "{-1: 2}[-1] == 2",
  "{true: 2}[true] == 2",
  "type({1: 2}[R.attr.n]) == int",
  "{true: {1: 2}}[R.attr.y].exists(k, type(k) == int)",
  '{"a": {1: 2}}["a"].exists(k, R.attr.x == k)',
  'R.attr.x in {"k": {1: 2}}.k',
  'R.attr.x in {"k": {1: 2}}["k"]',
  "R.attr.x in {1: 2}",
  "R.attr.x in {1: {1: 3}}[1]",
  "{1: {2: 3}}[1][2] / 2 == 1",
  "[{1: 2}, {3: 4}].exists(m, R.attr.x in m)",
  "[1, 2].exists(i, R.attr.x in {i: 2})",
  "R.attr.rows.exists(r, R.attr.k in r)",
  "R.attr.n in (R.attr.y == true ? {2: 1} : R.attr.m)",
  "R.attr.x in [R.attr.m, {1: 1}][1]",
  '{"a": 1}.transformMap(k, v, v).exists(k, k == "a")',
  '{"a": 1}.transformMap(k, v, v).a / 2 == 0',
  "{1: 1}.transformList(k, v, k).exists(k, type(k) == int)",
  "[1, 2].map(x, x).exists(k, type(k) == int)",
  "[1, 2].map(x, x)[0] / 2 == 0",
  "[1, 2].filter(x, x > 1).exists(k, type(k) == int)",
  "R.attr.l.map(x, int(x)).exists(k, type(k) == int)",
  "R.attr.l.map(x, int(x))[0] / 2 == 0",
  "R.attr.l.map(x, {1: 2})[0][1] == 2",
  "1 in R.attr.l.map(x, {1: 2})[0]",
  "R.attr.l.map(x, now()).all(t, type(t) == type(now()))",
  "R.attr.l.map(x, now())[0] > timestamp('2000-01-01T00:00:00Z')",
  "R.attr.tags.map(x, {x: 1}).exists(m, m.red / 2 == 0)",
  '["red".split(",")].exists(l, "red" in l)',
  '"a,b".split(",").exists(t, t == "b")',
  "[R.attr.l.map(x, int(x)), [1]].exists(l, l[0] / 2 == 0)",
];

/** Of texts that are no conditions (`P.id`) there is none. */
const opposite = (text: string) => (text.startsWith(SEVERAL) || text === "P.id" ? [] : [`!(${text})`]);
const ALL = [...EXPRESSIONS, ...MADE].flatMap((text) => [text, ...opposite(text)]);
const SIZE = 12;
const PARTS = Array.from({ length: Math.ceil(ALL.length / SIZE) }, (_, part) => {
  const texts = ALL.slice(part * SIZE, (part + 1) * SIZE);
  return [texts[0] ?? "", texts] as const;
});

const results = { met: 0, broken: 0, proved: 0 };

test.each(PARTS)("%s and the like", async (_, texts) => {
  const set = corpus(texts, false);
  const claims = texts.map((_, i) => ({ claim: `claim ${i}`, operations: `a${i}`, never: "allow" }));
  const read = readClaims("c.claims.json", JSON.stringify({ claims }));
  expect(read.issues).toEqual([]);
  const proofs = await proveClaims(set, read.claims, solver);
  if (proofs.kind === "wrong") expect.fail(JSON.stringify(proofs.issues));
  const wrong = texts.filter((_, i) => {
    const isMet = RESOURCES.some((resource) => decide(set, requestOf(i, resource)).permission.effect === "allow");
    const result = proofs.claims[i]?.result;
    if (isMet) results.met++;
    if (result === "broken") results.broken++;
    if (result === "proved") results.proved++;
    return isMet && result === "proved";
  });
  expect(wrong).toEqual([]);
});

test("most conditions that are met break the claim, and some claims are proved", () => {
  expect(results.met).toBeGreaterThan(PARTS.length * 4);
  expect(results.broken).toBeGreaterThan(results.met / 2);
  expect(results.proved).toBeGreaterThan(PARTS.length / 4);
});
