/** How programs ask for a policy set. */

import type { JsonValue } from "../cel/json.js";
import { CERBOS_LEVELS } from "../cel/levels.js";
import { ENFORCEMENTS, UNLISTED } from "../policy/configuration/schema.js";
import { ANY, among, FLAG, OBJECT, type OptionTable, TEXT, TEXTS } from "../policy/options.js";

/** Options of `compilePolicies`. An option takes precedence over the field of `keyward.yaml` in its place. */
export interface CompileOptions {
  /** The version of the permission policies. Default: `default`. */
  readonly permissionVersion?: string;
  /** The version of the platform policies. Default: `platform`. */
  readonly platformVersion?: string;
  /**
   * `none`: the set is permission-only, like any Cerbos repository without a second layer. Then nothing is forbidden,
   * no account is read, and each decision says that no platform layer was asked. It excludes `platformVersion`.
   * `unlisted`: whether kinds without a platform policy are supported. Default: there is a platform layer, a set without
   * one is refused, and kinds without a platform policy are forbidden.
   */
  readonly platform?: "none" | { readonly unlisted: "supported" | "forbidden" };
  /**
   * Versions of policies that are meant to be in neither layer, for example because a Cerbos server answers for them.
   * Such policies are checked, and no decision asks them. A policy of any other version than those of the layers is
   * refused. (In a permission-only set it is ignored, unless its version looks like the layer's misspelt: that is a
   * warning.) Default: none.
   */
  readonly otherVersions?: readonly string[];
  /**
   * Whether code may be generated for rules that are used often (docs/decisions/generated-code.md). Default: `true`.
   * Answers are the same without it. If the environment forbids generated code, none is generated.
   */
  readonly codegen?: boolean;
  /**
   * The treatment of attributes that do not satisfy the policies' JSON Schemas. Under `reject` a layer that would allow
   * denies instead, with the reason `invalid_attributes`, even if no rule reads the attribute. `warn` is the server's
   * word, and changes no decision. Default: `none`.
   */
  readonly schemaEnforcement?: "none" | "warn" | "reject";
  /**
   * Whether reading an attribute is an error if its value is not of the type, or not one of the values, that a JSON
   * Schema of the policies declares. Then `DENY` if `P.attr.frozen == true` also denies if `frozen` is `"true"`
   * (docs/verdicts.md). Default: `true`.
   */
  readonly typedReads?: boolean;
  /**
   * Values that expressions read as `G.name` or `globals.name`. Default: unknown. Then decisions treat each as absent,
   * and proofs hold for every value. To state that there are none, give `{}`. They are copied: a member that is
   * `undefined` is absent, and a value that is not JSON throws a `TypeError`.
   */
  readonly globals?: { readonly [name: string]: JsonValue };
  /**
   * Whether a request's scope without policies is searched from its nearest ancestor that has some. Default: `false`.
   */
  readonly lenientScopeSearch?: boolean;
  /**
   * The level of the policy language: the Cerbos version that the policies are written for (docs/configuration.md).
   * Default: `0.55`.
   */
  readonly cerbos?: "0.55" | "0.58";
}

export const COMPILE_OPTIONS = {
  permissionVersion: TEXT,
  platformVersion: TEXT,
  platform: { has: isPlatform, said: '"none", { unlisted: "supported" | "forbidden" }' },
  otherVersions: TEXTS,
  codegen: FLAG,
  schemaEnforcement: among(ENFORCEMENTS),
  typedReads: FLAG,
  globals: OBJECT,
  lenientScopeSearch: FLAG,
  cerbos: among(CERBOS_LEVELS),
} satisfies OptionTable<CompileOptions>;

/** Options of `readPolicyDirectory`, to which a program may give the same object. */
export const READ_NAMES = { lock: ANY, followLinks: ANY };

function isPlatform(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === "none";
  return "unlisted" in value && UNLISTED.some((word) => word === value.unlisted);
}

/** The options of a `PermissionSet`. */
export interface PermissionOnly extends CompileOptions {
  readonly platform: "none";
  readonly platformVersion?: never;
}
