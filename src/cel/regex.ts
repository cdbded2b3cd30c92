/**
 * Regular expressions with RE2's syntax and linear time. No text from a policy or a request reaches a native `RegExp`
 * as a pattern.
 */

import { RE2JS } from "@bufbuild/re2";
import { type Evaluation, fail, spend } from "./evaluation.js";

/** The parts of a compiled RE2 program that are used. The library bundles its own type and does not export it. */
export interface Program {
  readonly start: number;
  readonly numCap: number;
  getInst(at: number): {
    readonly op: number;
    readonly out: number;
    readonly arg: number;
    matchRune(rune: number): boolean;
  };
}

export interface Regex {
  readonly pattern: string;
  /** The cost of one character of text, in steps. */
  readonly weight: number;
  /** The number of capturing groups. */
  readonly groups: number;
  /** The compiled program, for `regex-captures.ts`. */
  readonly program: Program;
  test(text: string): boolean;
}

/** A pattern longer than this is refused. */
const MAX_PATTERN_LENGTH = 2_000;
/** A pattern from data that is longer than this is refused. */
export const MAX_DYNAMIC_LENGTH = 256;

/** Limit on the automaton's states that a pattern keeps between calls; they take most of its memory. */
const MAX_KEPT_STATES = 2_000;

/** Limit on the cached patterns from data; the oldest is evicted. */
const MAX_CACHED = 128;
const cache = new Map<string, Regex | undefined>();

/** Compiles a pattern; `undefined` if RE2 refuses it. */
export function compileRegex(pattern: string): Regex | undefined {
  if (pattern.length > MAX_PATTERN_LENGTH) return undefined;
  try {
    const re = compileNamed(pattern);
    const { prog, dfa } = re.re2();
    // Measured: once its automaton is built, a character takes 20-200 ns. While states are being built, or when there
    // are too many to keep, it takes about 50 ns for each instruction of the program. The charge is for that case.
    const weight = 1 + prog.numInst() / 2;
    const test = (text: string): boolean => {
      if (dfa.stateCount > MAX_KEPT_STATES) freeAutomatonStates(dfa);
      return re.test(text);
    };
    return { pattern, weight, groups: re.groupCount(), program: prog, test };
  } catch {
    // RE2JS has no other way to report a malformed pattern.
    return undefined;
  }
}

/** Go lets groups share a name, RE2JS does not. Nothing reads the names, so such a pattern is compiled without them. */
function compileNamed(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof Error && error.message.includes("duplicate capture group name"))) throw error;
    return RE2JS.compile(withoutNames(pattern));
  }
}

/** Turns named groups into unnamed ones. Literal text, escapes and classes stay unchanged. */
function withoutNames(pattern: string): string {
  let written = "";
  for (let at = 0; at < pattern.length; ) {
    const isNamed = pattern.startsWith("(?P<", at) || pattern.startsWith("(?<", at);
    const end = isNamed ? pattern.indexOf(">", at) + 1 : atomEnd(pattern, at);
    written += isNamed ? "(" : pattern.slice(at, end);
    at = end;
  }
  return written;
}

function atomEnd(pattern: string, at: number): number {
  if (pattern.startsWith("\\Q", at)) return after(pattern, "\\E", at);
  if (pattern[at] === "\\") return at + 2;
  return pattern[at] === "[" ? classEnd(pattern, at) : at + 1;
}

/** The end of a class. A `]` as its first character is a member of the class. */
function classEnd(pattern: string, start: number): number {
  let at = start + (pattern[start + 1] === "^" ? 2 : 1);
  if (pattern[at] === "]") at++;
  while (at < pattern.length && pattern[at] !== "]") {
    if (pattern[at] === "\\") at += 2;
    else at = pattern.startsWith("[:", at) && pattern.includes(":]", at) ? after(pattern, ":]", at) : at + 1;
  }
  return at + 1;
}

function after(pattern: string, end: string, from: number): number {
  const at = pattern.indexOf(end, from);
  return at < 0 ? pattern.length : at + end.length;
}

/** Frees the automaton's states, as RE2JS itself does when it has too many; its `reset()` does nothing. */
function freeAutomatonStates(dfa: ReturnType<RE2JS["re2"]>["dfa"]): void {
  dfa.stateCache.clear();
  dfa.stateCount = 0;
  dfa.startState = null;
  dfa.cacheClears = 0;
}

/** Whether `text` contains a match of a compiled pattern. */
export function matchesRegex(ev: Evaluation, text: string, regex: Regex): boolean | undefined {
  return spend(ev, 1 + text.length * regex.weight) ? regex.test(text) : undefined;
}

/** Whether `text` contains a match of a pattern from data. */
export function matchesPattern(ev: Evaluation, text: string, pattern: string): boolean | undefined {
  const regex = compileDynamicRegex(ev, pattern);
  return regex === undefined ? undefined : matchesRegex(ev, text, regex);
}

/**
 * Compiles a pattern from data. The cost is the same whether or not the pattern is cached, so that the cost of a
 * decision does not depend on earlier decisions.
 */
export function compileDynamicRegex(ev: Evaluation, pattern: string): Regex | undefined {
  if (pattern.length > MAX_DYNAMIC_LENGTH) return fail(ev, "the regular expression is too long");
  if (!spend(ev, 100 + pattern.length * 10)) return undefined;
  return cachedRegex(pattern) ?? fail(ev, "invalid regular expression");
}

function cachedRegex(pattern: string): Regex | undefined {
  if (cache.has(pattern)) return cache.get(pattern);
  const regex = compileRegex(pattern);
  if (cache.size >= MAX_CACHED) {
    for (const oldest of cache.keys()) {
      cache.delete(oldest);
      break;
    }
  }
  cache.set(pattern, regex);
  return regex;
}
