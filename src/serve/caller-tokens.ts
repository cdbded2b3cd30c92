/**
 * The programs that may ask, by their bearer tokens. The file has the SHA-256 of each token, so that it can be read by
 * people who must not have the tokens.
 */

import { createHash } from "node:crypto";
import { isRight } from "fp-ts/lib/Either.js";
import { bearerKey } from "../http/bearer-key.js";

export interface KnownCaller {
  readonly name: string;
  readonly isAdmin: boolean;
}

/** Finds the caller of a request by its `Authorization` fields; undefined for an unknown caller. */
export type CallerOf = (headers: Parameters<typeof bearerKey>[0]) => KnownCaller | undefined;

/**
 * Reads lines of the form `NAME sha256:DIGEST` or `NAME sha256:DIGEST admin`. Lines that are empty or start with `#` are
 * comments. Throws an error that names the line for any other, for a repeated token, and if there are no tokens.
 */
export function readTokens(text: string): CallerOf {
  const callers = new Map<string, KnownCaller>();
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const [, name, digest, admin] = /^\s*(\S+)\s+sha256:([\da-f]{64})(\s+admin)?\s*$/.exec(line) ?? [];
    if (name === undefined || digest === undefined) {
      throw new Error(`line ${i + 1} must be NAME sha256:DIGEST, or NAME sha256:DIGEST admin`);
    }
    if (callers.has(digest)) throw new Error(`line ${i + 1} has the token of another line`);
    callers.set(digest, { name, isAdmin: admin !== undefined });
  }
  if (callers.size === 0) throw new Error("there are no tokens");
  return (headers) => {
    const token = bearerKey(headers);
    return isRight(token) ? callers.get(createHash("sha256").update(token.right).digest("hex")) : undefined;
  };
}
