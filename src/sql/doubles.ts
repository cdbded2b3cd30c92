/**
 * Finds the decimals of JSON that JavaScript reads as a given double: it reads the nearest double, and of two equally
 * near ones the even one.
 */

/** The interval of decimals that are read as one double. Its ends are exact decimal texts. */
export interface Decimals {
  readonly low: string;
  readonly high: string;
  /** Whether both ends belong to the interval. */
  readonly isClosed: boolean;
}

const FRACTION_BITS = 52n;
const FRACTION = 1n << FRACTION_BITS;
/** The exponent bias plus the fraction bits: a double is `mantissa * 2 ** (exponent - BIAS)`. */
const BIAS = 1075;

export function decimalsOf(value: number): Decimals {
  const bits = new DataView(new Float64Array([Math.abs(value)]).buffer).getBigUint64(0, true);
  const exponent = Number(bits >> FRACTION_BITS);
  const fraction = bits % FRACTION;
  const mantissa = exponent === 0 ? fraction : fraction + FRACTION;
  const scale = Math.max(exponent, 1) - BIAS - 2;
  // Below a power of two, doubles are half as far apart.
  const down = fraction === 0n && exponent > 1 ? 1n : 2n;
  const [low, high] = [decimal(4n * mantissa - down, scale), decimal(4n * mantissa + 2n, scale)];
  const isClosed = mantissa % 2n === 0n;
  return value < 0 ? { low: opposite(high), high: opposite(low), isClosed } : { low, high, isClosed };
}

/** This decimal and all above it are read as infinite. So are its opposite and all below that. */
export const INFINITE = decimalsOf(Number.MAX_VALUE).high;

export function opposite(decimal: string): string {
  return decimal.startsWith("-") ? decimal.slice(1) : `-${decimal}`;
}

/** `digits * 2 ** scale` */
function decimal(digits: bigint, scale: number): string {
  if (digits < 0n) return `-${decimal(-digits, scale)}`;
  if (scale >= 0) return String(digits << BigInt(scale));
  const text = String(digits * 5n ** BigInt(-scale)).padStart(1 - scale, "0");
  return `${text.slice(0, scale)}.${text.slice(scale)}`.replace(/\.?0+$/, "");
}
