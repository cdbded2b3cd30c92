/** The hash of a policy set: one name for a set of files. */

import { lockText } from "../policy/lock.js";
import { checkArgument, OBJECT } from "../policy/options.js";
import type { PolicyFile } from "../policy/parse.js";
import type { PolicySet } from "./policy-set.js";

const known = new WeakMap<PolicySet, Promise<string>>();

/**
 * The SHA-256 of the set's files, as `sha256:` and 64 hexadecimal digits: equal for the same paths and texts, in any
 * order, and for no others. Computed at the first call.
 *
 * It is the hash of the set's lock file (`keyward lock`), even if there is no such file: of the output of `sha256sum`
 * for the files that were loaded, by path, schemas among them.
 *
 * A set that came out of a bundle has the hash of the files that the bundle was built from.
 *
 * Options (versions, globals) are not part of it. Rejects without WebCrypto: in browsers, on pages that do not come
 * over https.
 */
export function policySetHash(policies: PolicySet): Promise<string> {
  checkArgument("policies", policies, OBJECT);
  if (policies.hash !== undefined) return Promise.resolve(policies.hash);
  const before = known.get(policies);
  if (before !== undefined) return before;
  const hash = hashOf(policies.files);
  known.set(policies, hash);
  return hash;
}

async function hashOf(files: readonly PolicyFile[]): Promise<string> {
  const entries = await Promise.all(files.map(async ({ path, text }) => ({ path, hash: await sha256(text) })));
  return `sha256:${await sha256(lockText(entries))}`;
}

const encoder = new TextEncoder();

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", encoder.encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
