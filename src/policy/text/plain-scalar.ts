/**
 * Reads plain scalars as the server's YAML parser does (goccy/go-yaml 1.19.2, `token.ToNumber`; observed): `1e3` is text,
 * `007` and `0b111` are 7, `1_000` is 1000, and an integer beyond 64 bits is text.
 */

/** The value of a plain scalar. */
export interface Plain {
  readonly data: null | boolean | number | string;
  /** The value for a text field; integers are in decimal. Undefined if the server does not accept the value as text. */
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

/** A quick test for scalars that may be numbers: most are words. */
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

/** `++1.5` and the like leave a sign in `digits`. */
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
