/**
 * What is wrong with a request as a caller passes it, before it is a message. `@cerbos/core` throws what is no `NotOK`
 * for `undefined` and a `bigint`, makes an empty map of a `Date`, and lets `NaN` through. Here all of them are refused, but
 * for an attribute that is `undefined`, which is absent, as in JSON.
 */

/**
 * A copy of a request for which each value was read once, so that what is answered is what was looked at; or why it is no
 * request, which has the places of values in it, never a value. Never throws.
 */
export function takenOver<R>(request: R, method: Method): { readonly request: R } | { readonly fault: string } {
  try {
    const copy = copyOf(request);
    const fault = METHODS[method](copy);
    return fault === undefined ? { request: copy } : { fault };
  } catch {
    // What a getter or a proxy throws is not looked at: it may itself be hostile.
    return { fault: "the request cannot be read" };
  }
}

type Method = "check" | "plan";

const METHODS: { readonly [M in Method]: (request: unknown) => string | undefined } = {
  check: checkFault,
  plan: planFault,
};

/** Fields of the parts of a request that may be inherited: the parts may be instances of a class. */
const FIELDS = [
  ...["principal", "resources", "resource", "action", "actions", "requestId", "includeMetadata", "auxData"],
  ...["id", "kind", "roles", "attr", "attributes", "policyVersion", "scope"],
];

/** A part of a request, with all parts and attributes in it. */
function copyOf<T>(part: T): T;
function copyOf(part: unknown): unknown {
  if (!isFields(part)) return part;
  if (Array.isArray(part)) return Array.from(part, (item: unknown) => copyOf(item));
  const copy: { [name: string]: unknown } = Object.create(null);
  for (const name of new Set([...Object.keys(part), ...FIELDS.filter((field) => field in part)])) {
    const value = part[name];
    copy[name] = name === "attr" || name === "attributes" ? dataOf(value, 0) : copyOf(value);
  }
  return copy;
}

/** Lists and objects are copied, with what is in them; what is neither, or nested too deep, is found to be so later. */
function dataOf(value: unknown, depth: number): unknown {
  if (!isFields(value) || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return Array.from(value, (item: unknown) => dataOf(item, depth + 1));
  if (tagOf(value) !== "Object" || typeof value.toJSON === "function") return value;
  const copy: { [name: string]: unknown } = Object.create(null);
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member !== undefined) copy[name] = dataOf(member, depth + 1);
  }
  return copy;
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

interface Fields {
  readonly [name: string]: unknown;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function checkFault(request: unknown): string | undefined {
  if (!isFields(request)) return must("the request", "an object");
  const { principal, resources, requestId } = request;
  if (!Array.isArray(resources)) return must("resources", "a list");
  return (
    optionalTextFault(requestId, "requestId") ??
    principalFault(principal) ??
    first(resources, (entry, i) => entryFault(entry, `resources[${i}]`))
  );
}

function planFault(request: unknown): string | undefined {
  if (!isFields(request)) return must("the request", "an object");
  const { principal, resource, action, actions, requestId } = request;
  return (
    optionalTextFault(requestId, "requestId") ??
    principalFault(principal) ??
    plannedFault(resource) ??
    optionalTextFault(action, "action") ??
    (actions === undefined ? undefined : textsFault(actions, "actions"))
  );
}

/** A plan is for all resources of a kind: none is named. */
function plannedFault(resource: unknown): string | undefined {
  if (!isFields(resource)) return must("resource", "an object");
  return textFault(resource.kind, "resource.kind") ?? subjectFault(resource, "resource");
}

function principalFault(principal: unknown): string | undefined {
  if (!isFields(principal)) return must("principal", "an object");
  const { id, roles } = principal;
  return textFault(id, "principal.id") ?? textsFault(roles, "principal.roles") ?? subjectFault(principal, "principal");
}

function entryFault(entry: unknown, path: string): string | undefined {
  if (!isFields(entry)) return must(path, "an object");
  const { resource, actions } = entry;
  if (!isFields(resource)) return must(`${path}.resource`, "an object");
  return (
    textFault(resource.kind, `${path}.resource.kind`) ??
    textFault(resource.id, `${path}.resource.id`) ??
    textsFault(actions, `${path}.actions`) ??
    subjectFault(resource, `${path}.resource`)
  );
}

/** What principals and resources have alike. `attributes` is the older name of `attr`. */
function subjectFault({ attr, attributes, policyVersion, scope }: Fields, path: string): string | undefined {
  return (
    optionalTextFault(policyVersion, `${path}.policyVersion`) ??
    optionalTextFault(scope, `${path}.scope`) ??
    attributesFault(attributes, `${path}.attributes`) ??
    attributesFault(attr, `${path}.attr`)
  );
}

function attributesFault(attributes: unknown, path: string): string | undefined {
  // Clients in JavaScript pass null for none, and the client of the server takes it.
  if (attributes === undefined || attributes === null) return undefined;
  if (!isFields(attributes) || Array.isArray(attributes)) return must(path, "a map");
  return jsonFault(attributes, path, 0);
}

/** Maps and lists within each other that `@cerbos/core` takes below an attribute, less one. */
const MAX_DEPTH = 98;

function jsonFault(value: unknown, path: string, depth: number): string | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : formless(path, String(value));
    case "object":
      break;
    default:
      return formless(path, typeof value);
  }
  if (!isFields(value)) return undefined;
  if (depth > MAX_DEPTH) return `${path}: nested too deep`;
  if (Array.isArray(value)) return first(value, (item, i) => jsonFault(item, `${path}[${i}]`, depth + 1));
  const tag = tagOf(value);
  if (tag !== "Object") return formless(path, tag);
  if (typeof value.toJSON === "function") return `${path}: an object with toJSON: pass what that gives`;
  return first(Object.entries(value), ([name, member]) => jsonFault(member, `${path}.${name}`, depth + 1));
}

/** The first fault of items. A hole is undefined. */
function first<T>(items: readonly T[], fault: (item: T, index: number) => string | undefined): string | undefined {
  for (const [i, item] of items.entries()) {
    const found = fault(item, i);
    if (found !== undefined) return found;
  }
  return undefined;
}

function textsFault(value: unknown, path: string): string | undefined {
  if (!Array.isArray(value)) return must(path, "a list");
  return first(value, (item, i) => textFault(item, `${path}[${i}]`));
}

function textFault(value: unknown, path: string): string | undefined {
  return typeof value === "string" ? undefined : must(path, "a string");
}

function optionalTextFault(value: unknown, path: string): string | undefined {
  return value === undefined ? undefined : textFault(value, path);
}

function must(path: string, what: string): string {
  return `${path}: must be ${what}`;
}

function formless(path: string, what: string): string {
  return `${path}: ${what} has no form in JSON`;
}
