/** The options of all commands that load policies. */

import type { LoadOptions } from "../node/load.js";
import type { ReadOptions } from "../node/read-options.js";
import type { Arguments } from "./arguments.js";
import { UsageError } from "./exit.js";

/** Options for reading a directory. */
export const READ_OPTIONS = {
  locked: { does: "refuse a set without a lock file (a set that differs from its lock file is always refused)" },
  "follow-links": { does: "follow links that lead out of the directory" },
};

export const POLICY_OPTIONS = {
  "permission-only": { does: "the set has no platform layer" },
  "permission-version": { value: "V", does: "the version of the permission policies (default: default)" },
  "other-version": {
    value: "V",
    multiple: true,
    does: "a version of policies that belongs to neither layer (may be repeated)",
  },
  ...READ_OPTIONS,
};

/** Options of commands that load a directory or a bundle. */
export const SET_OPTIONS = {
  policies: { value: "DIR|BUNDLE", does: "the policies: their directory, or a bundle of them" },
  ...POLICY_OPTIONS,
  "public-key": { value: "FILE", does: "the Ed25519 public key, as PEM, that must have signed the bundle" },
};

/** The required option for the set, as the usage shows it. */
export const SET_USAGE = `--policies ${SET_OPTIONS.policies.value}`;

export function readOptionsOf({ switches }: Pick<Arguments, "switches">): ReadOptions {
  return {
    ...(switches.has("locked") ? { lock: "required" } : {}),
    ...(switches.has("follow-links") ? { followLinks: true } : {}),
  };
}

/** The layers of the policies, and the options for reading them. */
export function loadOptionsOf({ texts, lists, switches }: Omit<Arguments, "positionals">): LoadOptions {
  const version = texts.get("permission-version");
  if (version === "") throw new UsageError("--permission-version must be a version of policies");
  const otherVersions = lists.get("other-version") ?? [];
  const layers = [version ?? "default", ...(switches.has("permission-only") ? [] : ["platform"]), ""];
  if (layers.some((layer) => otherVersions.includes(layer))) {
    throw new UsageError("--other-version must be a version of policies that is in neither layer");
  }
  return {
    ...readOptionsOf({ switches }),
    ...(switches.has("permission-only") ? { platform: "none" } : {}),
    ...(version === undefined ? {} : { permissionVersion: version }),
    ...(otherVersions.length === 0 ? {} : { otherVersions }),
  };
}
