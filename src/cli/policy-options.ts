/** The options of all commands that load policies. */

import { CERBOS_LEVELS } from "../cel/levels.js";
import { jsonGlobals } from "../decisions/configuration.js";
import type { LoadOptions } from "../node/load.js";
import type { ReadOptions } from "../node/read-options.js";
import { ENFORCEMENTS } from "../policy/configuration/schema.js";
import { type Arguments, choice } from "./arguments.js";
import { UsageError } from "./exit.js";
import { globalsFile } from "./globals.js";

/** Options for reading a directory. */
export const READ_OPTIONS = {
  locked: { does: "refuse a set without a lock file (a set that differs from its lock file is always refused)" },
  "follow-links": { does: "follow links that lead out of the directory" },
};

export const POLICY_OPTIONS = {
  "permission-only": { does: "the set has no platform layer" },
  "permission-version": {
    value: "V",
    does: "the version of the permission policies (default: as in keyward.yaml, or default)",
  },
  "other-version": {
    value: "V",
    multiple: true,
    does: "a version of policies that belongs to neither layer (may be repeated)",
  },
  globals: {
    value: "FILE",
    does: "the globals, in YAML or JSON: the values of G.name (default: those of keyward.yaml)",
  },
  "schema-enforcement": {
    value: ENFORCEMENTS.join("|"),
    does: "the treatment of attributes that the schemas refuse (default: as in keyward.yaml, or none)",
  },
  "typed-reads": {
    value: "true|false",
    does: "whether reading an attribute of an undeclared type is an error (default: as in keyward.yaml, or true)",
  },
  cerbos: {
    value: CERBOS_LEVELS.join("|"),
    does: "the level of the policy language (default: as in keyward.yaml, or 0.55)",
  },
  ...READ_OPTIONS,
};

/** Options of commands that load a directory. */
export const DIR_OPTIONS = {
  policies: { value: "DIR", does: "the policies: another way to give DIR" },
  ...POLICY_OPTIONS,
};

/** Options of commands that load a directory or a bundle. */
export const SET_OPTIONS = {
  policies: { value: "DIR|BUNDLE", does: "the policies, a directory or a bundle: another way to give DIR|BUNDLE" },
  ...POLICY_OPTIONS,
  "public-key": { value: "FILE", does: "the Ed25519 public key, as PEM, that must have signed the bundle" },
};

/** The argument for the set, as the usage shows it. */
export const SET_USAGE = SET_OPTIONS.policies.value;

export function readOptionsOf({ switches }: Pick<Arguments, "switches">): ReadOptions {
  return {
    ...(switches.has("locked") ? { lock: "required" } : {}),
    ...(switches.has("follow-links") ? { followLinks: true } : {}),
  };
}

/**
 * The configuration of the policies, as far as options give it, and the options for reading them. Throws a
 * {@link UsageError} for values that the options do not take, and for an unreadable file of globals.
 */
export function loadOptionsOf({ texts, lists, switches }: Omit<Arguments, "positionals">): LoadOptions {
  const version = texts.get("permission-version");
  if (version === "") throw new UsageError("--permission-version must be a version of policies");
  const otherVersions = lists.get("other-version") ?? [];
  const layers = [version ?? "default", ...(switches.has("permission-only") ? [] : ["platform"]), ""];
  if (layers.some((layer) => otherVersions.includes(layer))) {
    throw new UsageError("--other-version must be a version of policies that is in neither layer");
  }
  const [globals, enforcement, typed] = ["globals", "schema-enforcement", "typed-reads"].map((name) => texts.get(name));
  const level = texts.get("cerbos");
  return {
    ...readOptionsOf({ switches }),
    ...(switches.has("permission-only") ? { platform: "none" } : {}),
    ...(version === undefined ? {} : { permissionVersion: version }),
    ...(otherVersions.length === 0 ? {} : { otherVersions }),
    ...(globals === undefined ? {} : { globals: jsonGlobals(globalsFile(globals)) }),
    ...(enforcement === undefined
      ? {}
      : { schemaEnforcement: choice("schema-enforcement", enforcement, ENFORCEMENTS) }),
    ...(typed === undefined ? {} : { typedReads: choice("typed-reads", typed, BOOLEANS) === "true" }),
    ...(level === undefined ? {} : { cerbos: choice("cerbos", level, CERBOS_LEVELS) }),
  };
}

const BOOLEANS = ["true", "false"] as const;
