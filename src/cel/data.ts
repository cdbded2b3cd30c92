/**
 * Values of requests are JSON, as JavaScript objects. Each reader of a request's data uses these two tests, and
 * `docs/lists.md` has the table of values in all places where they are kept.
 */

/** Whether a value is a text, a boolean, null or a number that JSON can represent. */
export function isScalar(value: unknown): value is null | boolean | number | string {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value);
    case "string":
    case "boolean":
      return true;
    default:
      return value === null;
  }
}

const OBJECT = Object.prototype;

/** Whether `value` is an object as `JSON.parse` makes them: no list, no instance, and of this realm. */
export function isPlainObject(value: object): value is { readonly [name: string]: unknown } {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === OBJECT || prototype === null;
}
