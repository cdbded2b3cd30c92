/**
 * Plain scalars as the server's YAML parser has them (goccy/go-yaml 1.19.2, `token.ToNumber`; observed): `1e3`
 * is text, `007` and `0b111` are 7, `1_000` is 1000, and an integer that no 64 bits hold is text.
 */

/** What a plain scalar is. */
export interface Plain {
  readonly data: null | boolean | number | string;
  /** What a field of text reads: an integer in decimal. Undefined for what the server takes for no text. */
  readonly text: string | undefined;
}

const NULLS: ReadonlySet<string> = new Set(["", "~", "null", "Null", "NULL"]);
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["True", true],
  ["TRUE", true],
  ["false", false],
  ["False", false],
  ["FALSE", false],
]);
const NOT_FINITE = /^(?:-?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

export function plainScalar(source: string): Plain {
  if (NULLS.has(source)) return { data: null, text: "" };
  const boolean = BOOLEANS.get(source);
  if (boolean !== undefined) return { data: boolean, text: source };
  if (NOT_FINITE.test(source)) return { data: Number.NaN, text: undefined };
  return numberOf(source) ?? { data: source, text: source };
}

/** Whether a scalar may be a number: most are words. */
const NUMERIC = /^[-+.\d][-+.\w]*$/;

function numberOf(source: string): Plain | undefined {
  if (!NUMERIC.test(source)) return undefined;
  const digits = source.replace(/^\+?-?/, "").replaceAll("_", "");
  const dots = source.split(".").length - 1;
  const negative = source.startsWith("-");
  const [, prefix = "", rest = ""] = /^(0[xob]|0(?=.))?(.*)$/.exec(digits) ?? [];
  if (dots > 1) return undefined;
  if (dots === 1 && (prefix === "" || prefix === "0")) return fraction(digits, negative);
  return dots === 1 ? undefined : integer(prefix, rest, negative);
}

const FRACTION = /^(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?$/;

/** A sign is left over from `++1.5` and the like. */
function fraction(digits: string, negative: boolean): Plain | undefined {
  const unsigned = negative ? digits : digits.replace(/^[-+]/, "");
  if (!FRACTION.test(unsigned)) return undefined;
  const value = Number(negative ? `-${unsigned}` : digits);
  return Number.isFinite(value) ? { data: value, text: undefined } : undefined;
}

const BASES: ReadonlyMap<string, readonly [prefix: string, digits: RegExp]> = new Map([
  ["0x", ["0x", /^[\da-fA-F]+$/]],
  ["0o", ["0o", /^[0-7]+$/]],
  ["0", ["0o", /^[0-7]+$/]],
  ["0b", ["0b", /^[01]+$/]],
  ["", ["", /^\d+$/]],
]);

const MAX_UINT = 2n ** 64n - 1n;
const MIN_INT = -(2n ** 63n);

function integer(prefix: string, digits: string, negative: boolean): Plain | undefined {
  const [written, form] = BASES.get(prefix) ?? [];
  if (form === undefined || !form.test(digits)) return undefined;
  const magnitude = BigInt(`${written}${digits}`);
  const value = negative ? -magnitude : magnitude;
  return value > MAX_UINT || value < MIN_INT ? undefined : { data: Number(value), text: String(value) };
}
