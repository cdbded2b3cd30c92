/** The options for tokens in `auxData`: `--key-sets` verifies them, and `--insecure-jwt` decodes them. */

import { tokenClaims } from "../cerbos/claims.js";
import type { ReadToken } from "../cerbos/json-api.js";
import { readKeySets } from "../cerbos/key-sets/read-file.js";
import type { Arguments } from "./arguments.js";
import { messageOf, UsageError } from "./exit.js";
import { loadOptionalPackages } from "./optional-packages.js";

export const decodedToken: ReadToken = async ({ token }, now) => tokenClaims(token, now);

/** The file of key sets, once `jose` is there; undefined without one. */
export async function keySetsFile({ texts, switches }: Arguments): Promise<string | undefined> {
  const file = texts.get("key-sets");
  if (file === undefined) return undefined;
  if (switches.has("insecure-jwt")) throw new UsageError("--key-sets and --insecure-jwt exclude each other");
  await loadOptionalPackages("jose@6.2.18", () => import("../cerbos/key-sets/verifier.js"));
  return file;
}

/** How a command reads tokens; undefined if it refuses them. */
export async function readTokenOf(given: Arguments): Promise<ReadToken | undefined> {
  const file = await keySetsFile(given);
  if (file === undefined) return given.switches.has("insecure-jwt") ? decodedToken : undefined;
  return await readKeySets(file).catch((error: unknown) => {
    throw new UsageError(`${file}: ${messageOf(error)}`);
  });
}
