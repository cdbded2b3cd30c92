/** How a policy set is asked: from `keyward.yaml`, and from options that override it. */

import type { JsonValue } from "../cel/json.js";
import { type CerbosLevel, DEFAULT_LEVEL } from "../cel/levels.js";
import type { Equipment } from "../engine/evaluate/equipment.js";
import type { LayerOptions } from "../engine/evaluate/layer.js";
import { copyOfValues } from "../engine/frame/program-values.js";
import type { PolicyConfiguration } from "../policy/configuration/configuration.js";
import type { Globals, GlobalValue } from "../policy/configuration/globals.js";
import type { UNLISTED } from "../policy/configuration/schema.js";
import type { CompileOptions } from "./compile-options.js";

/** The version of platform policies, unless another is named. */
export const PLATFORM_VERSION = "platform";

/** Settings that change decisions, and that a proof has to assume where nothing gives them. */
export const ASSUMABLE = ["globals", "schemaEnforcement", "typedReads", "lenientScopeSearch"] as const;

/** The configuration of a compiled set. */
export interface SetConfiguration {
  readonly permissionVersion: string;
  /** `null`: the set is permission-only. */
  readonly platformVersion: string | null;
  /** Whether the platform layer supports kinds without a platform policy. */
  readonly unlisted: (typeof UNLISTED)[number];
  readonly otherVersions: readonly string[];
  /** Whether the layers are those of `keyward.yaml`, so that programs that load a bundle need not name them. */
  readonly namesLayers: boolean;
  readonly schemaEnforcement: "none" | "warn" | "reject";
  readonly typedReads: boolean;
  readonly lenientScopeSearch: boolean;
  /** The level of the policy language. */
  readonly cerbos: CerbosLevel;
  /** `null`: the globals are unknown; decisions treat every global as absent. */
  readonly globals: { readonly [name: string]: JsonValue } | null;
  /** The settings that neither `keyward.yaml` nor an option gives. */
  readonly assumed: readonly (typeof ASSUMABLE)[number][];
  /** The fields of `keyward.yaml` for which an option gave another value. */
  readonly overridden: readonly string[];
}

/** Options take precedence over `keyward.yaml`. Throws a `TypeError` for options and a file that contradict each other. */
export function configurationOf(file: PolicyConfiguration | undefined, options: CompileOptions): SetConfiguration {
  const overridden: string[] = [];
  const setting = <T>(field: string, option: T | undefined, written: T | undefined): T | undefined => {
    if (option === undefined) return written;
    if (written !== undefined && !isSame(option, written)) overridden.push(field);
    return option;
  };
  const layers = file?.layers;
  const permissionVersion = setting("layers.permission", options.permissionVersion, layers?.permission) ?? "default";
  const { platformVersion, unlisted } = platformOf(options, file, overridden);
  const otherVersions = setting("layers.others", options.otherVersions, layers?.others) ?? [];
  for (const other of otherVersions) {
    if (other !== permissionVersion && other !== platformVersion) continue;
    throw new TypeError(`otherVersions must not have ${other}: it is the version of a layer`);
  }
  const globals = setting("globals", givenGlobals(options.globals), file?.globals && jsonGlobals(file.globals));
  const schemaEnforcement = setting("schemaEnforcement", options.schemaEnforcement, file?.schemaEnforcement);
  const typedReads = setting("typedReads", options.typedReads, file?.typedReads);
  const lenientScopeSearch = setting("lenientScopeSearch", options.lenientScopeSearch, file?.lenientScopeSearch);
  const cerbos = setting("cerbos", options.cerbos, file?.cerbos);
  const given = { globals, schemaEnforcement, typedReads, lenientScopeSearch };
  return {
    permissionVersion,
    platformVersion,
    unlisted,
    otherVersions,
    namesLayers: (layers !== undefined || file?.platform !== undefined) && !overridden.some(isAboutLayers),
    schemaEnforcement: schemaEnforcement ?? "none",
    typedReads: typedReads ?? true,
    lenientScopeSearch: lenientScopeSearch ?? false,
    cerbos: cerbos ?? DEFAULT_LEVEL,
    globals: globals ?? null,
    assumed: ASSUMABLE.filter((name) => given[name] === undefined),
    overridden,
  };
}

function isAboutLayers(field: string): boolean {
  return field === "platform" || field.startsWith("layers.");
}

/** The version of the platform layer, and whether it supports kinds without a platform policy. */
function platformOf(
  options: CompileOptions,
  file: PolicyConfiguration | undefined,
  overridden: string[],
): Pick<SetConfiguration, "platformVersion" | "unlisted"> {
  const { platform: given, platformVersion } = options;
  if (given === "none" && platformVersion !== undefined) {
    throw new TypeError('platformVersion makes no sense beside platform: "none"');
  }
  const written = file?.platform;
  // A named version is a layer.
  const platform = given ?? (platformVersion === undefined || written !== "none" ? written : "forbidden");
  const word = (one: CompileOptions["platform"] | "forbidden") => (typeof one === "object" ? one.unlisted : one);
  if (written !== undefined && word(platform) !== word(written)) overridden.push("platform");
  if (platform === "none") return { platformVersion: null, unlisted: "forbidden" };
  const version = file?.layers?.platform;
  if (platformVersion !== undefined && version !== undefined && version !== platformVersion) {
    overridden.push("layers.platform");
  }
  return {
    platformVersion: platformVersion ?? version ?? PLATFORM_VERSION,
    unlisted: word(platform) === "supported" ? "supported" : "forbidden",
  };
}

/** A copy of the globals that the program gives. Throws a `TypeError` if they are not JSON. */
export function givenGlobals(globals: CompileOptions["globals"]): CompileOptions["globals"] {
  return globals && jsonGlobals(copyOfValues(globals, "globals", "doubles"));
}

/** The configuration of a bundle, with the globals that the program gives, if it gives any. */
export function withGlobals(configuration: SetConfiguration, globals: CompileOptions["globals"]): SetConfiguration {
  if (globals === undefined) return configuration;
  const { globals: written, assumed, overridden } = configuration;
  return {
    ...configuration,
    globals,
    assumed: assumed.filter((name) => name !== "globals"),
    overridden: written === null || isSame(written, globals) ? overridden : [...overridden, "globals"],
  };
}

/** The options of the layers of a set with this configuration. */
export function layerOptionsOf(
  { globals, schemaEnforcement, typedReads, lenientScopeSearch }: SetConfiguration,
  equipment: Equipment,
  codegen: boolean,
): LayerOptions {
  const enforceSchemas = schemaEnforcement === "reject";
  return { equipment, codegen, globals: globals ?? undefined, typedReads, enforceSchemas, lenientScopeSearch };
}

/** Globals as JSON: integers become numbers. */
export function jsonGlobals(globals: Globals): { readonly [name: string]: JsonValue } {
  return Object.fromEntries(Object.entries(globals).map(([name, value]) => [name, jsonGlobal(value)]));
}

function jsonGlobal(value: GlobalValue): JsonValue {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null) return value;
  if (isListed(value)) return value.map(jsonGlobal);
  return jsonGlobals(value);
}

function isListed(value: GlobalValue): value is readonly GlobalValue[] {
  return Array.isArray(value);
}

/** Whether two sets are asked in the same way. */
export function haveSameSettings(a: SetConfiguration, b: SetConfiguration): boolean {
  const settings = (one: SetConfiguration): Partial<SetConfiguration> => ({
    ...one,
    otherVersions: [],
    namesLayers: true,
    assumed: [],
    overridden: [],
  });
  return isSame(settings(a), settings(b));
}

/** Whether two settings are the same JSON, in any order of their members. */
function isSame(a: unknown, b: unknown): boolean {
  return sortedText(a) === sortedText(b);
}

function sortedText(value: unknown): string | undefined {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
