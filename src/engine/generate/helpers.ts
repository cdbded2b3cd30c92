/**
 * What generated functions call. Each is handed to them when they are made, so that nothing that a program does to
 * globals later reaches them.
 */

/** What a helper says where the closures must be asked. */
const ASK = 2;
/** `0` for no, `1` for yes. */
type Answer = 0 | 1 | typeof ASK;

/** Longer lists cost steps of the budget, which generated code does not count. */
export const MAX_LIST = 63;
/** So do strings of this length. */
export const MAX_TEXT = 512;

const { getPrototypeOf } = Object;
const { isArray } = Array;

/** Whether a value is JSON data. */
function isData(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "number":
    case "boolean":
    case "object":
      return true;
    default:
      return false;
  }
}

/** `a == b` for two attributes. Only what is certain: two numbers, two booleans, two short strings. */
function same(a: unknown, b: unknown): Answer {
  if (typeof a !== typeof b) return ASK;
  if (typeof a === "string") return a.length < MAX_TEXT ? (a === b ? 1 : 0) : ASK;
  if (typeof a !== "number" && typeof a !== "boolean") return ASK;
  return a === b ? 1 : 0;
}

/** Whether a list has a (short) string. */
function has(list: unknown, text: string): Answer {
  if (!isArray(list)) return ASK;
  const { length } = list;
  if (length > MAX_LIST) return ASK;
  for (let i = 0; i < length; i++) if (list[i] === text) return 1;
  return 0;
}

/** Whether `text` is `prefix + middle + suffix`, which has its length. From the end: what starts alike ends unlike. */
function isJoined(text: string, prefix: string, middle: string, suffix: string): boolean {
  let at = text.length;
  for (let i = suffix.length; i > 0; ) if (text[--at] !== suffix[--i]) return false;
  for (let i = middle.length; i > 0; ) if (text[--at] !== middle[--i]) return false;
  for (let i = prefix.length; i > 0; ) if (text[--at] !== prefix[--i]) return false;
  return true;
}

/** The names by which generated code knows them, and they themselves. */
export const HELPERS = {
  O: Object.prototype,
  G: getPrototypeOf,
  L: isArray,
  D: isData,
  S: same,
  H: has,
  J: isJoined,
} as const;
