/** What every command that takes policies can be told of them. */

import type { LoadOptions } from "../node/load.js";
import type { ReadOptions } from "../node/read-options.js";
import type { Arguments } from "./arguments.js";
import { UsageError } from "./exit.js";

/** How a directory is read. */
export const READ_OPTIONS = {
  locked: { type: "boolean" },
  "follow-links": { type: "boolean" },
} as const;

export const POLICY_OPTIONS = {
  ...READ_OPTIONS,
  "permission-only": { type: "boolean" },
  "permission-version": { type: "string" },
  "other-version": { type: "string", multiple: true },
} as const;

/** What the usage says behind a command that takes {@link POLICY_OPTIONS}. */
export const POLICY_USAGE = "[POLICY OPTIONS]";

export const POLICY_HELP = `policy options:
  --permission-only        the set has no platform layer
  --permission-version V   the version of the permission policies
  --other-version V        a version that is meant to be in neither layer (may be repeated)
  --locked                 refuse a set without a lock (one that is not as its lock says is refused in any case)
  --follow-links           follow links that lead out of the directory
`;

export function readOptionsOf({ switches }: Pick<Arguments, "switches">): ReadOptions {
  return {
    ...(switches.has("locked") ? { lock: "required" } : {}),
    ...(switches.has("follow-links") ? { followLinks: true } : {}),
  };
}

/** Which layers the policies have, and how they are read. */
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
