/** The words for functions. `{0}` is the receiver or first argument; a function missing here keeps its source text. */

import type { Call, MemberCall } from "../../cel/ast.js";
import { LIST_RELATIONS, type ListRelation } from "../../cel/list-functions.js";

interface TestWords {
  readonly length: number;
  readonly holds: string;
  readonly doesNot: string;
}

interface ValueWords {
  readonly length: number;
  readonly template: string;
}

function test(length: number, holds: string, doesNot: string): TestWords {
  return { length, holds, doesNot };
}

export const IN_COMMON: TestWords = test(
  2,
  "{0} and {1} have an element in common",
  "{0} and {1} have no element in common",
);
const RELATIONS: Readonly<Record<ListRelation, TestWords>> = {
  intersects: IN_COMMON,
  within: test(2, "every element of {0} is in {1}", "not every element of {0} is in {1}"),
  contains: test(2, "every element of {1} is in {0}", "not every element of {1} is in {0}"),
  equivalent: test(2, "{0} and {1} have the same elements", "{0} and {1} do not have the same elements"),
};
const IN_BOTH: ValueWords = { length: 2, template: "the common elements of {0} and {1}" };
const EXCEPT: ValueWords = { length: 2, template: "{0} without {1}" };

/** Boolean functions; receiver-style calls have a dot in front. */
const TESTS: ReadonlyMap<string, TestWords> = new Map([
  [".startsWith", test(2, "{0} starts with {1}", "{0} does not start with {1}")],
  [".endsWith", test(2, "{0} ends with {1}", "{0} does not end with {1}")],
  [".contains", test(2, "{0} contains {1}", "{0} does not contain {1}")],
  [".matches", test(2, "a part of {0} matches the pattern {1}", "no part of {0} matches the pattern {1}")],
  ["matches", test(2, "a part of {0} matches the pattern {1}", "no part of {0} matches the pattern {1}")],
  [".inIPAddrRange", test(2, "{0} is an address in the range {1}", "{0} is not an address in the range {1}")],
]);

/** The words for a boolean call. */
export function testOf({ kind, fn }: Call | MemberCall): TestWords | undefined {
  const relation = LIST_RELATIONS.get(fn);
  return relation === undefined ? TESTS.get(kind === "member" ? `.${fn}` : fn) : RELATIONS[relation];
}

/** Functions with other values. */
export const GLOBAL: ReadonlyMap<string, ValueWords> = new Map([
  ["size", { length: 1, template: "the size of {0}" }],
  ["now", { length: 0, template: "the time of the decision" }],
  ["timestamp", { length: 1, template: "the time {0}" }],
  ["timeSince", { length: 1, template: "the time since {0}" }],
  ["duration", { length: 1, template: "the duration {0}" }],
  ["intersect", IN_BOTH],
  ["except", EXCEPT],
]);

export const MEMBER: ReadonlyMap<string, ValueWords> = new Map([
  ["size", { length: 1, template: "the size of {0}" }],
  ["lowerAscii", { length: 1, template: "{0} in lower case" }],
  ["upperAscii", { length: 1, template: "{0} in upper case" }],
  ["timeSince", { length: 1, template: "the time since {0}" }],
  ["intersect", IN_BOTH],
  ["except", EXCEPT],
]);
