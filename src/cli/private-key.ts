/** Signing with an Ed25519 private key in PEM form. */

import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { UsageError } from "./exit.js";
import { readGiven } from "./load-set.js";

/** The private key in a file. Throws a {@link UsageError} for any other file. */
export async function privateKeyIn(path: string): Promise<KeyObject> {
  const pem = await readGiven(path);
  let key: KeyObject | undefined;
  try {
    key = createPrivateKey(pem);
  } catch {
    // The error is not shown, since its text could contain part of the key.
  }
  if (key?.asymmetricKeyType !== "ed25519") throw new UsageError(`${path} is not an Ed25519 private key in PEM form`);
  return key;
}

/** The signature of a text, as the content of a `.sig` file. */
export function signatureOf(text: string, key: KeyObject): string {
  return `${sign(null, Buffer.from(text), key).toString("base64")}\n`;
}
