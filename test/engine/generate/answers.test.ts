/** The results of helpers of generated functions: 0 for no, 1 for yes, 2 for undecided, plus 4 for each step. */

import { describe, expect, test } from "vitest";
import { LONG_LIST, LONG_TEXT, MAX_COUNTED, MAX_FIXED } from "../../../src/engine/frame/budget.js";
import * as answers from "../../../src/engine/generate/answers.js";

const { has, indexOf, isAmong, isBuilt, ITEM_COST, listOf, meet, within } = answers;

const [NO, YES, ASK, STEP] = [0, 1, 2, 4];
/** The most steps that a helper may count. */
const MOST = 25_000;

const text = (length: number, character = "x") => character.repeat(length);
const list = (length: number, last = "a") => [...Array.from({ length: length - 1 }, (_, i) => `t${i}`), last];

test("what is long, and what may be counted", () => {
  expect({ LONG_LIST, LONG_TEXT, MAX_COUNTED, MAX_FIXED, ITEM_COST }).toEqual({
    ...{ LONG_LIST: 64, LONG_TEXT: 512, MAX_COUNTED: MOST, MAX_FIXED: MOST, ITEM_COST: 9 },
  });
});

type Case = readonly [given: readonly unknown[], answer: number];

const ONE_TO_EIGHT = ["1", "2", "3", "4", "5", "6", "7", "8"];
const TEN = (10 << 24) | 0;

const CASES: { readonly [name in "same" | "has" | "meet" | "within" | "contains" | "inRange"]: readonly Case[] } = {
  same: [
    ...([
      [["a", "a", MOST], YES],
      [["a", "b", 0], NO],
      [["a", 1, 0], ASK],
      [[1, "a", 0], ASK],
    ] as const),
    ...([
      [[1, 1, 0], YES],
      [[1, 2, 0], NO],
      [[0, -0, 0], YES],
      [[1, Number.NaN, 0], ASK],
      [[1, null, 0], ASK],
    ] as const),
    ...([
      [[Number.NaN, 1, 0], ASK],
      [[Infinity, Infinity, 0], ASK],
      [[1, Infinity, 0], ASK],
      [[1, true, 0], ASK],
    ] as const),
    ...([
      [[true, true, 0], YES],
      [[true, false, 0], NO],
      [[false, 0, 0], ASK],
      [[null, true, 0], ASK],
    ] as const),
    ...([
      [[null, null, 0], ASK],
      [[undefined, undefined, 0], ASK],
      [[[], [], 0], ASK],
    ] as const),
    // From 512 characters on, a text costs a step for each 512.
    [[text(511), text(511), MOST], YES],
    [[text(511), text(511, "y"), MOST], NO],
    [[text(511), text(512), MOST], NO],
    [[text(512), text(513), MOST], NO],
    [[text(512), text(512), 0], YES + STEP],
    [[text(512), text(512), MOST - 1], YES + STEP],
    [[text(512), text(512), MOST], ASK],
    [[text(1023), text(1023), 0], YES + STEP],
    [[text(1024), text(1024, "y"), 0], NO + 2 * STEP],
  ],
  has: [
    ...([
      [[["b", "a"], MOST, "a"], YES],
      [[["b"], MOST, "a"], NO],
      [["a", 0, "a"], ASK],
      [[{ 0: "a" }, 0, "a"], ASK],
    ] as const),
    ...([
      [[[text(511)], 0, text(511)], YES],
      [[[text(512)], 0, text(512)], ASK],
      [[[1, null, "a"], 0, "a"], YES],
    ] as const),
    // From 64 elements on, a list costs a step for each 8.
    [[list(63), MOST, "a"], YES],
    [[list(63), MOST, "b"], NO],
    [[list(64), MOST - 8, "a"], YES + 8 * STEP],
    [[list(64), MOST - 8, "b"], NO + 8 * STEP],
    [[list(64), 0, "t0"], YES + 8 * STEP],
    [[list(64), MOST - 7, "a"], ASK],
    [[list(71), 0, "a"], YES + 8 * STEP],
    [[list(72), 0, "a"], YES + 9 * STEP],
  ],
  meet: [
    ...([
      [[["a"], "a", 0], ASK],
      [["a", ["a"], 0], ASK],
      [[["a"], ["b"], 0], NO + STEP],
      [[[], [], 0], NO + STEP],
    ] as const),
    // Looks up each text of the shorter list in the longer; for equal lengths, each text of the first list.
    ...([
      [[["a"], ["b", "a"], 0], YES + STEP],
      [[["b", "a"], ["a"], 0], YES + STEP],
    ] as const),
    ...([
      [[["a"], [1, "a"], 0], YES + STEP],
      [[[1, "a"], ["a"], 0], YES + STEP],
      [[["a"], [1, 2], 0], NO + STEP],
    ] as const),
    ...([
      [[[1], ["a"], 0], ASK],
      [[["a"], [1], 0], NO + STEP],
      [[["b", "a", 1], ["c", 1, "d", "e"], 0], ASK],
    ] as const),
    // Elements after the first match are not read.
    [[["a", 1], ["a", "b", "c"], 0], YES + 2 * STEP],
    ...([
      [[[text(511)], [text(511)], 0], YES + STEP],
      [[[text(512)], [text(512)], 0], ASK],
    ] as const),
    // One step for the whole, and one for every four pairs.
    [[["1"], ["2", "3", "4"], 0], NO + STEP],
    [[["1"], ONE_TO_EIGHT, 0], YES + 3 * STEP],
    [[["x", "y"], ONE_TO_EIGHT, MOST - 5], NO + 5 * STEP],
    [[["x", "y"], ONE_TO_EIGHT, MOST - 4], ASK],
  ],
  within: [
    ...([
      [[["a"], "a", 0], ASK],
      [["a", ["a"], 0], ASK],
      [[[], [], 0], YES + STEP],
      [[["a"], [], 0], NO + STEP],
    ] as const),
    ...([
      [[["b", "a"], ["a", "b"], 0], YES + 2 * STEP],
      [[["a", "c"], ["a", "b"], 0], NO + 2 * STEP],
    ] as const),
    ...([
      [[["c", 1], ["a", "b"], 0], NO + 2 * STEP],
      [[["a", 1], ["a", "b"], 0], ASK],
      [[["a"], [1, "a"], 0], YES + STEP],
    ] as const),
    ...([
      [[[text(511)], [text(511)], 0], YES + STEP],
      [[[text(512)], [text(512)], 0], ASK],
    ] as const),
    [[["1", "8"], ONE_TO_EIGHT, MOST - 5], YES + 5 * STEP],
    [[["1", "8"], ONE_TO_EIGHT, MOST - 4], ASK],
  ],
  contains: [
    ...([
      [["abc", "b", MOST], YES],
      [["abc", "ac", MOST], NO],
      [["abc", "", MOST], YES],
      [[1, "b", 0], ASK],
      [["abc", 1, 0], ASK],
    ] as const),
    // From 64 characters on, a text costs a step for each 64, and as many more for each 256 searched characters.
    [[text(63), "x", MOST], YES],
    [[text(64), "x", MOST - 1], YES + STEP],
    [[text(64), "x", MOST], ASK],
    [[text(128), "y", 0], NO + 2 * STEP],
    [[text(256), text(255), 0], YES + 4 * STEP],
    [[text(256), text(256), 0], YES + 8 * STEP],
    [[text(128), text(512), 0], NO + 6 * STEP],
  ],
  inRange: [
    ...([
      [["10.1.2.3", TEN, 0xff000000 | 0], YES],
      [["11.1.2.3", TEN, 0xff000000 | 0], NO],
      [["0.0.0.0", 0, -1], YES],
    ] as const),
    ...([
      [["255.0.0.1", 0xff000001 | 0, -1], YES],
      [["9.9.9.9", 0, 0], YES],
      [["10.1.2", 0, 0], ASK],
      [[10, 0, 0], ASK],
    ] as const),
  ],
};

describe.each(Object.entries(CASES))("%s", (name, cases) => {
  test.each(cases.map(([given, answer]) => [JSON.stringify(given).slice(0, 60), given, answer] as const))(
    "%s",
    (_, given, answer) => {
      expect(Reflect.apply(Reflect.get(answers, name), undefined, given)).toBe(answer);
    },
  );
});

test("what stands beyond the end of a list is not in it", () => {
  const inheriting = <T>(items: readonly T[]): T[] => {
    const made = [...items];
    Object.setPrototypeOf(made, Object.assign(Object.create(Array.prototype), { [items.length]: "a" }));
    return made;
  };
  expect(has(inheriting(["b"]), 0, "a")).toBe(NO);
  expect(has(inheriting(list(64, "b")), 0, "a")).toBe(NO + 8 * STEP);
  expect(meet(inheriting(["b"]), ["c", "a"], 0)).toBe(NO + STEP);
  expect(within(inheriting(["b"]), ["b"], 0)).toBe(YES + STEP);
  expect(listOf(inheriting(["b"]), 0)).toEqual(["b"]);
  expect(listOf(Object.assign(inheriting([]), { length: 0 }), 0)).toEqual([]);
  expect(isAmong("a", { few: inheriting(["b"]), many: undefined })).toBe(false);
});

test("a text that is built of three", () => {
  const built = (whole: string) => isBuilt(whole, "ab.", "c", ".d");
  expect(["ab.c.d", "ab.x.d", "ax.c.d", "ab.c.e", "ab.c.", "xx.c.d"].map(built)).toEqual([
    true,
    ...Array(5).fill(false),
  ]);
});

test("an index has what stands between, in a set where there is much of it", () => {
  const middles = (count: number) => Array.from({ length: count }, (_, i) => `a.${i}.b`);
  const indexed = (texts: readonly string[]) => indexOf(texts, ["none"], [["a.", ".b"]]);
  expect(indexed([...middles(8), "a.b", "a..", "x.1.b", "a.1.x"])).toEqual({
    has: false,
    middles: [{ few: ["0", "1", "2", "3", "4", "5", "6", "7"], many: undefined }],
  });
  expect(indexed([...middles(9), ...middles(9), "none"])).toEqual({
    has: true,
    middles: [{ few: [], many: new Set(["0", "1", "2", "3", "4", "5", "6", "7", "8"]) }],
  });
  expect(indexed(["a..b"])?.middles).toEqual([{ few: [""], many: undefined }]);
  expect(isAmong("8", { few: [], many: new Set(["8"]) })).toBe(true);
  expect(isAmong("9", { few: ["9"], many: new Set(["8"]) })).toBe(false);
});

test.each<readonly [unknown, boolean]>([
  ...([
    [["a", 1, true, null], true],
    [[], true],
    ["ab", false],
    [{ length: 0 }, false],
  ] as const),
  ...([
    [["a", {}], false],
    [[[]], false],
    [[undefined], false],
    [[Number.NaN], false],
  ] as const),
  ...([
    [[text(511)], true],
    [["a", text(512)], false],
  ] as const),
])("%j as the value of an output", (given, isMade) => {
  const made = listOf(given, 0);
  expect(made).toEqual(isMade ? given : undefined);
  expect(made).not.toBe(isMade ? given : "");
});

test("a list of an output costs nine for each item", () => {
  expect([listOf(["a", "b"], MOST - 18), listOf(["a", "b"], MOST - 17)]).toEqual([["a", "b"], undefined]);
});
