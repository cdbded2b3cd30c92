/**
 * The secrets of API keys: `kw_<prefix>_<random>`. The prefix identifies the key; the rest has 256 random bits and
 * proves it.
 *
 * The store has the SHA-256 of the whole secret. A slow hash protects guessable passwords. 256 random bits cannot be
 * guessed at any speed, and a slow hash on each request would only help those who flood the service.
 */

import { hash, randomBytes, timingSafeEqual } from "node:crypto";

export interface NewSecret {
  /** Shown to the caller once. */
  readonly secret: string;
  readonly prefix: string;
  /** Hexadecimal. */
  readonly hash: string;
}

/** The number of hexadecimal digits of a prefix that tell the bucket of its account. */
const HINT = 3;

/**
 * The prefix of a new secret: the bucket of its account, one of 4,096, and 52 random bits. A bucket is the unit in which
 * accounts can be spread over several stores (`docs/scaling.md`); it proves nothing.
 */
export function newPrefix(accountId: string): string {
  return hash("sha256", accountId).slice(0, HINT) + randomBytes(8).toString("hex").slice(HINT);
}

/** `prefix`: that of a new key, or of a key which gets another secret. */
export function newSecret(prefix: string = randomBytes(8).toString("hex")): NewSecret {
  const secret = `kw_${prefix}_${randomBytes(32).toString("base64url")}`;
  return { secret, prefix, hash: hashOf(secret) };
}

const SECRET = /^kw_([0-9a-f]{16})_[\w-]{43}$/;

/** The prefix of a secret; undefined if the text does not have the form of a secret. */
export function prefixOf(secret: string): string | undefined {
  return SECRET.exec(secret)?.[1];
}

/** The hash of a secret, hexadecimal. */
export function hashOf(secret: string): string {
  return hash("sha256", secret);
}

/** True if two hashes are the same. Takes the same time in both cases. */
function isHash(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given, "hex"), Buffer.from(expected, "hex")];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** A hash that no secret has. */
const NO_HASH = "0".repeat(64);

/** The hashes of the secrets of a key: the present one, and the one before while it still works. */
export interface SecretHashes {
  readonly hash: string;
  readonly oldHash: string | null;
}

/** True if `given` is the hash of a secret of the key. Takes the same time for every key, and for none. */
export function provesKey(given: string, key: SecretHashes | undefined): boolean {
  const isPresent = isHash(given, key?.hash ?? NO_HASH);
  const isOld = isHash(given, key?.oldHash ?? NO_HASH);
  return isPresent || isOld;
}
