/**
 * Calls with a constant that cannot be what it is taken for: they are refused when policies are loaded
 * (cel-go `cel/validator.go` and the validators of `ext/network.go`). Others fail when they are evaluated.
 */

import type { Syntax } from "../ast.js";
import { parseCidr, parseIp } from "../functions/network-value.js";
import type { Style } from "../functions/overload.js";
import { compileRegex, MAX_DYNAMIC_LENGTH } from "../regex.js";
import { makeTimestamp, parseDuration, parseTimestamp } from "../time.js";
import type { CelValue } from "../values.js";

interface Fault {
  readonly at: number;
  readonly message: string;
}

/** What is wrong with a constant; undefined if nothing is. */
type Look = (value: CelValue) => string | undefined;

const look =
  (what: string, isFine: (value: CelValue) => boolean): Look =>
  (value) =>
    isFine(value) ? undefined : `invalid ${what} argument`;

/** Of texts alone. */
const text =
  (isFine: (text: string) => boolean) =>
  (value: CelValue): boolean =>
    typeof value !== "string" || isFine(value);

/** Patterns of these are compiled when they are used, within the limit for patterns that come from data. */
const bounded: Look = (value) =>
  typeof value !== "string" || value.length <= MAX_DYNAMIC_LENGTH
    ? undefined
    : `this pattern is longer than ${MAX_DYNAMIC_LENGTH} characters`;

function isTimestamp(value: CelValue): boolean {
  if (typeof value === "bigint") return makeTimestamp(Number(value), 0, 0) !== undefined;
  return typeof value === "string" ? parseTimestamp(value) !== undefined : value !== null;
}

const pattern = look(
  "matches",
  text((one) => compileRegex(one) !== undefined),
);
const duration = look(
  "duration",
  text((one) => parseDuration(one) !== undefined),
);
const address = look(
  "ip",
  text((one) => typeof parseIp(one) !== "string"),
);
const network = look(
  "cidr",
  text((one) => typeof parseCidr(one) !== "string"),
);

/** By style of call and name of the function, and the position of the argument, of which a receiver is the first. */
const LOOKS: ReadonlyMap<string, readonly [number, Look]> = new Map<string, readonly [number, Look]>([
  ["global timestamp", [0, look("timestamp", isTimestamp)]],
  ["global duration", [0, duration]],
  ["member matches", [1, pattern]],
  // Not the pattern, but what it is held against: cel-go looks at the first argument in either style.
  ["global matches", [0, pattern]],
  ["global ip", [0, address]],
  ["global cidr", [0, network]],
  ["global regex.extract", [1, bounded]],
  ["global regex.extractAll", [1, bounded]],
  ["global regex.replace", [1, bounded]],
]);

/** The constant of a call that its function cannot take. */
export function literalFault(fn: string, style: Style, args: readonly Syntax[]): Fault | undefined {
  const [at, fault] = LOOKS.get(`${style} ${fn}`) ?? [];
  const arg = at === undefined ? undefined : args[at];
  if (fault === undefined || arg?.kind !== "literal") return undefined;
  const message = fault(arg.value);
  return message === undefined ? undefined : { at: arg.at, message };
}
