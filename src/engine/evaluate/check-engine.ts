/** Policies compiled for checks, by the policy directory and the configuration of a Cerbos server. */

import { type CelValue, Entries, type JsonMap } from "../../cel/values.js";
import type { GlobalValue } from "../../policy/configuration/globals.js";
import { ENFORCEMENTS } from "../../policy/configuration/schema.js";
import type { PolicyIssue } from "../../policy/issue.js";
import type { PolicyModel } from "../../policy/model.js";
import { among, FLAG, OBJECT, type OptionTable, TEXT } from "../../policy/options.js";
import { copyOfValues } from "../frame/program-values.js";
import { CheckPolicies } from "./check.js";
import type { CheckOptions } from "./check-types.js";
import type { Equipment } from "./equipment.js";

/**
 * Settings of the same names, meanings and defaults as in the server's configuration. A setting that is not given is that
 * of the policies' `keyward.yaml`.
 */
export interface CheckEngineOptions {
  /** Default: `default`. */
  readonly defaultPolicyVersion?: string;
  /** Default: the root scope. */
  readonly defaultScope?: string;
  /**
   * Whether a request's scope without policies is searched from its nearest ancestor that has some. Default: `false`.
   */
  readonly lenientScopeSearch?: boolean;
  /**
   * Whether a condition that errs denies the action, if the condition is reached; otherwise it counts as false. It is
   * the server's option of this name. Conditions that the server does not reach, such as those for roles after one that
   * is allowed, are not evaluated. Default: `false`.
   */
  readonly strictEvaluation?: boolean;
  /**
   * Whether any error denies, as in `decide`: every rule of a scope and every role is examined, in any order
   * (docs/verdicts.md). A query plan also denies where a principal policy denies every resource. The server has no such
   * option. Default: `false`.
   */
  readonly failClosed?: boolean;
  /**
   * Whether attributes that do not satisfy the policies' JSON Schemas are reported (`warn`), or also denied (`reject`).
   * Default: `none`.
   */
  readonly schemaEnforcement?: "none" | "warn" | "reject";
  /**
   * Values that expressions read as `G.name`. Default: none. Whole numbers are integers (`int`), `5.0` included,
   * because the server reads its configuration so. Whole numbers of attributes are not.
   */
  readonly globals?: { readonly [name: string]: GlobalValue };
}

export const CHECK_ENGINE_OPTIONS = {
  defaultPolicyVersion: TEXT,
  defaultScope: TEXT,
  lenientScopeSearch: FLAG,
  strictEvaluation: FLAG,
  failClosed: FLAG,
  schemaEnforcement: among(ENFORCEMENTS),
  globals: OBJECT,
} satisfies OptionTable<CheckEngineOptions>;

/** Made by `compileCheckEngine`; immutable, and safe to share. */
export interface CheckEngine {
  /** @internal */
  readonly policies: CheckPolicies;
  /** @internal */
  readonly options: CheckOptions;
  /** Findings that do not prevent loading. */
  readonly warnings: readonly PolicyIssue[];
}

/** The settings that policies carry with them. */
export type CarriedSettings = {
  readonly [Name in "defaultPolicyVersion" | "lenientScopeSearch" | "schemaEnforcement" | "globals"]?:
    | CheckEngineOptions[Name]
    | undefined;
};

/**
 * The engine for a model, with options that are checked already. `carried` are the settings that count where `options`
 * give none: those of `keyward.yaml`.
 */
export function checkEngineOf(
  model: PolicyModel,
  equipment: Equipment,
  options: CheckEngineOptions,
  carried: CarriedSettings = settingsIn(model),
): CheckEngine {
  const { defaultScope = "", strictEvaluation = false, failClosed = false } = options;
  const mode = failClosed ? "strict" : strictEvaluation ? "server-strict" : "lenient";
  return {
    policies: new CheckPolicies(model, mode, equipment),
    options: {
      defaultPolicyVersion: options.defaultPolicyVersion ?? carried.defaultPolicyVersion ?? "default",
      defaultScope,
      lenientScopeSearch: options.lenientScopeSearch ?? carried.lenientScopeSearch ?? false,
      schemaEnforcement: options.schemaEnforcement ?? carried.schemaEnforcement ?? "none",
      globals: mapOf(copyOfValues(options.globals ?? carried.globals ?? {}, "globals", "exact")),
    },
    warnings: model.warnings,
  };
}

function settingsIn({ configuration }: PolicyModel): CarriedSettings {
  return { ...configuration, defaultPolicyVersion: configuration?.layers?.permission };
}

function mapOf(globals: { readonly [name: string]: GlobalValue }): JsonMap {
  const map: { [name: string]: CelValue } = Object.create(null);
  for (const [name, value] of Object.entries(globals)) map[name] = globalOf(value);
  return map;
}

/** A nested map becomes `Entries`, and not a map of a request, because it can contain integers. */
function globalOf(value: GlobalValue): CelValue {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map(globalOf);
  return new Entries(Object.entries(value).map(([name, member]) => [name, globalOf(member)] as const));
}

function isList(value: GlobalValue): value is readonly GlobalValue[] {
  return Array.isArray(value);
}
