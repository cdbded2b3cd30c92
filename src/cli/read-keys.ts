/** Reads the keys of `--parent`: the ancestors of the key that requests have. */

import { MAX_LINKS } from "../decisions/decide-chain.js";
import { issueText } from "../decisions/request-issues.js";
import type { PermissionRequest } from "../decisions/types.js";
import { type Streams, UsageError } from "./exit.js";
import { readJsonValues } from "./json-values.js";
import { readInput } from "./read-input.js";
import { readRequest } from "./read-request.js";

/** The keys in files, a JSON key each. Throws a {@link UsageError} that names the file. */
export async function readParents(
  paths: readonly string[],
  streams: Streams,
): Promise<readonly PermissionRequest["key"][]> {
  if (paths.length >= MAX_LINKS) throw new UsageError(`--parent: a chain has at most ${MAX_LINKS} keys`);
  const keys: PermissionRequest["key"][] = [];
  for (const path of paths) {
    if (path === "-") throw new UsageError("--parent must be a file: standard input has the requests");
    keys.push(await readKey(path, streams));
  }
  return keys;
}

const RESOURCE = { kind: "none", id: "none", attr: {} };

/** The key in a file, as JSON. Throws a {@link UsageError} for anything else. */
export async function readKey(path: string, streams: Streams): Promise<PermissionRequest["key"]> {
  const found: PermissionRequest["key"][] = [];
  for await (const json of readJsonValues(readInput(path, streams))) {
    const value = json.ok
      ? { ok: true as const, value: { key: json.value, operation: "none", resource: RESOURCE } }
      : json;
    const read = readRequest(value, { permissionOnly: true });
    if (!read.ok) {
      const faults = read.invalid.invalid.map(issueText);
      throw new UsageError(`${path} has no key: ${faults.join("; ")}`);
    }
    found.push(read.request.key);
  }
  const [key] = found;
  if (key === undefined || found.length > 1) {
    throw new UsageError(`${path} must have one key, as JSON; it has ${found.length}`);
  }
  return key;
}
