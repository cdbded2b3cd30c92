/** What every command that takes policies can be told of them. */

import type { CompileOptions } from "../decisions/policy-set.js";
import type { Arguments } from "./arguments.js";
import { UsageError } from "./exit.js";

export const POLICY_OPTIONS = {
  "permission-only": { type: "boolean" },
  "permission-version": { type: "string" },
} as const;

export const POLICY_USAGE = "[--permission-only] [--permission-version V]";

/** Which layers the policies have. */
export function layersOf({ texts, switches }: Pick<Arguments, "texts" | "switches">): CompileOptions {
  const version = texts.get("permission-version");
  if (version === "") throw new UsageError("--permission-version must be a version of policies");
  return {
    ...(switches.has("permission-only") ? { platform: "none" } : {}),
    ...(version === undefined ? {} : { permissionVersion: version }),
  };
}
