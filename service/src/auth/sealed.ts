/**
 * Texts that only the holder of a secret can read. The store has the SHA-256 of the secret and the sealed text, and
 * neither gives the text: HKDF (RFC 5869) derives the key from the secret itself, and its 256 random bits are not
 * stored. AES-256-GCM detects every change.
 */

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

interface SealOptions {
  readonly secret: string;
  /** The place of the text: a text that was sealed for another place is not opened. */
  readonly about: string;
}

const CIPHER = "aes-256-gcm";
const SALT = 16;
/** The lengths of the nonce and the tag: those of NIST SP 800-38D. */
const NONCE = 12;
const TAG = 16;

/** The sealed text in base64url: salt, nonce, tag, and the encrypted text. */
export function sealed(text: string, { secret, about }: SealOptions): string {
  const salt = randomBytes(SALT);
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(CIPHER, keyOf(secret, salt), nonce).setAAD(Buffer.from(about));
  const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([salt, nonce, cipher.getAuthTag(), encrypted]).toString("base64url");
}

/** The text; undefined for another secret, another place, or a damaged text. */
export function opened(text: string, { secret, about }: SealOptions): string | undefined {
  const bytes = Buffer.from(text, "base64url");
  const salt = bytes.subarray(0, SALT);
  const nonce = bytes.subarray(SALT, SALT + NONCE);
  const tag = bytes.subarray(SALT + NONCE, SALT + NONCE + TAG);
  const encrypted = bytes.subarray(SALT + NONCE + TAG);
  try {
    const decipher = createDecipheriv(CIPHER, keyOf(secret, salt), nonce, { authTagLength: TAG });
    decipher.setAAD(Buffer.from(about)).setAuthTag(tag);
    return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

function keyOf(secret: string, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, "keyward sealed text", 32));
}
