/**
 * The allowed forms of names, and the names of policies. The rules are those of Cerbos's `policy.proto` and
 * `internal/namer`.
 */

/** A resource kind, principal id or role in the head of a policy. */
export const POLICY_NAME = "^[^!*?\\[\\]{}]+$";
export const VERSION = "^\\w+$";
/** The version of a role policy: `""` stands for `default`. */
export const OPTIONAL_VERSION = "^\\w*$";
/** `""` is the root. */
export const SCOPE = "^(|\\.|[0-9a-zA-Z][\\w-]*(\\.\\w[\\w-]*)*)$";
/** `""`: the rule has no name. */
export const RULE_NAME = "^([a-zA-Z][\\w@.-]*)?$";
/** The name of a set of derived roles, of an export, or of a derived role. */
export const SET_NAME = "^[\\w.-]+$";

const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const RESERVED: ReadonlySet<string> = new Set(["true", "false", "null", "in"]);

/** Why `name` cannot name a variable or constant, or undefined if it can. */
export function identifierFault(name: string): string | undefined {
  if (RESERVED.has(name)) return `"${name}" is a reserved word`;
  return IDENTIFIER.test(name) ? undefined : `${JSON.stringify(name)} is not an identifier`;
}

const UNUSUAL = /[^\w.]/;
const SANITISED = /^[a-zA-Z][\w@.\-/]*(:[a-zA-Z][\w@.\-/]*)*$/;

/**
 * The form of a resource kind that policies and requests are matched by: `album:object` and `album_object` are the same
 * kind. Names of an unusual form are returned unchanged.
 */
export function sanitise(name: string): string {
  if (!UNUSUAL.test(name)) return name;
  return SANITISED.test(name) ? name.replace(/[^\w.]+/g, "_") : name;
}

export type PolicyKind = "resource" | "principal" | "role";

/** The name of a policy that requests are checked against: `resource.leave_request.v20210210/acme`. */
export function policyKey(kind: PolicyKind, name: string, version: string, scope: string): string {
  return `${kind}.${sanitise(name)}.v${version}${scope === "" ? "" : `/${scope}`}`;
}

/**
 * The scopes above a scope, nearest first: for `a.b` they are `a` and the root. The scope `.` is one level below the
 * root.
 */
export function scopesAbove(scope: string): readonly string[] {
  const above: string[] = [];
  for (let rest = scope; rest !== ""; ) {
    rest = rest.slice(0, Math.max(0, rest.lastIndexOf(".")));
    above.push(rest);
  }
  return above;
}

/** The name of a rule that has no name of its own. `index` counts from 0. */
export function generatedRuleName(index: number): string {
  return `rule-${String(index + 1).padStart(3, "0")}`;
}

/** The name of an unnamed action of a principal policy. `index` counts within the rule for its resource. */
export function generatedActionName(resource: string, index: number): string {
  return `${resource}_${generatedRuleName(index)}`;
}
