/**
 * Calls with a constant that cannot be what it is taken for: later versions refuse them when policies are loaded
 * (cel-go `cel/validator.go` and the validators of `ext/network.go`). Others fail when they are evaluated.
 */

import type { Syntax } from "../ast.js";
import { parseCidr, parseIp } from "../functions/network-value.js";
import { compileRegex, MAX_DYNAMIC_LENGTH } from "../regex.js";
import { parseDuration, parseTimestamp } from "../time.js";

interface Fault {
  readonly at: number;
  readonly message: string;
}

/** What is wrong with a constant text; undefined if nothing is. */
type Look = (text: string) => string | undefined;

const look =
  (what: string, isFine: (text: string) => boolean): Look =>
  (text) =>
    isFine(text) ? undefined : `invalid ${what} argument`;

const pattern = look("matches", (text) => compileRegex(text) !== undefined);

/** Patterns of these are compiled when they are used, within the limit for patterns that come from data. */
const bounded: Look = (text) =>
  text.length <= MAX_DYNAMIC_LENGTH ? undefined : `this pattern is longer than ${MAX_DYNAMIC_LENGTH} characters`;

/** By the name of the function and the position of the argument, of which a receiver is the first. */
const LOOKS: ReadonlyMap<string, readonly [number, Look]> = new Map<string, readonly [number, Look]>([
  ["timestamp", [0, look("timestamp", (text) => parseTimestamp(text) !== undefined)]],
  ["duration", [0, look("duration", (text) => parseDuration(text) !== undefined)]],
  ["matches", [1, pattern]],
  ["ip", [0, look("ip", (text) => typeof parseIp(text) !== "string")]],
  ["cidr", [0, look("cidr", (text) => typeof parseCidr(text) !== "string")]],
  ["regex.extract", [1, bounded]],
  ["regex.extractAll", [1, bounded]],
  ["regex.replace", [1, bounded]],
]);

/** The constant of a call that its function cannot take. */
export function literalFault(fn: string, args: readonly Syntax[]): Fault | undefined {
  const [at, fault] = LOOKS.get(fn) ?? [];
  const arg = at === undefined ? undefined : args[at];
  if (fault === undefined || arg?.kind !== "literal" || typeof arg.value !== "string") return undefined;
  const message = fault(arg.value);
  return message === undefined ? undefined : { at: arg.at, message };
}
