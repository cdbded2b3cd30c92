/**
 * No single call takes long: its reads and results cost steps, and it is refused when the budget is spent. So the work
 * of a call is bounded for any arguments; its duration depends only on the machine.
 *
 * @module-tag long
 */

import { describe, expect, test } from "vitest";
import { Evaluation } from "../../../src/cel/evaluation.js";
import { type CelValue, isList, NONE } from "../../../src/cel/values.js";
import { STEP_BUDGET } from "../../../src/limits.js";
import { watched } from "../../support/work.js";
import { callIn } from "./support.js";

const TEXT = "ab,".repeat(3_333_334);
const NUMBERS: readonly CelValue[] = Array.from({ length: 100_000 }, (_, i) => i);
const OTHERS: readonly CelValue[] = Array.from({ length: 100_000 }, (_, i) => -1 - i);
const TEXTS: readonly CelValue[] = Array.from({ length: 100_000 }, (_, i) => `text ${i}`);
const MIXED: readonly CelValue[] = Array.from({ length: 100_000 }, (_, i) => (i % 2 === 0 ? `text ${i}` : true));
/** The length makes the product of two lengths a multiple of 2 ** 32; the values must be compared one by one. */
const PAIRED: readonly CelValue[] = Array.from({ length: 65_536 }, (_, i) => (i % 2 === 0 ? `text ${i}` : -1 - i));
const LONG: readonly CelValue[] = Array.from({ length: 1_000 }, (_, i) => "x".repeat(10_000) + i);

const CALLS: readonly (readonly [string, "global" | "member", ...CelValue[]])[] = [
  ["contains", "member", TEXT, "zzz"],
  ["contains", "member", "a".repeat(1_000_000), `b${"a".repeat(5_000)}`],
  ["indexOf", "member", TEXT, "zzz"],
  ["lastIndexOf", "member", TEXT, "zzz"],
  ["matches", "member", TEXT, "(a|b|,)*z"],
  ["matches", "member", "ab".repeat(5_000), "a[ab]{60}c"],
  ["matches", "member", "a", "((a{30}){30}|b){1,1}"],
  ["replace", "member", TEXT, ",", "xxxxxxxxxxxxxxxxxxxxxxxxxxxx"],
  ["replace", "member", "a".repeat(100_000), "", "x".repeat(1_000)],
  ["split", "member", TEXT, ","],
  ["split", "member", TEXT, ""],
  ["split", "member", "a".repeat(1_000_000), ""],
  ["reverse", "member", TEXT],
  ["lowerAscii", "member", TEXT.toUpperCase()],
  ["strings.quote", "global", TEXT],
  ["trim", "member", TEXT],
  ["substring", "member", TEXT, 9_000_000n],
  ["charAt", "member", TEXT, 9_000_000n],
  ["format", "member", TEXT, [1n]],
  ["format", "member", "%x", [TEXT]],
  ["format", "member", "%s", [NUMBERS]],
  ["format", "member", "%.100f".repeat(2_000), Array.from({ length: 2_000 }, () => 1e-300)],
  ["join", "member", TEXTS, "x".repeat(10_000)],
  ["join", "member", TEXTS, ","],
  ["join", "member", PAIRED, "x".repeat(65_536)],
  ["size", "global", TEXT],
  ["bytes", "global", TEXT],
  ["_+_", "global", TEXT, TEXT],
  ["_+_", "global", NUMBERS, NUMBERS],
  ["_<_", "global", `${TEXT}a`, `${TEXT}b`],
  ["_==_", "global", `${TEXT}a`, `${TEXT}b`],
  ["_==_", "global", [...TEXTS], [...TEXTS]],
  ["_==_", "global", [...NUMBERS], [...NUMBERS]],
  ["@in", "global", "no", TEXTS],
  ["@in", "global", -1n, NUMBERS],
  ["@in", "global", `${"x".repeat(10_000)}!`, LONG],
  ["@in", "global", [1n], NUMBERS.map((n) => [n])],
  ["sets.contains", "global", NUMBERS, OTHERS],
  ["sets.equivalent", "global", TEXTS, TEXTS],
  ["sets.intersects", "global", TEXTS, MIXED],
  ["sets.contains", "global", PAIRED, PAIRED],
  ["sets.contains", "global", PAIRED.slice(0, 46_341), PAIRED.slice(0, 46_341)],
  ["sets.intersects", "global", PAIRED, MIXED.slice(0, 65_536)],
  ["optional.unwrap", "global", Array.from({ length: 2_000_000 }, () => NONE)],
  ["regex.extract", "global", TEXT, "(a|b|,)*z"],
  ["regex.extract", "global", "a".repeat(100_000), "(a*)*$"],
  ["regex.extractAll", "global", TEXT, "[ab]"],
  // Each search reads to the end before it takes one character.
  ["regex.extractAll", "global", "a".repeat(100_000), "a+$b|a"],
  ["regex.replace", "global", TEXT, "", "x".repeat(1_000)],
  ["regex.replace", "global", "a".repeat(10_000), "a*", "\\0".repeat(100_000)],
  ["regex.replace", "global", "a".repeat(10_000), "((a{30}){30}|b){1,1}", "x", 3n],
  ["json.encode", "global", TEXT],
  ["json.encode", "global", NUMBERS],
  ["json.parse", "global", JSON.stringify(NUMBERS)],
  ["yaml.encode", "global", NUMBERS],
  ["yaml.parse", "global", JSON.stringify(NUMBERS)],
  ["hasIntersection", "global", NUMBERS, OTHERS],
  ["hasIntersection", "global", TEXTS, MIXED],
  ["hasIntersection", "global", MIXED, MIXED],
  ["hasIntersection", "global", PAIRED, [...PAIRED.slice(1), true]],
  ["isSubset", "global", TEXTS, TEXTS],
  ["intersect", "global", LONG, [...LONG]],
  ["except", "global", MIXED, MIXED],
  ["sort", "member", TEXTS],
  ["sort", "member", OTHERS],
  ["sort", "member", LONG],
  ["distinct", "member", MIXED],
  ["distinct", "member", TEXTS],
  ["distinct", "member", PAIRED],
  ["reverse", "member", NUMBERS],
  ["slice", "member", NUMBERS, 0n, 100_000n],
  ["flatten", "member", NUMBERS.map((n) => [n])],
  ["lists.range", "global", 1_000_000_000n],
  ["lists.range", "global", 300_000n],
  ["math.@max", "global", NUMBERS],
  ["base64.decode", "global", "AAAA".repeat(2_500_000)],
  ["base64.encode", "global", new Uint8Array(10_000_000)],
  ["string", "global", new Uint8Array(10_000_000)],
  ["hierarchy", "global", TEXT, ","],
  ["pathMatch", "global", "a".repeat(30_000), "*a".repeat(15_000)],
];

/** Longer than any value of these types: refused by length alone, at no cost. */
const TOO_LONG: typeof CALLS = [
  ["int", "global", "1".repeat(10_000_000)],
  ["double", "global", "1".repeat(10_000_000)],
  ["timestamp", "global", `2024-01-01T00:00:00.${"1".repeat(10_000_000)}Z`],
  ["duration", "global", `${"1".repeat(10_000_000)}s`],
  ["spiffeID", "global", `spiffe://a/${"b/".repeat(5_000_000)}b`],
  ["inIPAddrRange", "member", TEXT, TEXT],
];

/** One step pays for this many characters or bytes, or for comparing two texts of half that length. */
const CHARACTERS = 1_024;
/** One step pays for reading this many elements. */
const ELEMENTS = 16;

/** Functions that put texts into sets and so read their hashes; JavaScript engines compute a text's hash once. */
const HASHING: ReadonlySet<string> = new Set(["intersect"]);

/** The characters and bytes of a value, including those of a list's elements. */
function sizeOf(value: CelValue): number {
  if (typeof value === "string" || value instanceof Uint8Array) return value.length;
  return isList(value) ? value.reduce<number>((size, element) => size + sizeOf(element), 0) : 0;
}

class Unpaid extends Error {}

const casesOf = (calls: typeof CALLS) => calls.map(([name, style, ...args]) => ({ name, style, args }));

describe("what is looked at and made is paid for, or the call is refused", () => {
  test.each(casesOf(CALLS))("$name", ({ name, style, args }) => {
    const ev = new Evaluation();
    const spent = () => STEP_BUDGET - ev.steps;
    let read = 0;
    const onRead = () => {
      // Stops unpaid work, which might otherwise run for years.
      if (++read > ELEMENTS * STEP_BUDGET) throw new Unpaid(`${read} elements for ${spent()} steps`);
    };
    const result = callIn(ev, name, style, ...args.map((arg) => (isList(arg) ? watched(arg, onRead) : arg)));
    if (result === undefined) {
      expect([ev.fault, ev.steps < 0]).toEqual(["step budget exhausted", true]);
      return;
    }
    expect(ev.steps).toBeGreaterThanOrEqual(0);
    expect(read).toBeLessThanOrEqual(ELEMENTS * spent());
    if (HASHING.has(name)) return;
    const size = args.reduce<number>((sum, arg) => sum + sizeOf(arg), 0);
    expect(size, "characters looked at").toBeLessThanOrEqual(CHARACTERS * (spent() + 1));
    expect(sizeOf(result), "characters made").toBeLessThanOrEqual(CHARACTERS * (spent() + 1));
  });

  test.each(casesOf(TOO_LONG))("$name of a text that is too long", ({ name, style, args }) => {
    const ev = new Evaluation();
    expect(callIn(ev, name, style, ...args)).toBeUndefined();
    expect(ev.fault).toMatch(/^(?:type conversion error|failed to parse SPIFFE ID: too long|invalid IP address)/);
    expect(ev.fault.length).toBeLessThan(200);
    expect(STEP_BUDGET - ev.steps).toBeLessThanOrEqual(30);
  });
});
