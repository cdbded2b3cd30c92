/** Reads and writes numbers as Go does (`strconv`). */

export const MIN_INT = -(2n ** 63n);
export const MAX_INT = 2n ** 63n - 1n;
export const MAX_UINT = 2n ** 64n - 1n;

const INT = /^[+-]?[0-9]+$/;
const UINT = /^[0-9]+$/;
const DECIMAL = /^[+-]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9][0-9_]*)?$/;
const HEXADECIMAL = /^([+-]?)0[xX]_?([0-9a-fA-F_]*)\.?([0-9a-fA-F_]*)[pP]([+-]?[0-9][0-9_]*)$/;
/** Matches an underscore that does not stand between digits (or after a base prefix). */
const MISPLACED = /(?<![0-9])_|_(?![0-9])/;
const MISPLACED_HEXADECIMAL = /(?<![0-9a-fA-FxX])_|_(?![0-9a-fA-F])/;
const NAMED = new Map([
  ["inf", Number.POSITIVE_INFINITY],
  ["+inf", Number.POSITIVE_INFINITY],
  ["-inf", Number.NEGATIVE_INFINITY],
  ["infinity", Number.POSITIVE_INFINITY],
  ["+infinity", Number.POSITIVE_INFINITY],
  ["-infinity", Number.NEGATIVE_INFINITY],
  ["nan", Number.NaN],
]);

/** `strconv.ParseInt(text, 10, 64)`. */
export function parseInt64(text: string): bigint | undefined {
  if (text.length > 64 || !INT.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return value >= MIN_INT && value <= MAX_INT ? value : undefined;
}

/** `strconv.ParseUint(text, 10, 64)`. */
export function parseUint64(text: string): bigint | undefined {
  if (text.length > 64 || !UINT.test(text)) return undefined;
  const value = BigInt(text);
  return value <= MAX_UINT ? value : undefined;
}

/** `strconv.ParseFloat(text, 64)`. Out of range is an error there, so `undefined` here. */
export function parseDouble(text: string): number | undefined {
  if (text.length > 1024) return undefined;
  if (DECIMAL.test(text)) {
    if (text.includes("_") && MISPLACED.test(text)) return undefined;
    return finite(Number(text.replaceAll("_", "")));
  }
  const hexadecimal = HEXADECIMAL.exec(text);
  if (hexadecimal !== null) {
    if (text.includes("_") && MISPLACED_HEXADECIMAL.test(text)) return undefined;
    const [, sign = "", whole = "", fraction = "", exponent = ""] = hexadecimal;
    return parseHexadecimal(
      sign,
      whole.replaceAll("_", ""),
      fraction.replaceAll("_", ""),
      exponent.replaceAll("_", ""),
    );
  }
  return NAMED.get(text.toLowerCase());
}

function parseHexadecimal(sign: string, whole: string, fraction: string, exponent: string): number | undefined {
  const digits = whole + fraction;
  if (digits === "") return undefined;
  const mantissa = BigInt(`0x${digits}`);
  const value = scaled(mantissa, Number(exponent) - 4 * fraction.length);
  return finite(sign === "-" ? -value : value);
}

/** `mantissa × 2^exponent`, rounded once, half to even. */
function scaled(mantissa: bigint, exponent: number): number {
  if (mantissa === 0n) return 0;
  const bits = mantissa.toString(2).length;
  const top = bits + exponent;
  if (top > 1024) return Number.POSITIVE_INFINITY;
  if (top < -1080) return 0;
  // `Number(bigint)` rounds to 53 bits. A subnormal keeps fewer, so drop those first, with a sticky bit.
  const keep = Math.min(53, top + 1074);
  const drop = bits - Math.max(keep, 0) - 2;
  if (drop <= 0) return Number(mantissa) * 2 ** Math.max(exponent, -1074) * 2 ** Math.min(exponent + 1074, 0);
  const rest = mantissa & ((1n << BigInt(drop)) - 1n);
  const head = (mantissa >> BigInt(drop)) | (rest === 0n ? 0n : 1n);
  const shift = exponent + drop;
  return Number(head) * 2 ** Math.max(shift, -1074) * 2 ** Math.min(shift + 1074, 0);
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

/** `%g` with the fewest digits that parse to the same number: an exponent below 1e-4 and from 1e+06 on. */
export function formatDouble(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  if (Object.is(value, -0)) return "-0";
  if (value === 0) return "0";
  const magnitude = Math.abs(value);
  if (magnitude >= 1e-4 && magnitude < 1e6) return String(value);
  return goExponent(value.toExponential());
}

/** `%f` with the fewest digits that parse to the same number, and no exponent. */
export function formatPlain(value: number): string {
  if (!Number.isFinite(value)) return infinity(value);
  if (Object.is(value, -0)) return "-0";
  const text = String(value);
  const split = text.indexOf("e");
  if (split < 0) return text;
  const exponent = Number(text.slice(split + 1));
  const negative = value < 0 ? "-" : "";
  const [whole = "", fraction = ""] = text.slice(negative.length, split).split(".");
  const digits = whole + fraction;
  const point = whole.length + exponent;
  if (point <= 0) return `${negative}0.${"0".repeat(-point)}${digits}`;
  return negative + digits.padEnd(point, "0");
}

/** NaN and the infinities as `format` writes them. */
export function infinity(value: number): string {
  return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

/** `%.{precision}f`: exact decimals, halves to even. */
export function formatFixed(value: number, precision: number): string {
  const { sign, digits, point } = exactDecimal(value);
  const rounded = roundDigits(digits, point, point + precision);
  const whole = rounded.digits.slice(0, Math.max(rounded.point, 0)) || "0";
  const fraction = "0".repeat(Math.max(-rounded.point, 0)) + rounded.digits.slice(Math.max(rounded.point, 0));
  return sign + whole + (precision > 0 ? `.${fraction.padEnd(precision, "0").slice(0, precision)}` : "");
}

/** `%.{precision}e`: exact decimals, halves to even, an exponent of at least two digits. */
export function formatScientific(value: number, precision: number): string {
  const { sign, digits, point } = exactDecimal(value);
  if (digits === "0") return `${sign}0${precision > 0 ? `.${"0".repeat(precision)}` : ""}e+00`;
  const rounded = roundDigits(digits, point, precision + 1);
  const mantissa = rounded.digits.padEnd(precision + 1, "0").slice(0, precision + 1);
  return sign + goExponent(`${mantissa[0]}${precision > 0 ? `.${mantissa.slice(1)}` : ""}e${rounded.point - 1}`);
}

/** The exact decimal value of a double: `0.{digits} × 10^point`. */
function exactDecimal(value: number): { sign: string; digits: string; point: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const sign = bits >> 63n === 1n ? "-" : "";
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = biased === 0 ? fraction : fraction | 0x10000000000000n;
  if (mantissa === 0n) return { sign, digits: "0", point: 1 };
  const exponent = Math.max(biased, 1) - 1075;
  const integer = exponent >= 0 ? mantissa << BigInt(exponent) : mantissa * 5n ** BigInt(-exponent);
  const digits = integer.toString();
  return { sign, digits, point: exponent >= 0 ? digits.length : digits.length + exponent };
}

/** Rounds `0.{digits} × 10^point` to its first `keep` digits, halves to even. */
function roundDigits(digits: string, point: number, keep: number): { digits: string; point: number } {
  if (keep >= digits.length) return { digits, point };
  if (keep < 0) return { digits: "", point };
  const head = digits.slice(0, keep);
  const next = digits.charCodeAt(keep) - 48;
  const isHalf = next === 5 && /^0*$/.test(digits.slice(keep + 1));
  const isOdd = keep > 0 && (digits.charCodeAt(keep - 1) & 1) === 1;
  if (next < 5 || (isHalf && !isOdd)) return { digits: head, point };
  const raised = (BigInt(head === "" ? "0" : head) + 1n).toString();
  const padded = raised.padStart(keep, "0");
  return { digits: padded, point: point + padded.length - keep };
}

/** Converts JavaScript's `1e+6` to Go's `1e+06`. */
function goExponent(text: string): string {
  const split = text.indexOf("e");
  const exponent = Number(text.slice(split + 1));
  const magnitude = String(Math.abs(exponent)).padStart(2, "0");
  return `${text.slice(0, split)}e${exponent < 0 ? "-" : "+"}${magnitude}`;
}
