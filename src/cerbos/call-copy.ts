/** Copies requests of callers, reading each value once. */

export interface CallFields {
  readonly [name: string]: unknown;
}

export function isFields(value: unknown): value is CallFields {
  return typeof value === "object" && value !== null;
}

export function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

/** Whether a value was made by a literal or by `JSON.parse`, perhaps in another realm. */
export function isPlain(value: unknown): value is CallFields {
  if (!isFields(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || (Object.getPrototypeOf(prototype) === null && tagOf(value) === "Object");
}

/** Fields of a request's parts that may be inherited, because a part may be an instance of a class. */
const FIELDS = [
  ...["principal", "resources", "resource", "action", "actions", "requestId", "includeMetadata", "auxData"],
  ...["id", "kind", "roles", "attr", "attributes", "policyVersion", "scope"],
  ...["jwt", "jwts", "token", "keySetId", "requestContext", "annotations"],
];

/** Fields that contain data, nested to any depth. */
const DATA: ReadonlySet<string> = new Set(["attr", "attributes", "annotations"]);

/** Fields for which null means absent: JavaScript callers pass it, and `@cerbos/core` accepts it. */
const NULLABLE: ReadonlySet<string> = new Set(["attr", "attributes", "auxData", "jwt", "requestContext"]);

/** Copies a part of a request, with all parts and attributes in it. Fields without a value are absent. */
export function copyOf<T>(part: T): T;
export function copyOf(part: unknown): unknown {
  if (!isFields(part)) return part;
  if (Array.isArray(part)) return Array.from(part, (item: unknown) => copyOf(item));
  const copy: { [name: string]: unknown } = Object.create(null);
  for (const name of new Set([...Object.keys(part), ...FIELDS.filter((field) => field in part)])) {
    const value = part[name];
    if (value === undefined || (value === null && NULLABLE.has(name))) continue;
    copy[name] = fieldOf(name, value);
  }
  return copy;
}

function fieldOf(name: string, value: unknown): unknown {
  if (DATA.has(name)) return dataOf(value, 0);
  if (name === "jwts") return tokensOf(value);
  // Keep a `Map` or a promise. Its copy would be empty: tokens in it would be lost, and its fault would go unnoticed.
  if (name === "auxData" && isFields(value) && tagOf(value) !== "Object") return value;
  return copyOf(value);
}

/** Tokens by name. A name without a value is kept, and validation refuses it later. */
function tokensOf(jwts: unknown): unknown {
  if (!isPlain(jwts)) return jwts;
  const copy: { [name: string]: unknown } = Object.create(null);
  for (const name of Object.keys(jwts)) copy[name] = copyOf(jwts[name]);
  return copy;
}

/** The depth of nested maps and lists that `@cerbos/core` accepts below an attribute, minus one. */
export const MAX_DEPTH = 98;

/**
 * Copies lists and objects at any depth, with dates as the texts that JSON has for them. Other values, and values nested
 * too deep, are kept, and validation refuses them.
 */
function dataOf(value: unknown, depth: number): unknown {
  if (!isFields(value) || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return Array.from(value, (item: unknown) => dataOf(item, depth + 1));
  const tag = tagOf(value);
  if (tag === "Date") return dateText(value) ?? value;
  if (tag !== "Object" || typeof value.toJSON === "function") return value;
  const copy: { [name: string]: unknown } = Object.create(null);
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member !== undefined) copy[name] = dataOf(member, depth + 1);
  }
  return copy;
}

/** The text of a date in JSON. Undefined for an invalid date, and for an object that only calls itself a date. */
function dateText(value: object): string | undefined {
  try {
    return Date.prototype.toISOString.call(value);
  } catch {
    return undefined;
  }
}
