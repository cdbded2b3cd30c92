/**
 * Functions of regular expressions (cel-go `ext/regex.go`). Patterns have RE2's syntax, replacements only `\0` to `\9`.
 */

import { type Evaluation, fail, spend } from "../evaluation.js";
import { compileDynamicRegex, matchesRegex, type Regex } from "../regex.js";
import { type Match, Searcher } from "../regex-captures.js";
import { INT, list, optional, STRING } from "../types.js";
import { type CelList, NONE, OptionalValue } from "../values.js";
import { binary, type Overload, quaternary, ternary } from "./overload.js";

/** The text of a group; undefined if the group took no part in the match. */
function groupOf(text: string, match: Match, group: number): string | undefined {
  const [from = -1, to = -1] = match.slice(group * 2, group * 2 + 2);
  return from < 0 ? undefined : text.slice(from, to);
}

/** A pattern with at most one group. With a group, the functions extract the group in place of the match. */
function extracting(ev: Evaluation, pattern: string): Regex | undefined {
  const regex = compileDynamicRegex(ev, pattern);
  if (regex === undefined || regex.groups <= 1) return regex;
  return fail(ev, "the regular expression has more than one capturing group");
}

/** The first match, or its group. An empty group gives `optional.none()`. */
function extract(ev: Evaluation, text: string, pattern: string): OptionalValue | undefined {
  const regex = extracting(ev, pattern);
  const is = regex && matchesRegex(ev, text, regex);
  if (regex === undefined || is === undefined) return undefined;
  const match = is ? new Searcher(ev, regex.program, text).first(0) : null;
  if (match === undefined) return undefined;
  const found = match === null ? undefined : groupOf(text, match, regex.groups);
  return found === undefined || (found === "" && regex.groups === 1) ? NONE : new OptionalValue(found);
}

function extractAll(ev: Evaluation, text: string, pattern: string): CelList | undefined {
  const regex = extracting(ev, pattern);
  const matches = regex && new Searcher(ev, regex.program, text).all();
  if (regex === undefined || matches === undefined) return undefined;
  const found = matches.map((match) => groupOf(text, match, regex.groups) ?? "");
  return regex.groups === 1 ? found.filter((part) => part !== "") : found;
}

/** Replaces the first `count` matches; a negative `count` means all. */
function replace(ev: Evaluation, text: string, pattern: string, by: string, count: bigint): string | undefined {
  if (count === 0n) return text;
  const regex = compileDynamicRegex(ev, pattern);
  const limit = count < 0n ? Number.POSITIVE_INFINITY : Number(count);
  const matches = regex && new Searcher(ev, regex.program, text).all(limit);
  if (regex === undefined || matches === undefined) return undefined;
  const parts: string[] = [];
  let at = 0;
  for (const match of matches) {
    const [from = 0, to = 0] = match;
    const filled = fill(ev, by, text, match, regex.groups);
    if (filled === undefined) return undefined;
    parts.push(text.slice(at, from), filled);
    at = to;
  }
  return parts.join("") + text.slice(at);
}

/** Fills `\0` to `\9` in the replacement. `\\` is a backslash; any other character after a backslash is an error. */
function fill(ev: Evaluation, by: string, text: string, match: Match, groups: number): string | undefined {
  let filled = "";
  let from = 0;
  for (let at = by.indexOf("\\"); at >= 0; at = by.indexOf("\\", from)) {
    const next = by[at + 1] ?? "";
    const group = /^[0-9]$/.test(next) ? Number(next) : undefined;
    if (group === undefined && next !== "\\") {
      return fail(ev, "invalid replacement string: \\ must be followed by a digit or \\");
    }
    if (group !== undefined && group > groups) {
      return fail(ev, `replacement string references group ${group} but regex has only ${groups} group(s)`);
    }
    const piece = by.slice(from, at) + (group === undefined ? next : (groupOf(text, match, group) ?? ""));
    if (!spend(ev, 1 + (piece.length >> 6))) return undefined;
    filled += piece;
    from = at + 2;
  }
  return spend(ev, 1 + ((by.length - from) >> 6)) ? filled + by.slice(from) : undefined;
}

export const regexFunctions: readonly Overload[] = [
  binary("global", "regex.extract", STRING, STRING, optional(STRING), extract),
  binary("global", "regex.extractAll", STRING, STRING, list(STRING), extractAll),
  ternary("global", "regex.replace", STRING, STRING, STRING, STRING, (ev, text, pattern, by) =>
    replace(ev, text, pattern, by, -1n),
  ),
  quaternary("global", "regex.replace", STRING, STRING, STRING, INT, STRING, replace),
];
