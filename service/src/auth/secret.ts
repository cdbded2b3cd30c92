/**
 * The secrets of API keys: `kw_<prefix>_<random>`, with a prefix of 64 random bits that finds the key, and 256 random
 * bits that prove it.
 *
 * What is stored is the SHA-256 of the whole. A slow hash protects what people choose and others can guess; 256 random
 * bits cannot be guessed at any speed, and a slow hash on each request would only serve those who flood the service.
 */

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

export interface NewSecret {
  /** For the caller, once. */
  readonly secret: string;
  readonly prefix: string;
  /** Hexadecimal. */
  readonly hash: string;
}

export function newSecret(): NewSecret {
  const prefix = randomBytes(8).toString("hex");
  const secret = `kw_${prefix}_${randomBytes(32).toString("base64url")}`;
  return { secret, prefix, hash: hashOf(secret) };
}

const SECRET = /^kw_([0-9a-f]{16})_[\w-]{43}$/;

/** The prefix of a secret; undefined for what is none. */
export function prefixOf(secret: string): string | undefined {
  return SECRET.exec(secret)?.[1];
}

/** Whether a secret has this hash, in the same time whether or not. */
export function matches(secret: string, hash: string): boolean {
  const given = createHash("sha256").update(secret).digest();
  const stored = Buffer.from(hash, "hex");
  return stored.length === given.length && timingSafeEqual(given, stored);
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
