/**
 * Regular expressions with RE2's syntax and linear time. A native `RegExp` never sees text from a policy or a request.
 */

import { RE2JS } from "@bufbuild/re2";
import { type Evaluation, fail, spend } from "./evaluation.js";

export interface Regex {
  readonly pattern: string;
  /** The cost of one character of text, in steps. */
  readonly weight: number;
  test(text: string): boolean;
}

/** A pattern longer than this is refused. */
export const MAX_PATTERN_LENGTH = 2_000;

/** Patterns that come from data are remembered, the oldest dropped beyond this many. */
const MAX_CACHED = 128;
const cache = new Map<string, Regex | undefined>();

/** Compiles a pattern; `undefined` if RE2 refuses it. */
export function compileRegex(pattern: string): Regex | undefined {
  if (pattern.length > MAX_PATTERN_LENGTH) return undefined;
  try {
    const re = RE2JS.compile(pattern);
    return { pattern, weight: weightOf(pattern), test: (text) => re.test(text) };
  } catch {
    // RE2JS reports a malformed pattern by throwing.
    return undefined;
  }
}

function weightOf(pattern: string): number {
  return 2 + pattern.length / 16;
}

/** Whether `text` contains a match of a compiled pattern. */
export function matchesRegex(ev: Evaluation, text: string, regex: Regex): boolean | undefined {
  if (!spend(ev, 1 + text.length * regex.weight)) return undefined;
  return regex.test(text);
}

/** Whether `text` contains a match of a pattern that is known only now. */
export function matchesPattern(ev: Evaluation, text: string, pattern: string): boolean | undefined {
  if (!spend(ev, 1 + pattern.length)) return undefined;
  const regex = cached(ev, pattern);
  if (regex === undefined)
    return ev.steps < 0 ? undefined : fail(ev, `invalid regular expression: ${pattern.slice(0, 80)}`);
  return matchesRegex(ev, text, regex);
}

function cached(ev: Evaluation, pattern: string): Regex | undefined {
  if (cache.has(pattern)) return cache.get(pattern);
  if (!spend(ev, 200 + pattern.length * 20)) return undefined;
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
