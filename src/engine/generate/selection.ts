/**
 * Functions for several plans at a time: all about a kind, say. Processors have little memory for code, and functions of
 * their own for each action would push one another out of it; so one has the conditions of all, and each plan asks it for
 * its own.
 */

import { type Js, joined, js } from "./js.js";

/** So many conditions one function can be asked for some of: their bits are a small integer. */
export const MAX_SELECTED = 30;

/**
 * Characters of source. Shorter functions are better apart: to be told what is asked for costs them more than room in a cache,
 * which they leave for one another. V8 optimizes none that are much longer.
 */
const WORTHWHILE = { least: 4_000, most: 40_000 } as const;

/** Whether a function of such a text is better for several plans than one for each. */
export function isWorthwhile({ text }: Js): boolean {
  return text.length >= WORTHWHILE.least && text.length <= WORTHWHILE.most;
}

/** Which conditions of a function are asked for, and what it finds. */
export interface Selection {
  /** The conditions, as bits. */
  readonly asked: number;
  /** What the set that the function finds has for each condition that holds: its bit there; 0 where it is not asked for. */
  readonly counts: readonly number[];
}

/** For functions that are for one plan alone, which look at none. */
export const ALL_ASKED: Selection = { asked: 0, counts: [] };

/** What whoever asks a function for some of its conditions has to know of it. */
export interface Selective {
  /** For each of the paths that the function reads, the conditions that it reads it for, as bits. */
  readonly readFor: readonly number[];
  /** Conditions of which no more than one may be asked for at a time, as bits. */
  readonly apart: number;
}

/** `asked`: the numbers of conditions, in the order in which the set has their bits. Undefined: these cannot be asked for together. */
export function selectionOf(
  numbers: readonly number[],
  left: readonly number[],
  { apart }: Selective,
): Selection | undefined {
  const asked = numbers.reduce((bits, number) => bits | (1 << number), 0);
  const separate = asked & apart;
  if ((separate & (separate - 1)) !== 0 || left.some((number) => (asked & (1 << number)) !== 0)) return undefined;
  const counts: number[] = [];
  for (let i = 0; i < MAX_SELECTED; i++) counts.push(numbers.includes(i) ? 2 ** numbers.indexOf(i) : 0);
  return { asked, counts };
}

/** For which conditions a local variable is read, as bits. */
export type NeedsOf = (local: Js) => number;

/** Statements for whoever asks for one of some conditions. */
export function ifAsked(bits: number, statements: readonly Js[]): Js {
  return js`if ((m & ${bits}) !== 0) {\n${joined(statements, "\n")}\n}`;
}

/** The statement for a condition with its code. */
export function countedIfAsked(number: number, code: Js): Js {
  return js`if ((m & ${1 << number}) !== 0 && (${code})) h += v[${number}];`;
}

/** What the statements before need at the beginning of a function. */
export const TAKE_SELECTION = js`const m = y.asked, v = y.counts;`;
