/**
 * Refuses calls with an invalid constant argument when policies are loaded (cel-go `cel/validator.go` and the
 * validators of `ext/network.go`). Invalid arguments that are not constants err at evaluation.
 */

import type { Syntax } from "../ast.js";
import { parseCidr, parseIp } from "../functions/network-value.js";
import type { CallStyle } from "../functions/overload.js";
import { compileRegex, MAX_DYNAMIC_LENGTH } from "../regex.js";
import { makeTimestamp, parseDuration, parseTimestamp } from "../time.js";
import type { CelValue } from "../values.js";

interface LiteralFault {
  readonly at: number;
  readonly message: string;
}

/** Validates a constant: the error message, or undefined if the constant is valid. */
type LiteralValidator = (value: CelValue) => string | undefined;

const literalValidator =
  (what: string, isFine: (value: CelValue) => boolean): LiteralValidator =>
  (value) =>
    isFine(value) ? undefined : `invalid ${what} argument`;

/** Tests texts only; constants of other types pass. */
const text =
  (isFine: (text: string) => boolean) =>
  (value: CelValue): boolean =>
    typeof value !== "string" || isFine(value);

/** These functions compile their patterns at evaluation, within the limit for patterns from data. */
const bounded: LiteralValidator = (value) =>
  typeof value !== "string" || value.length <= MAX_DYNAMIC_LENGTH
    ? undefined
    : `this pattern is longer than ${MAX_DYNAMIC_LENGTH} characters`;

function isTimestamp(value: CelValue): boolean {
  if (typeof value === "bigint") return makeTimestamp(Number(value), 0, 0) !== undefined;
  return typeof value === "string" ? parseTimestamp(value) !== undefined : value !== null;
}

const pattern = literalValidator(
  "matches",
  text((one) => compileRegex(one) !== undefined),
);
const duration = literalValidator(
  "duration",
  text((one) => parseDuration(one) !== undefined),
);
const address = literalValidator(
  "ip",
  text((one) => typeof parseIp(one) !== "string"),
);
const network = literalValidator(
  "cidr",
  text((one) => typeof parseCidr(one) !== "string"),
);

/** By style and name of a function: the position of the argument to validate (a receiver is 0), and its validator. */
const LITERAL_VALIDATORS: ReadonlyMap<string, readonly [number, LiteralValidator]> = new Map<
  string,
  readonly [number, LiteralValidator]
>([
  ["global timestamp", [0, literalValidator("timestamp", isTimestamp)]],
  ["global duration", [0, duration]],
  ["member matches", [1, pattern]],
  // Argument 0 is the text, not the pattern: cel-go validates the first argument in either style.
  ["global matches", [0, pattern]],
  ["global ip", [0, address]],
  ["global cidr", [0, network]],
  ["global regex.extract", [1, bounded]],
  ["global regex.extractAll", [1, bounded]],
  ["global regex.replace", [1, bounded]],
]);

/** The fault of a call with an invalid constant argument; undefined if there is none. */
export function literalFault(fn: string, style: CallStyle, args: readonly Syntax[]): LiteralFault | undefined {
  const [at, fault] = LITERAL_VALIDATORS.get(`${style} ${fn}`) ?? [];
  const arg = at === undefined ? undefined : args[at];
  if (fault === undefined || arg?.kind !== "literal") return undefined;
  const message = fault(arg.value);
  return message === undefined ? undefined : { at: arg.at, message };
}
