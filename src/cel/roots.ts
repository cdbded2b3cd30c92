/**
 * The values that an expression can read, as in Cerbos's environment (`internal/conditions/cel.go`). `request` is a
 * message of known fields; `P` and `R` are short for two of them. Variables and constants are looked up by field only.
 *
 * Leaves are numbered: `Evaluation.roots[index]` or `Evaluation.attributes[index]` holds the value.
 */

import type { NameKind } from "./ast.js";
import { type CelType, DYN, list, map, messageType, STRING } from "./types.js";

/** Indexes into `Evaluation.roots`, which holds single values. */
export const ROOT = {
  principalId: 0,
  principalRoles: 1,
  principalPolicyVersion: 2,
  principalScope: 3,
  resourceKind: 4,
  resourceId: 5,
  resourcePolicyVersion: 6,
  resourceScope: 7,
  effectiveDerivedRoles: 8,
} as const;

/** Indexes into `Evaluation.attributes`, which holds JSON objects. */
export const ATTRIBUTES = { principal: 0, resource: 1, jwt: 2, globals: 3, jwts: 4 } as const;

/**
 * A value of the request. `path` is its canonical name, for facts and messages. `index` is into `Evaluation.attributes`
 * if `attributes` is set, otherwise into `Evaluation.roots`.
 */
export interface Leaf {
  readonly kind: "leaf";
  readonly path: string;
  readonly index: number;
  readonly attributes: boolean;
  readonly type: CelType;
}

/** A message with a fixed set of fields. Both protobuf spellings of a name are fields. */
export interface Message {
  readonly kind: "message";
  readonly path: string;
  readonly type: CelType;
  readonly fields: ReadonlyMap<string, Root>;
}

export type Root = Leaf | Message;

const ATTR = map(STRING, DYN);

function leaf(path: string, index: number, type: CelType): Leaf {
  return { kind: "leaf", path, index, attributes: false, type };
}

function attributes(path: string, index: number, type = ATTR): Leaf {
  return { kind: "leaf", path, index, attributes: true, type };
}

function message(path: string, name: string, fields: readonly (readonly [string, Root])[]): Message {
  return { kind: "message", path, type: messageType(`cerbos.engine.v1.${name}`), fields: new Map(fields) };
}

/** A field under its JSON name and its protobuf name. */
function both(json: string, proto: string, root: Root): readonly (readonly [string, Root])[] {
  return [
    [json, root],
    [proto, root],
  ];
}

const PRINCIPAL = message("P", "Request.Principal", [
  ["id", leaf("P.id", ROOT.principalId, STRING)],
  ["roles", leaf("P.roles", ROOT.principalRoles, list(STRING))],
  ["attr", attributes("P.attr", ATTRIBUTES.principal)],
  ...both("policyVersion", "policy_version", leaf("P.policyVersion", ROOT.principalPolicyVersion, STRING)),
  ["scope", leaf("P.scope", ROOT.principalScope, STRING)],
]);

const RESOURCE = message("R", "Request.Resource", [
  ["kind", leaf("R.kind", ROOT.resourceKind, STRING)],
  ["id", leaf("R.id", ROOT.resourceId, STRING)],
  ["attr", attributes("R.attr", ATTRIBUTES.resource)],
  ...both("policyVersion", "policy_version", leaf("R.policyVersion", ROOT.resourcePolicyVersion, STRING)),
  ["scope", leaf("R.scope", ROOT.resourceScope, STRING)],
]);

/** A named token. Its fields are read as data below `request.auxData.jwts`. */
const NAMED_JWT = message("", "AuxData.JWT", [["claims", attributes("", ATTRIBUTES.jwts)]]);

const AUX_DATA = message("request.auxData", "AuxData", [
  ["jwt", attributes("request.auxData.jwt", ATTRIBUTES.jwt)],
  ["jwts", attributes("request.auxData.jwts", ATTRIBUTES.jwts, map(STRING, NAMED_JWT.type))],
]);

const RUNTIME = message(
  "runtime",
  "Runtime",
  both(
    "effectiveDerivedRoles",
    "effective_derived_roles",
    leaf("runtime.effectiveDerivedRoles", ROOT.effectiveDerivedRoles, list(STRING)),
  ),
);

const REQUEST = message("request", "Request", [
  ["principal", PRINCIPAL],
  ["resource", RESOURCE],
  ...both("auxData", "aux_data", AUX_DATA),
]);

/** Messages by the names of their types. */
export const MESSAGES: ReadonlyMap<string, Message> = new Map(
  [REQUEST, PRINCIPAL, RESOURCE, AUX_DATA, NAMED_JWT, RUNTIME].map((one) => [one.type.name, one]),
);

/** The names at the start of an expression, apart from variables, constants and globals. */
export const ROOTS: ReadonlyMap<string, Root> = new Map<string, Root>([
  ["P", PRINCIPAL],
  ["R", RESOURCE],
  ["request", REQUEST],
  ["runtime", RUNTIME],
]);

/** The kind of value that a root names; undefined for any other name. */
export function namingOf(name: string): Exclude<NameKind, "local"> | undefined {
  if (ROOTS.has(name)) return "request";
  if (VARIABLE_ROOTS.has(name)) return "variable";
  if (CONSTANT_ROOTS.has(name)) return "constant";
  return GLOBAL_ROOTS.has(name) ? "global" : undefined;
}

/** A leaf and the fields below it, or a whole message. */
export interface RequestValue {
  readonly root: Root;
  readonly path: readonly string[];
}

/** Follows fields through the request's messages; undefined if a field does not exist. */
export function follow(name: string, fields: readonly string[]): RequestValue | undefined {
  let root = ROOTS.get(name);
  let depth = 0;
  while (root?.kind === "message" && depth < fields.length) root = root.fields.get(fields[depth++] ?? "");
  return root && { root, path: fields.slice(depth) };
}

const VARIABLE_ROOTS: ReadonlySet<string> = new Set(["V", "variables"]);
const CONSTANT_ROOTS: ReadonlySet<string> = new Set(["C", "constants"]);

/** Values of the server's configuration, looked up by field. */
const GLOBAL_ROOTS: ReadonlySet<string> = new Set(["G", "globals"]);

/** Names of types: values of type `type`, as in `type(R.attr.n) == double`. */
export const TYPE_NAMES: ReadonlySet<string> = new Set([
  "bool",
  "bytes",
  "cerbos.lib.hierarchy",
  "cerbos.lib.spiffeID",
  "cerbos.lib.spiffeMatcher",
  "cerbos.lib.spiffeTrustDomain",
  "double",
  "google.protobuf.Duration",
  "google.protobuf.Timestamp",
  "int",
  "list",
  "map",
  "net.CIDR",
  "net.IP",
  "null_type",
  "optional_type",
  "string",
  "type",
  "uint",
]);
